/* Entry of a program for the virt machine: an arm64 Linux image header, so that QEMU passes the device tree in X0, and the same file as
 * ELF. Each core has a stack of its own; exceptions go to virt_exception(). */
    .section .text.start, "ax"
    .global _start
_start:
    b       begin
    .long   0
    .quad   0x80000             /* text_offset: RAM base + 512 KiB */
    .quad   image_bytes
    .quad   0xA                 /* flags: little endian, 4K pages, placement anywhere */
    .quad   0, 0, 0
    .ascii  "ARM\x64"
    .long   0

begin:
    mov     x19, x0
    ldr     x1, =bss_begin
    ldr     x2, =bss_end
1:  cmp     x1, x2
    b.hs    2f
    str     xzr, [x1], #8
    b       1b
2:  mov     x0, #0
    bl      set_up
    mov     x0, x19
    bl      virt_main
    b       .

/* X0: number of the core, which is what CPU_ON was given as context */
    .global secondary_entry
secondary_entry:
    mov     x19, x0
    bl      set_up
    mov     x0, x19
    bl      virt_secondary
    b       .

/* the stack of core X0, vectors of the current level */
set_up:
    ldr     x1, =stacks
    add     x2, x0, #1
    add     x1, x1, x2, lsl #14
    mov     sp, x1
    ldr     x1, =vectors
    mrs     x2, CurrentEL
    cmp     x2, #8
    b.eq    1f
    msr     vbar_el1, x1
    isb
    ret
1:  msr     vbar_el2, x1
    isb
    ret

    .balign 2048
vectors:
    .irp    entry, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    .balign 128
    sub     sp, sp, #192
    stp     x0, x1, [sp]
    mov     x0, #\entry
    b       exception
    .endr

exception:
    stp     x2, x3, [sp, #16]
    stp     x4, x5, [sp, #32]
    stp     x6, x7, [sp, #48]
    stp     x8, x9, [sp, #64]
    stp     x10, x11, [sp, #80]
    stp     x12, x13, [sp, #96]
    stp     x14, x15, [sp, #112]
    stp     x16, x17, [sp, #128]
    stp     x18, x30, [sp, #144]
    bl      virt_exception
    ldp     x2, x3, [sp, #16]
    ldp     x4, x5, [sp, #32]
    ldp     x6, x7, [sp, #48]
    ldp     x8, x9, [sp, #64]
    ldp     x10, x11, [sp, #80]
    ldp     x12, x13, [sp, #96]
    ldp     x14, x15, [sp, #112]
    ldp     x16, x17, [sp, #128]
    ldp     x18, x30, [sp, #144]
    ldp     x0, x1, [sp], #192
    eret

/*
 * Entry at EL1 with MMU and caches off, the vectors, and the way to EL0 and back.
 */
    .section .text.start, "ax"
    .global _start
_start:
    msr     spsel, #1
    ldr     x1, =stack_top
    mov     sp, x1
    ldr     x1, =vectors
    msr     vbar_el1, x1
    ldr     x1, =bss_begin
    ldr     x2, =bss_end
1:  cmp     x1, x2
    b.hs    2f
    stp     xzr, xzr, [x1], #16
    b       1b
2:  isb
    bl      guest_main
    /* guest_main() ends through semihosting */
3:  b       3b

    .text
    /* X0..X30, ELR, SPSR: struct frame of guest.h. X0 is the vector's offset for guest_exception(). */
    .macro entry offset
    .balign 128
    sub     sp, sp, #272
    stp     x0, x1, [sp]
    mov     x0, #\offset
    b       common
    .endm

    .balign 2048
vectors:
    .irp    offset, 0x000, 0x080, 0x100, 0x180, 0x200, 0x280, 0x300, 0x380, 0x400, 0x480, 0x500, 0x580, 0x600, 0x680, 0x700, 0x780
    entry   \offset
    .endr

common:
    stp     x2, x3, [sp, #16]
    stp     x4, x5, [sp, #32]
    stp     x6, x7, [sp, #48]
    stp     x8, x9, [sp, #64]
    stp     x10, x11, [sp, #80]
    stp     x12, x13, [sp, #96]
    stp     x14, x15, [sp, #112]
    stp     x16, x17, [sp, #128]
    stp     x18, x19, [sp, #144]
    stp     x20, x21, [sp, #160]
    stp     x22, x23, [sp, #176]
    stp     x24, x25, [sp, #192]
    stp     x26, x27, [sp, #208]
    stp     x28, x29, [sp, #224]
    mrs     x1, elr_el1
    mrs     x2, spsr_el1
    stp     x30, x1, [sp, #240]
    str     x2, [sp, #256]
    mov     x1, sp
    bl      guest_exception
    ldp     x30, x1, [sp, #240]
    ldr     x2, [sp, #256]
    msr     elr_el1, x1
    msr     spsr_el1, x2
    ldp     x28, x29, [sp, #224]
    ldp     x26, x27, [sp, #208]
    ldp     x24, x25, [sp, #192]
    ldp     x22, x23, [sp, #176]
    ldp     x20, x21, [sp, #160]
    ldp     x18, x19, [sp, #144]
    ldp     x16, x17, [sp, #128]
    ldp     x14, x15, [sp, #112]
    ldp     x12, x13, [sp, #96]
    ldp     x10, x11, [sp, #80]
    ldp     x8, x9, [sp, #64]
    ldp     x6, x7, [sp, #48]
    ldp     x4, x5, [sp, #32]
    ldp     x2, x3, [sp, #16]
    ldp     x0, x1, [sp]
    add     sp, sp, #272
    eret

    /* uint64_t user_run(const void *entry, uint64_t argument, uint64_t sp, uint64_t spsr): until the next exception from there */
    .global user_run
user_run:
    stp     x19, x20, [sp, #-96]!
    stp     x21, x22, [sp, #16]
    stp     x23, x24, [sp, #32]
    stp     x25, x26, [sp, #48]
    stp     x27, x28, [sp, #64]
    stp     x29, x30, [sp, #80]
    msr     sp_el0, x2
    msr     elr_el1, x0
    msr     spsr_el1, x3
    mov     x0, x1
    eret
    /* guest_exception() returns here at EL1h, X0 as EL0 left it */
    .global user_back
user_back:
    ldp     x21, x22, [sp, #16]
    ldp     x23, x24, [sp, #32]
    ldp     x25, x26, [sp, #48]
    ldp     x27, x28, [sp, #64]
    ldp     x29, x30, [sp, #80]
    ldp     x19, x20, [sp], #96
    ret

    /* uint64_t call_at(const void *target, uint64_t argument): branches there; an abort of the fetch comes back */
    .global call_at
call_at:
    stp     x29, x30, [sp, #-16]!
    mov     x2, x0
    mov     x0, x1
    blr     x2
    .global call_back
call_back:
    ldp     x29, x30, [sp], #16
    ret

    /* void mmu_switch(mair, tcr, ttbr, sctlr): with the MMU off no data are accessed, for what the caches hold is out of sight */
    .global mmu_switch
mmu_switch:
    ldr     x4, =0x30d00800
    dsb     sy
    msr     sctlr_el1, x4
    isb
    msr     mair_el1, x0
    msr     tcr_el1, x1
    msr     ttbr0_el1, x2
    msr     ttbr1_el1, x2
    isb
    tlbi    vmalle1
    dsb     nsh
    isb
    msr     sctlr_el1, x3
    isb
    ret

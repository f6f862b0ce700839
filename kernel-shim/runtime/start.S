/*
 * Start-up of a guest: entered at EL1 with MMU and caches off. Core 0 builds the page tables and runs main(); a secondary core
 * (X0 = its number) waits for nothing: it is started only when the tables exist.
 */
    .file "start.S" /* else the symbol table gets the name of a temporary file */
    .section .text.start, "ax"
    .global _start
_start:
    mov     x19, x0
    mrs     x1, CurrentEL
    cmp     x1, #(1 << 2)
    b.eq    1f
    /* from EL2: EL1 is AArch64, timers are not trapped */
    mov     x1, #(1 << 31)
    msr     hcr_el2, x1
    mov     x1, #3
    msr     cnthctl_el2, x1
    msr     cntvoff_el2, xzr
    mov     x1, #0x3c5
    msr     spsr_el2, x1
    adr     x1, 1f
    msr     elr_el2, x1
    eret
1:
    adr     x1, vectors
    msr     vbar_el1, x1
    msr     spsel, #1
    adrp    x1, boot_stack_top
    mov     sp, x1
    bl      page_tables_build
    mov     x0, #0
    b       core_begin

    .global secondary_start
secondary_start:
    adr     x1, vectors
    msr     vbar_el1, x1
    msr     spsel, #1
core_begin:
    mov     x19, x0
    ldr     x1, =page_tables_mair
    ldr     x1, [x1]
    msr     mair_el1, x1
    ldr     x1, =page_tables_tcr
    ldr     x1, [x1]
    msr     tcr_el1, x1
    ldr     x1, =page_table_root
    msr     ttbr0_el1, x1
    isb
    tlbi    vmalle1
    dsb     nsh
    isb
    mrs     x1, sctlr_el1
    mov     x2, #0x1005             /* M, C, I */
    orr     x1, x1, x2
    msr     sctlr_el1, x1
    isb
    /* stack and per-CPU block of this core */
    adrp    x1, core_stacks
    mov     x2, #STACK_BYTES
    add     x3, x19, #1
    madd    x1, x2, x3, x1
    mov     sp, x1
    adrp    x1, per_cpu_areas
    add     x1, x1, :lo12:per_cpu_areas
    add     x1, x1, x19, lsl #12
    msr     tpidr_el1, x1
    mov     x0, x19
    bl      runtime_begin
2:  wfi
    b       2b

    /* Vectors: only IRQs from EL1 are expected; everything else ends the simulation with a message. */
    .balign 2048
vectors:
    .rept 4
    .balign 128
    b       unexpected
    .endr
    .balign 128
    b       unexpected
    .balign 128
    b       irq_entry
    .balign 128
    b       unexpected
    .balign 128
    b       unexpected
    .rept 8
    .balign 128
    b       unexpected
    .endr

unexpected:
    mrs     x0, esr_el1
    mrs     x1, elr_el1
    mrs     x2, far_el1
    bl      runtime_unexpected
3:  wfi
    b       3b

irq_entry:
    sub     sp, sp, #192
    stp     x0, x1, [sp]
    stp     x2, x3, [sp, #16]
    stp     x4, x5, [sp, #32]
    stp     x6, x7, [sp, #48]
    stp     x8, x9, [sp, #64]
    stp     x10, x11, [sp, #80]
    stp     x12, x13, [sp, #96]
    stp     x14, x15, [sp, #112]
    stp     x16, x17, [sp, #128]
    stp     x18, x30, [sp, #144]
    mrs     x0, elr_el1
    mrs     x1, spsr_el1
    stp     x0, x1, [sp, #160]
    bl      runtime_interrupt
    ldp     x0, x1, [sp, #160]
    msr     elr_el1, x0
    msr     spsr_el1, x1
    ldp     x18, x30, [sp, #144]
    ldp     x16, x17, [sp, #128]
    ldp     x14, x15, [sp, #112]
    ldp     x12, x13, [sp, #96]
    ldp     x10, x11, [sp, #80]
    ldp     x8, x9, [sp, #64]
    ldp     x6, x7, [sp, #48]
    ldp     x4, x5, [sp, #32]
    ldp     x2, x3, [sp, #16]
    ldp     x0, x1, [sp]
    add     sp, sp, #192
    eret

    .section .bss.boot, "aw", %nobits
    .balign 16
    .space  4096
    .balign 4096
boot_stack_top:

/*
 * What an instruction raises: each case runs at an exception level and stack pointer, ends in the exception it causes or in SVC #0x99,
 * and prints vector, ESR, ELR (from the start of the case), SPSR, FAR, PAR and X26. A new case is one line at the end of this file.
 */
	.arch armv8.2-a

	.text
	.global _start
_start:
	ldr x0, =stack_top
	mov sp, x0
	adr x0, vectors
	msr vbar_el1, x0
	bl mmu_on
	ldr x19, =table
next:	ldr x20, [x19], #8		/* code; 0 ends the table */
	cbz x20, leave
	ldr x21, [x19], #8		/* SPSR */
	ldr x22, [x19], #8		/* text */
	msr elr_el1, x20
	msr spsr_el1, x21
	msr far_el1, xzr
	msr par_el1, xzr
	mov x2, sp
	msr sp_el0, x2
	msr tpidr_el1, x2
	ldr x0, =0x80000000
	mov x1, #0x1234
	mov x2, #0
	mov x3, #0
	mov x4, #0
	mov x26, #0
	eret
leave:	adr x1, leave_block
	mov w0, #0x18			/* SYS_EXIT */
	hlt #0xf000
	b .
	.balign 8
leave_block:
	.quad 0x20026, 0

	.balign 2048
vectors:
	.set n, 0
	.rept 16
	.balign 128
	mov x28, #n
	b handler
	.set n, n + 1
	.endr

	.balign 128
handler:
	msr spsel, #1
	msr pan, #0
	mrs x2, tpidr_el1
	mov sp, x2
	mov x0, x21
	bl print_hex
	mov x1, x22
	mov w0, #4			/* SYS_WRITE0 */
	hlt #0xf000
	mov x0, x28
	bl print_hex
	mrs x0, esr_el1
	bl print_hex
	mrs x0, elr_el1
	sub x0, x0, x20
	bl print_hex
	mrs x0, spsr_el1
	bl print_hex
	mrs x0, far_el1
	bl print_hex
	mrs x0, par_el1
	bic x0, x0, #1 << 9		/* NS: unknown outside Secure state */
	bl print_hex
	mov x0, x26
	bl print_hex
	adr x1, newline
	mov w0, #4
	hlt #0xf000
	ldr x0, =SCTLR
	msr sctlr_el1, x0
	isb
	b next

/* X0 without leading zeros, and a space. */
print_hex:
	ldr x1, =digits_end
	mov w2, #' '
	strb w2, [x1, #-1]!
1:	and w2, w0, #15
	cmp w2, #10
	add w3, w2, #'0'
	add w4, w2, #'a' - 10
	csel w2, w3, w4, lo
	strb w2, [x1, #-1]!
	lsr x0, x0, #4
	cbnz x0, 1b
	mov w0, #4
	hlt #0xf000
	ret
newline:
	.asciz "\n"
	.balign 8

	.set SCTLR, 0x30d01805 | 1 << 23	/* M, C, I, SPAN */
	.set AF, 1 << 10
	.set ISH, 3 << 8
	.set PA, 0x40500000

	.macro descriptor table, index, value
	ldr x0, =\table
	ldr x1, =\value
	str x1, [x0, #\index * 8]
	.endm
	.macro next_table table, index, to, bits=0
	ldr x0, =\table
	ldr x1, =\to
	ldr x2, =\bits | 3
	orr x1, x1, x2
	str x1, [x0, #\index * 8]
	.endm

/* 1 GiB at 0x40000000 for all, privileged; the cases use 0x80000000 (pages and blocks) and 0xc0000000 (through a restricted table). */
mmu_on:
	descriptor level1, 1, 0x40000000 | AF | ISH | 1
	next_table level1, 2, level2
	next_table level1, 3, restricted, (1 << 61 | 1 << 60)	/* APTable: no EL0; XNTable */
	next_table level2, 0, level3
	descriptor level2, 1, 0x40400000 | AF | ISH | 1 << 6 | 1	/* EL0 too */
	descriptor level2, 2, 0x40400000 | ISH | 1			/* no AF */
	descriptor level2, 3, 0xf00040400000 | AF | 1		/* above IPS */
	descriptor restricted, 0, 0x40400000 | AF | ISH | 1 << 6 | 1
	descriptor level3, 0, PA | AF | ISH | 0 << 6 | 3		/* AP 0 to 3 */
	descriptor level3, 1, PA | AF | ISH | 1 << 6 | 3
	descriptor level3, 2, PA | AF | ISH | 2 << 6 | 3
	descriptor level3, 3, PA | AF | ISH | 3 << 6 | 3
	descriptor level3, 4, PA | ISH | 3				/* no AF */
	descriptor level3, 5, PA | AF | ISH | 1			/* reserved */
	descriptor level3, 6, PA | AF | ISH | 1 << 54 | 1 << 53 | 3	/* never executed */
	descriptor level3, 7, PA | AF | 1 << 2 | 3			/* Device */
	ldr x0, =PA
	ldr w1, =0xd4001321		/* svc #0x99, for the cases that jump there */
	str w1, [x0]
	str w1, [x0, #4]
	ldr x0, =level1
	msr ttbr0_el1, x0
	msr ttbr1_el1, x0
	ldr x0, =0x04ff
	msr mair_el1, x0
	ldr x0, =25 | 1 << 8 | 1 << 10 | 3 << 12 | 25 << 16 | 1 << 23 | 2 << 30 | 2 << 32	/* 39 bits, EPD1, IPS 40 */
	msr tcr_el1, x0
	isb
	ldr x0, =SCTLR
	msr sctlr_el1, x0
	isb
	tlbi vmalle1
	ic iallu
	dsb sy
	isb
	ret

	.bss
	.balign 4096
level1:	.skip 4096
level2:	.skip 4096
level3:	.skip 4096
restricted:
	.skip 4096
	.skip 4096
stack_top:
	.skip 24
digits_end:
	.skip 8

	.section .table, "a"
	.balign 8
table:

	.macro case spsr, body
	.section .cases, "ax"
8:	\body
	svc #0x99
	.section .texts, "a"
9:	.asciz "\body: "
	.section .table, "a"
	.quad 8b, \spsr, 9b
	.endm

/* At EL1 with SP_EL1, at EL0, at EL1 with SP_EL0. X0 = 0x80000000. */
	.irp el, 0x3c5, 0x3c0, 0x3c4
	case \el, "nop"
	case \el, "svc #5"
	case \el, "brk #7"
	case \el, "hvc #1"
	case \el, "smc #1"
	case \el, "udf #0"
	case \el, "fmov d0, d0"
	case \el, "ldr q0, [x0]"
	case \el, "stp d0, d1, [x0]"
	case \el, "ld4 {v0.4s-v3.4s}, [x0]"
	case \el, "mrs x3, fpcr"
	case \el, "msr fpsr, x3"
	case \el, "mrs x3, ctr_el0"
	case \el, "mrs x3, dczid_el0"
	case \el, "mrs x3, daif"
	case \el, "msr daif, x3"
	case \el, "msr daifset, #3"
	case \el, "msr daifclr, #4"
	case \el, "mrs x3, cntvct_el0"
	case \el, "mrs x3, cntpct_el0"
	case \el, "mrs x3, cntfrq_el0"
	case \el, "mrs x3, cntv_ctl_el0"
	case \el, "mrs x3, cntp_ctl_el0"
	case \el, "mrs x3, pmccntr_el0"
	case \el, "mrs x3, pmuserenr_el0"
	case \el, "mrs x3, pmcr_el0"
	case \el, "msr pmuserenr_el0, x3"
	case \el, "mrs x3, sctlr_el1"
	case \el, "mrs x3, currentel"
	case \el, "mrs x26, currentel"
	case \el, "mrs x26, spsel"
	case \el, "mrs x26, daif"
	case \el, "mrs x26, nzcv"
	case \el, "mrs x26, dczid_el0"
	case \el, "mrs x26, pan"
	case \el, "mrs x26, isr_el1"
	case \el, "mrs x3, sp_el0"
	case \el, "mrs x3, elr_el2"
	case \el, "mrs x3, hcr_el2"
	case \el, "mrs x3, s3_0_c0_c7_3"
	case \el, "mrs x3, s3_0_c0_c3_3"
	case \el, "mrs x3, s3_0_c0_c0_1"
	case \el, "mrs x3, s3_0_c15_c0_0"
	case \el, "mrs x3, tpidrro_el0"
	case \el, "msr tpidrro_el0, x3"
	case \el, "mrs x3, tpidr_el0"
	case \el, ".inst 0xd51b0023 /* msr ctr_el0, x3 */"
	case \el, "mrs x3, id_aa64mmfr0_el1"
	case \el, ".inst 0xd5180703 /* msr id_aa64mmfr0_el1, x3 */"
	case \el, "tlbi vmalle1"
	case \el, "tlbi vae1is, x0"
	case \el, "tlbi alle1"
	case \el, "tlbi alle2"
	case \el, "sys #0, c8, c7, #4"
	case \el, "at s1e1r, x0"
	case \el, "at s1e0r, x0"
	case \el, "at s1e1w, x0"
	case \el, "at s1e2r, x0"
	case \el, "dc ivac, x0"
	case \el, "dc cvac, x0"
	case \el, "dc cvap, x0"
	case \el, "dc zva, x0"
	case \el, "dc isw, xzr"
	case \el, "ic iallu"
	case \el, "ic ivau, x0"
	case \el, ".inst 0xd5290000 /* sysl */"
	.endr
	.irp el, 0x3c5, 0x3c0
	.irp page, 0, 1, 2, 3, 4, 5, 6, 7, 8
	case \el, "add x0, x0, #(\page<<12); ldr x3, [x0]"
	case \el, "add x0, x0, #(\page<<12); str x3, [x0, #8]"
	case \el, "add x0, x0, #(\page<<12); ldtr x3, [x0]"
	case \el, "add x0, x0, #(\page<<12); sttr x3, [x0, #8]"
	case \el, "add x0, x0, #(\page<<12); dc ivac, x0"
	case \el, "add x0, x0, #(\page<<12); dc cvac, x0"
	case \el, "add x0, x0, #(\page<<12); dc zva, x0"
	case \el, "add x0, x0, #(\page<<12); ldr x3, [x0, #1]"
	case \el, "add x0, x0, #(\page<<12); ldxr x3, [x0]"
	case \el, "add x0, x0, #(\page<<12); add x0, x0, #4; ldxr x3, [x0]"
	case \el, "add x0, x0, #(\page<<12); ldadd x3, x4, [x0]"
	case \el, "add x0, x0, #(\page<<12); stp x3, x4, [x0, #16]"
	case \el, "add x0, x0, #(\page<<12); add x0, x0, #4096; ldr x3, [x0, #-4]"
	case \el, "add x0, x0, #(\page<<12); add x0, x0, #4096; str x3, [x0, #-4]!"
	.if \page != 7
	case \el, "add x0, x0, #(\page<<12); br x0"
	.endif
	.endr
	.irp off, 0x200000, 0x400000, 0x600000, 0x800000, 0x40000000, 0x80000000
	case \el, "mov x3, #\off; add x0, x0, x3; ldr x3, [x0]"
	case \el, "mov x3, #\off; add x0, x0, x3; str x3, [x0]"
	case \el, "mov x3, #\off; add x0, x0, x3; br x0"
	.endr
	case \el, "mov x0, #-8; ldr x3, [x0]"
	case \el, "mov x0, #1<<50; ldr x3, [x0]"
	case \el, "mov x0, #1<<50; br x0"
	case \el, "add x0, x0, #2; br x0"
	case \el, "mov x3, #1<<40; ldr x3, [x3]"
	.endr
	.irp page, 0, 1, 2, 3
	case 0x3c5, "add x0, x0, #(\page<<12); msr pan, #1; ldr x3, [x0]"
	case 0x3c5, "add x0, x0, #(\page<<12); msr pan, #1; str x3, [x0, #8]"
	case 0x3c5, "add x0, x0, #(\page<<12); msr pan, #1; ldtr x3, [x0]"
	case 0x3c5, "add x0, x0, #(\page<<12); msr pan, #1; dc cvac, x0"
	case 0x3c5, "add x0, x0, #(\page<<12); msr pan, #1; dc zva, x0"
	case 0x3c5, "add x0, x0, #(\page<<12); msr pan, #1; at s1e1r, x0"
	case 0x3c5, "add x0, x0, #(\page<<12); at s1e1r, x0; isb"
	case 0x3c5, "add x0, x0, #(\page<<12); at s1e1w, x0; isb"
	case 0x3c5, "add x0, x0, #(\page<<12); at s1e0r, x0; isb"
	case 0x3c5, "add x0, x0, #(\page<<12); at s1e0w, x0; isb"
	.endr
	.irp mode, 0x3c9, 0x3c8, 0x3c1, 0x3c2, 0x3c6, 0x3cd, 0x3d3, 0x604003c9, 0xf03003c5, 0x103c0, 0xf01003c0
	case 0x3c5, "ldr x3, =\mode; msr spsr_el1, x3; adr x3, 7f; msr elr_el1, x3; eret; 7: nop"
	.endr
	case 0x3c0, "eret"
	case 0x3c5, "mrs x3, sctlr_el1; bic x3, x3, #(1<<23); msr sctlr_el1, x3; isb; svc #1"
	case 0x3c5, "mrs x3, sctlr_el1; orr x3, x3, #2; msr sctlr_el1, x3; isb; ldr x3, [x0, #1]"
	case 0x3c5, "mrs x3, sctlr_el1; orr x3, x3, #8; msr sctlr_el1, x3; isb; mov x3, sp; add sp, x3, #8; ldr x3, [sp]"
	case 0x3c5, "msr spsel, #0; mrs x3, sp_el0"

	.section .table, "a"
	.quad 0

/*
 * Cache maintenance of a range of VAs [x0, x1) to the PoC (kernel_algorithms: arch/arm64/mm/cache.S): four instructions a line. The
 * _nosync forms leave the completing DSB to the caller. WORKAROUND_4311569 = 1 builds a kernel that cleans every range
 * twice, for an interconnect that acknowledges the first clean of a dirty line too early.
 */
    .file "cache.S" /* else the symbol table gets the name of a temporary file */
    .text

    /* x2 = D-cache line size, x3 = line mask */
    .macro line_size
    mrs     x3, ctr_el0
    ubfx    x3, x3, #16, #4
    mov     x2, #4
    lsl     x2, x2, x3
    sub     x3, x2, #1
    .endm

    /* x4 = where the second pass begins; 0: this is it */
    .macro clean_range
    line_size
    bic     x0, x0, x3
#if WORKAROUND_4311569
    mov     x4, x0
#endif
1:  dc      cvac, x0
    add     x0, x0, x2
    cmp     x0, x1
    b.lo    1b
#if WORKAROUND_4311569
    mov     x0, x4
    mov     x4, xzr
    cbnz    x0, 1b
#endif
    .endm

    /* Partial lines at both ends are cleaned too, so that the neighbour's bytes survive; the tail comes first. */
    .macro invalidate_range
    line_size
    tst     x1, x3
    bic     x1, x1, x3
    b.eq    1f
    dc      civac, x1
1:  tst     x0, x3
    bic     x0, x0, x3
    b.eq    2f
    dc      civac, x0
    b       3f
2:  dc      ivac, x0
3:  add     x0, x0, x2
    cmp     x0, x1
    b.lo    2b
    .endm

    .global dcache_clean_poc
    .type dcache_clean_poc, %function
dcache_clean_poc:
    clean_range
    dsb     sy
    ret

    .global dcache_clean_poc_nosync
    .type dcache_clean_poc_nosync, %function
dcache_clean_poc_nosync:
    clean_range
    ret

    .global dcache_inval_poc
    .type dcache_inval_poc, %function
dcache_inval_poc:
    invalidate_range
    dsb     sy
    ret

    .global dcache_inval_poc_nosync
    .type dcache_inval_poc_nosync, %function
dcache_inval_poc_nosync:
    invalidate_range
    ret

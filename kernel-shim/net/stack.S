/*
 * Work of the network stack (netstack.h): rounds of 16 instructions, 5 loads, 2 stores, 6 of arithmetic, a test, and the
 * loop's 2. The rest below 16 is arithmetic.
 */
        .text
        .global netif_receive_work
        .type netif_receive_work, %function
netif_receive_work:
        adrp    x1, stack_structures
        add     x1, x1, :lo12:stack_structures
        lsr     x9, x0, #4
        cbz     x9, 2f
1:      ldr     x2, [x1]
        ldr     x3, [x1, #8]
        add     x4, x2, #1
        eor     x5, x3, x2
        ldr     x6, [x1, #64]
        str     x4, [x1]
        and     x5, x5, #0xff
        cbnz    x6, 9f
        ldr     x7, [x1, #128]
        add     x8, x7, x5
        ldr     x10, [x1, #136]
        orr     x10, x10, x4
        add     x10, x10, x8
        str     x10, [x1, #144]
        subs    x9, x9, #1
        b.ne    1b
2:      tbz     x0, #3, 3f
        .rept 8
        add     x2, x2, #1
        .endr
3:      tbz     x0, #2, 4f
        .rept 4
        add     x3, x3, #1
        .endr
4:      tbz     x0, #1, 5f
        add     x4, x4, #1
        add     x4, x4, #1
5:      tbz     x0, #0, 9f
        add     x5, x5, #1
9:      ret
        .size netif_receive_work, . - netif_receive_work

        .bss
        .balign 64
stack_structures:
        .skip 192

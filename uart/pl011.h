/*
 * PL011 UART (Arm DDI 0183): output to a console, no input; transmission takes no time.
 */
#ifndef DMASIM_UART_PL011_H
#define DMASIM_UART_PL011_H

#include "common/port.h"

struct pl011_console {
    void *ctx;
    void (*write)(void *ctx, const char *text, uint64_t bytes);
};

struct pl011;

struct pl011 *pl011_create(const struct pl011_console *console, const struct irq_port *irq, uint32_t intid);
void pl011_destroy(struct pl011 *uart);

/* Register access; addr is the offset in the 4 KiB frame. */
void pl011_access(struct pl011 *uart, struct txn *txn);

#endif

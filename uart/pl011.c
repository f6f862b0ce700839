#include "uart/pl011.h"

#include <stdlib.h>
#include <string.h>

enum {
    UARTDR = 0x00,
    UARTFR = 0x18,
    UARTIBRD = 0x24,
    UARTFBRD = 0x28,
    UARTLCR_H = 0x2C,
    UARTCR = 0x30,
    UARTIFLS = 0x34,
    UARTIMSC = 0x38,
    UARTRIS = 0x3C,
    UARTMIS = 0x40,
    UARTICR = 0x44,
    UARTDMACR = 0x48,
    UARTPERIPHID0 = 0xFE0
};
enum { FR_RXFE = 1 << 4, FR_TXFE = 1 << 7, INT_TX = 1 << 5 };

struct pl011 {
    struct pl011_console console;
    struct irq_port irq;
    uint32_t intid;
    uint32_t stored[(UARTDMACR + 4) / 4]; /* registers that only keep their value */
    uint32_t raw;
};

struct pl011 *pl011_create(const struct pl011_console *console, const struct irq_port *irq, uint32_t intid)
{
    struct pl011 *uart = calloc(1, sizeof(*uart));

    if (!uart)
        return NULL;
    uart->console = *console;
    uart->irq = *irq;
    uart->intid = intid;
    uart->stored[UARTCR / 4] = 0x300;
    uart->stored[UARTIFLS / 4] = 0x12;
    return uart;
}

void pl011_destroy(struct pl011 *uart)
{
    free(uart);
}

static uint32_t read_register(const struct pl011 *uart, uint64_t offset)
{
    static const uint8_t id[] = {0x11, 0x10, 0x34, 0x00, 0x0D, 0xF0, 0x05, 0xB1};

    if (offset >= UARTPERIPHID0 && offset < UARTPERIPHID0 + 4 * sizeof(id))
        return id[(offset - UARTPERIPHID0) / 4];
    switch (offset) {
    case UARTFR:
        return FR_RXFE | FR_TXFE;
    case UARTRIS:
        return uart->raw;
    case UARTMIS:
        return uart->raw & uart->stored[UARTIMSC / 4];
    case UARTIBRD:
    case UARTFBRD:
    case UARTLCR_H:
    case UARTCR:
    case UARTIFLS:
    case UARTIMSC:
    case UARTDMACR:
        return uart->stored[offset / 4];
    default:
        return 0;
    }
}

static void write_register(struct pl011 *uart, uint64_t offset, uint32_t value)
{
    char byte = (char)value;

    if (offset == UARTDR) {
        uart->console.write(uart->console.ctx, &byte, 1);
        uart->raw |= INT_TX;
    } else if (offset == UARTICR) {
        uart->raw &= ~value;
    } else if (offset <= UARTDMACR && offset != UARTFR && offset != UARTRIS && offset != UARTMIS) {
        uart->stored[offset / 4] = value;
    }
}

void pl011_access(struct pl011 *uart, struct txn *txn)
{
    uint32_t value = 0;
    uint32_t bytes = txn->size < 4 ? txn->size : 4;

    txn->done_ps = txn->start_ps;
    txn->status = txn->size > 8 ? TXN_SLVERR : TXN_OK;
    if (txn->status != TXN_OK)
        return;
    if (txn->kind == TXN_READ) {
        value = read_register(uart, txn->addr & ~3ull);
        memset(txn->data, 0, txn->size);
        memcpy(txn->data, &value, bytes);
        return;
    }
    memcpy(&value, txn->data, bytes);
    write_register(uart, txn->addr & ~3ull, value);
    uart->irq.set(uart->irq.ctx, 0, uart->intid, uart->raw & uart->stored[UARTIMSC / 4], txn->start_ps);
}

/* What the network stack does with a received packet besides its driver, DMA and buffers, as an amount of work. */
#ifndef NETSTACK_H
#define NETSTACK_H

#include <stdint.h>

/* net/stack.S: executes this many instructions, of the mix that such code has: loads and stores of structures that are
 * in L1, arithmetic with them, tests that seldom fire. No indirect branches. */
void netif_receive_work(uint64_t instructions);

#endif

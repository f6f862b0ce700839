/*
 * An attribute of the DMA API, and where its structures have the fields, that the hazard detector reads in guest memory. Both sides include
 * this file, so it holds constants only; dma.h checks them.
 */
#ifndef DMA_LAYOUT_H
#define DMA_LAYOUT_H

#define DMA_ATTR_SKIP_CPU_SYNC 1ul

#define DEVICE_DMA_COHERENT 0
#define DEVICE_DOMAIN       16

#define SCATTERLIST_PA          0
#define SCATTERLIST_LENGTH      8
#define SCATTERLIST_DMA_LENGTH  12
#define SCATTERLIST_DMA_ADDRESS 16
#define SCATTERLIST_NEXT        24
#define SCATTERLIST_BYTES       32 /* of these fields */

#define DMA_IOVA_STATE_ADDR 0

#endif

/*
 * The simulation-control device: the only thing that guest and host share. Both sides include this file, so it holds
 * constants only.
 *
 * All registers are 64 bit unless noted; accesses take no simulated time beyond the core's own store or load.
 *
 * Parameters: write the address of a NUL-terminated name to PARAM_NAME; PARAM_FOUND then reads 1 or 0 and PARAM_VALUE
 * the value (integers, booleans as 0/1, and for text parameters the number of the choice). Names are those of the
 * scenario's `params:`, and the keys of the configuration (what firmware tables tell a kernel).
 *
 * Regions: BEGIN and END carry a region number (0..63) and the core's time; the host keeps count, total,
 * the cycle stack and counters between BEGIN and END of each core. REGION_NAME gives region n
 * (set by REGION_SELECT) the case name by which it appears in the result.
 *
 * Values: VALUE_NAME / VALUE_UNIT / VALUE_CASE take addresses of strings; VALUE_EMIT adds one row {case, metric = name,
 * unit, value}; VALUE_SCALE (default 1) divides: value = emitted / scale.
 */
#ifndef SIMCTL_H
#define SIMCTL_H

#define SIMCTL_BASE 0x0C000000
#define SIMCTL_SIZE 0x1000

#define SIMCTL_ID            0x000 /* reads 0x4D49534D4144 ("DMASIM") */
#define SIMCTL_CONSOLE       0x008 /* write: one byte to the console */
#define SIMCTL_EXIT          0x010 /* write: end the simulation with this status */
#define SIMCTL_TIME_PS       0x018 /* read: simulated time */
#define SIMCTL_CORES         0x020 /* read: number of cores */
#define SIMCTL_RAM_BASE      0x028
#define SIMCTL_RAM_BYTES     0x030
#define SIMCTL_PARAM_NAME    0x040
#define SIMCTL_PARAM_FOUND   0x048
#define SIMCTL_PARAM_VALUE   0x050
#define SIMCTL_REGION_SELECT 0x080
#define SIMCTL_REGION_NAME   0x088
#define SIMCTL_REGION_BEGIN  0x090
#define SIMCTL_REGION_END    0x098
#define SIMCTL_VALUE_CASE    0x0C0
#define SIMCTL_VALUE_NAME    0x0C8
#define SIMCTL_VALUE_UNIT    0x0D0
#define SIMCTL_VALUE_SCALE   0x0D8
#define SIMCTL_VALUE_EMIT    0x0E0
#define SIMCTL_CORE_START \
    0x100 /* write: core << 48 | entry address: start a secondary core at that address, X0 = core */
#define SIMCTL_CHECK_FAIL 0x108 /* write: address of a message; the run fails with it */

/*
 * Phases: what a core is at, told without an instruction: the section .sim_phases holds {address, phase} pairs, and a
 * core that comes to the address is in that phase from then on. PHASE_WINDOW opens (1) and closes (0) the time that is
 * accounted.
 */
#define SIMCTL_PHASE_WINDOW 0x110
#define PHASE_WORK          0 /* split into compute, cache_miss and mmio */
#define PHASE_LOCK_CAS      1 /* reserve slots, mark them valid, take and leave the lock */
#define PHASE_QUEUE_FULL    2
#define PHASE_OWNER_WAIT    3 /* for the owner before, and for the marks of the own group */
#define PHASE_DOORBELL      4
#define PHASE_SYNC_WAIT     5
#define PHASES              6

/* Memory map beside QEMU's virt devices (design: architecture.md 7). */
#define GICD_BASE   0x08000000
#define GICR_BASE   0x080A0000
#define PL011_BASE  0x09000000
#define SMMU_BASE   0x09050000
#define RAM_BASE    0x40000000
#define DMAC_BASE   0x0C010000
#define DMAC_SIZE   0x8000     /* 0x100 a channel */
#define NIC_BASE    0x0C020000
#define NIC_SIZE    0x1000
#define MMU500_BASE 0x0D000000 /* instance n at + n * MMU500_SIZE */
#define MMU500_SIZE 0x01000000

/* SPI numbers (INTID = 32 + n). */
#define SPI_PL011       1
#define SPI_SMMU_EVENTQ 74
#define SPI_SMMU_PRIQ   75
#define SPI_SMMU_SYNC   76
#define SPI_SMMU_GERROR 77
#define SPI_MMU500      80 /* instance n at + n */
#define SPI_DMAC        96 /* channel n at + n */
#define SPI_NIC         224

/* StreamIDs: those of the copy engine's channels count from 0 on. */
#define NIC_STREAM_ID 128

#endif

/* The C models as seen from C++. */
#ifndef DMASIM_MODEL_C_MODELS_H
#define DMASIM_MODEL_C_MODELS_H

extern "C" {
#include "cache/cache.h"
#include "cache/memory.h"
#include "common/config.h"
#include "common/core_bus.h"
#include "common/error_list.h"
#include "common/port.h"
#include "common/txn.h"
#include "common/units.h"
#include "cpu/cpu.h"
#include "cpu/elf_image.h"
#include "cpu/elf_lines.h"
#include "cpu/probe.h"
#include "dmac/nic.h"
#include "dmac/sg_engine.h"
#include "hazard/hazard.h"
#include "irq/gic.h"
#include "smmu/mmu500.h"
#include "smmu/smmu.h"
}

#endif

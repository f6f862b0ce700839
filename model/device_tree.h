/* The flattened device tree that `dmasim exec` hands to the program in X0, made with libfdt; nodes as QEMU's virt
 * machine names them. */
#ifndef DMASIM_MODEL_DEVICE_TREE_H
#define DMASIM_MODEL_DEVICE_TREE_H

#include <cstdint>
#include <vector>

std::vector<uint8_t> device_tree(unsigned cores, uint64_t ram_base, uint64_t ram_bytes);

#endif

/* The flattened device tree that `dmasim exec` hands to the program in X0, made with libfdt; nodes as QEMU's virt
 * machine names them. */
#ifndef DMASIM_MODEL_DEVICE_TREE_H
#define DMASIM_MODEL_DEVICE_TREE_H

#include <cstdint>
#include <string>
#include <vector>

/* mpidr: of each core; el: at which programs are entered, which decides PSCI's conduit;
 * arguments: /chosen's bootargs, where there are any. */
std::vector<uint8_t> device_tree(const std::vector<uint64_t> &mpidr, unsigned el, uint64_t ram_base, uint64_t ram_bytes,
                                 const std::string &arguments);

#endif

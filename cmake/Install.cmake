# What `cmake --install` gives: the command with its data, and the SMMUs for other SystemC programs (find_package(dmasim)).
include(CMakePackageConfigHelpers)
set(share ${CMAKE_INSTALL_DATADIR}/dmasim)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/dmasim)

install(TARGETS dmasim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY scenarios DESTINATION ${share} FILES_MATCHING PATTERN "*.yaml" PATTERN "*.md")
install(DIRECTORY ${CMAKE_BINARY_DIR}/guest DESTINATION ${share} FILES_MATCHING PATTERN "*.elf")
install(FILES ${CMAKE_BINARY_DIR}/template/report.html DESTINATION ${share}/template)
install(FILES ${CMAKE_BINARY_DIR}/dmasim.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES tools/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME dmasim)

# dmasim::smmu is model/smmu_module.h with what it needs; headers keep their folders.
set_target_properties(dmasim_smmu_module PROPERTIES EXPORT_NAME smmu)
install(TARGETS dmasim_smmu_module dmasim_smmu dmasim_common EXPORT dmasim_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dmasim)
foreach(folder common cpu cache smmu dmac irq hazard trace model)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dmasim
    FILES_MATCHING PATTERN "*.h" PATTERN "*_internal.h" EXCLUDE)
endforeach()
install(EXPORT dmasim_targets NAMESPACE dmasim:: DESTINATION ${package})
configure_package_config_file(cmake/dmasimConfig.cmake.in ${CMAKE_BINARY_DIR}/dmasimConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/dmasimConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/dmasimConfig.cmake ${CMAKE_BINARY_DIR}/dmasimConfigVersion.cmake cmake/SystemC.cmake DESTINATION ${package})

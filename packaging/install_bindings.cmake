# packaging/install_bindings.cmake -- Rust crates, Go and Python packages, as source, and samples.
#
# They are in the package of the headers: source of the same version, a few hundred kilobytes, without dependencies of
# its own; gpuopt-interop and Go's module gonum are for those who have what these need anyway. Not below share/doc with
# the samples, since systems may leave that out. `pkg-config --variable=bindingsdir gpuopt` tells where.
set(bindings_dir ${CMAKE_INSTALL_DATADIR}/gpuopt/bindings)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/bindings/ DESTINATION ${bindings_dir} COMPONENT dev
  FILES_MATCHING REGEX "\\.(rs|go|h|mod|sum|toml|lock|cpp|inc|pyi?|md|typed)$|/CMakeLists\\.txt$"
  REGEX "/(internal|tests|target)$|_test\\.go$|/rustfmt\\.toml$" EXCLUDE)

# In the source tree the samples name the bindings beside them; installed, those above. Relative, so that a prefix may
# be moved.
file(RELATIVE_PATH example_to_bindings ${CMAKE_INSTALL_FULL_DOCDIR}/examples/any
  ${CMAKE_INSTALL_FULL_DATADIR}/gpuopt/bindings)
foreach(manifest analyses_rust/Cargo.toml analyses_go/go.mod standardize_rust/Cargo.toml standardize_go/go.mod)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/samples/${manifest})
  file(READ ${PROJECT_SOURCE_DIR}/samples/${manifest} text)
  string(REPLACE ../../bindings ${example_to_bindings} text "${text}")
  file(CONFIGURE OUTPUT examples/${manifest} CONTENT "${text}" @ONLY)
  get_filename_component(sample ${manifest} DIRECTORY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/examples/${manifest} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/${sample}
    COMPONENT dev)
endforeach()

# packaging/install_tools.cmake -- what belongs to the programs: manual pages, completions.
install(FILES ${PROJECT_SOURCE_DIR}/packaging/man/gpuopt.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/completions/gpuopt.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME gpuopt COMPONENT tools)
# Where zsh itself looks; Debian's package has it elsewhere (packaging/debian/prepare.cmake).
install(FILES ${PROJECT_SOURCE_DIR}/packaging/completions/_gpuopt DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT tools)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/completions/gpuopt.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tools)
if(TARGET gpuopt_plugin_test)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/man/gpuopt-plugin-test.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT dev)
endif()

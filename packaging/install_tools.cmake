# packaging/install_tools.cmake -- what belongs to the programs: manual pages, completions.
set(companions ${PROJECT_SOURCE_DIR}/packaging)
# gpuopt_install_companions(<command> <component>)
function(gpuopt_install_companions command component)
  install(FILES ${companions}/man/${command}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
  install(FILES ${companions}/completions/${command}.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME ${command} COMPONENT ${component})
  # Where zsh itself looks; Debian's packages have it elsewhere (packaging/debian/prepare.cmake).
  install(FILES ${companions}/completions/_${command} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
    COMPONENT ${component})
  install(FILES ${companions}/completions/${command}.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    COMPONENT ${component})
endfunction()
gpuopt_install_companions(gpuopt tools)
if(TARGET gpuopt_aot)
  gpuopt_install_companions(gpuopt-aot tools)
endif()
if(TARGET gpuopt_run)
  gpuopt_install_companions(gpuopt-run tools)
endif()
if(TARGET gpuopt_plugin_test)
  gpuopt_install_companions(gpuopt-plugin-test dev)
endif()

# packaging/generator.cmake -- read by CPack before it makes packages of one kind: what is this kind's own.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own, the first line of its description
  set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian/prepare.cmake)
elseif(CPACK_GENERATOR STREQUAL "RPM")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/rpm/preamble.spec CPACK_RPM_SPEC_MORE_DEFINE)
  # Directories that belong to the distribution.
  set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/lib64/cmake /usr/lib64/pkgconfig /usr/share/bash-completion
    /usr/share/bash-completion/completions /usr/share/fish /usr/share/fish/vendor_completions.d /usr/share/zsh
    /usr/share/zsh/site-functions /usr/share/man /usr/share/man/man1)
elseif(CPACK_GENERATOR STREQUAL "NSIS")
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
  set(CPACK_MONOLITHIC_INSTALL ON)  # all of it: its components may have no hyphen in their names
  set(CPACK_NSIS_DEFINES "Target amd64-unicode")  # of 64 bits, as all that it installs
else()
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)  # all unpack into one folder, a prefix that may lie anywhere
  if(CPACK_GENERATOR STREQUAL "ZIP")
    set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)  # one archive is enough to try it
  endif()
endif()
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  list(REMOVE_ITEM CPACK_COMPONENTS_ALL python)
endif()

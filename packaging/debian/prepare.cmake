# packaging/debian/prepare.cmake -- run by CPack on the staged files before it makes .debs of them: what Debian's policy
# wants.
#
# Adds copyright and changelog to each package, compresses manual pages, makes the symbols file of libgpuopt1 (compared
# with packaging/debian/libgpuopt1.symbols), and finds with dpkg-shlibdeps what each package depends on.
cmake_policy(SET CMP0057 NEW)
set(here ${CMAKE_CURRENT_LIST_DIR})
set(stage ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
set(work ${CPACK_TOPLEVEL_DIRECTORY}/control)
set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

function(gpuopt_run)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${ARGN} WORKING_DIRECTORY ${work} RESULT_VARIABLE status
    OUTPUT_VARIABLE output ERROR_VARIABLE output_error)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}${output_error}")
  endif()
  set(gpuopt_output "${output}" PARENT_SCOPE)
endfunction()

function(gpuopt_compress)
  foreach(file ${ARGN})
    gpuopt_run(gzip -9nf ${file})
  endforeach()
endfunction()

# Files every package has.
file(REMOVE_RECURSE ${work} ${stage}/runtime/DEBIAN)
file(MAKE_DIRECTORY ${work}/debian)
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${stage}/${component}/usr)
  file(REMOVE ${root}/share/doc/gpuopt/LICENSE)  # the copyright file names it
  if(NOT EXISTS ${root}/share/doc/${package}/copyright)  # its own, where more than ours is in it
    configure_file(${here}/copyright ${root}/share/doc/${package}/copyright COPYONLY)
  endif()
  configure_file(${here}/changelog ${root}/share/doc/${package}/changelog.Debian COPYONLY)
  if(EXISTS ${here}/${package}.lintian-overrides)
    configure_file(${here}/${package}.lintian-overrides ${root}/share/lintian/overrides/${package} COPYONLY)
  endif()
  file(GLOB pages ${root}/share/man/*/*.[1-8])
  gpuopt_compress(${root}/share/doc/${package}/changelog.Debian ${pages})
endforeach()
file(REMOVE_RECURSE ${stage}/runtime/usr/share/doc/gpuopt)  # empty by now

# Debian's zsh looks for what packages bring in a place of its own.
foreach(component ${CPACK_COMPONENTS_ALL})
  set(zsh ${stage}/${component}/usr/share/zsh)
  if(EXISTS ${zsh}/site-functions)
    file(RENAME ${zsh}/site-functions ${zsh}/vendor-completions)
  endif()
endforeach()

# The symbols of the library, each with the version that brought it.
file(GLOB_RECURSE library ${stage}/runtime/usr/lib/libgpuopt.so.*.*)
file(MAKE_DIRECTORY ${stage}/runtime/DEBIAN)
file(WRITE ${work}/debian/control "Source: gpuopt\n\nPackage: libgpuopt1\nArchitecture: any\n")
set(symbols ${stage}/runtime/DEBIAN/symbols)
gpuopt_run(dpkg-gensymbols -c4 -plibgpuopt1 -v${version} -P${stage}/runtime -I${here}/libgpuopt1.symbols -O${symbols}
  -e${library})
file(WRITE ${stage}/runtime/DEBIAN/shlibs "libgpuopt 1 libgpuopt1 (>= ${CPACK_PACKAGE_VERSION})\n")

# What the binaries of each package need, added to what packages.cmake says.
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  file(GLOB_RECURSE files ${stage}/${component}/usr/bin/* ${stage}/${component}/usr/lib/*.so*)
  set(binaries "")
  foreach(file ${files})
    if(NOT IS_SYMLINK ${file})
      list(APPEND binaries ${file})
    endif()
  endforeach()
  if(binaries)
    gpuopt_run(dpkg-shlibdeps -O -S${stage}/runtime ${binaries})
    string(REGEX REPLACE "^shlibs:Depends=|\n$" "" needed "${gpuopt_output}")
    set(depends ${CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS})
    list(APPEND depends ${needed})
    list(JOIN depends ", " CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS)
  endif()
endforeach()

# Into the control archive. The library needs no script: the linker's cache is a trigger's work.
file(COPY ${stage}/runtime/DEBIAN/symbols ${stage}/runtime/DEBIAN/shlibs DESTINATION ${work})
file(REMOVE_RECURSE ${stage}/runtime/DEBIAN)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${work}/symbols ${work}/shlibs ${here}/triggers)

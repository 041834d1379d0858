# tests/fake_cuda/gpu_run.cmake -- SCRIPT, tests/gpu/run, goes through on a driver that is no GPU and says that it
# measured nothing.
execute_process(COMMAND ${SCRIPT} --plumbing ${BUILD} RESULT_VARIABLE status OUTPUT_VARIABLE printed
  ERROR_VARIABLE errors)
message("${printed}${errors}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "exit status ${status}")
endif()
foreach(line "This checks the script; it proves nothing about a GPU and measures nothing"
  "plumbing only: nothing was measured"
    "The script works; nothing was measured.")
  string(FIND "${printed}" "${line}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "it did not say: ${line}")
  endif()
endforeach()

# tests/left_out.cmake -- gpuopt_leave_out(<test> <reason>), for samples and tests.
# What cannot run on the system this is built for is left out with a reason; `./dev windows` and `./dev arm64` print the
# list.
set(GPUOPT_LEFT_OUT ${PROJECT_BINARY_DIR}/tests_left_out.txt)
file(WRITE ${GPUOPT_LEFT_OUT} "")
function(gpuopt_leave_out test reason)
  file(APPEND ${GPUOPT_LEFT_OUT} "left out: ${test}: ${reason}\n")
endfunction()

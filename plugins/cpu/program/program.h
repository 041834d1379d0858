// plugins/cpu/program/program.h -- runs a program: the entry point of the tile interpreter.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// Runs `program` to its end on the calling thread and, if it is large enough, on the thread pool. The results have the
// same bits for any number of threads and any instruction set level. Malformed programs are ERR_INTERNAL and unknown
// steps ERR_UNSUPPORTED. If memory runs out, the result is ERR_OUT_OF_MEMORY and nothing has been written. `host` may
// not be NULL. Callable from any thread whose floating-point control word is the default (FpuScope).
gpuopt_status run_program(const gpuopt_program &program, const gpuopt_host_api *host, gpuopt_error *error) noexcept;

// Does the same with the loops of instruction set level `level`, which this processor must support. For tests.
gpuopt_status run_program_at_level(const gpuopt_program &program, int level, const gpuopt_host_api *host,
                                   gpuopt_error *error) noexcept;

}  // namespace gpuopt::cpu

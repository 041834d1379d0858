// plugins/cpu/program/program.h -- runs a program: the tile interpreter's front door.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// Runs `program` to its end on the calling thread and, where it is worth it, the pool. The same bits for any number of
// threads and any instruction set level. Malformed programs are ERR_INTERNAL, unknown steps ERR_UNSUPPORTED; memory
// that cannot be had is ERR_OUT_OF_MEMORY, found out before anything is written. `host` may not be NULL. Callable from
// any thread, with the default floating-point control word set (FpuScope).
gpuopt_status run_program(const gpuopt_program &program, const gpuopt_host_api *host, gpuopt_error *error) noexcept;

// The same with the loops of an instruction set level this processor has, for tests.
gpuopt_status run_program_at_level(const gpuopt_program &program, int level, const gpuopt_host_api *host,
                                   gpuopt_error *error) noexcept;

}  // namespace gpuopt::cpu

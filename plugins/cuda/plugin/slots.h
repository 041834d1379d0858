// plugins/cuda/plugin/slots.h -- the slots of the plugin table this backend has, each a plain function of the slot's
// type.
//
// They may throw: plugin.cpp puts a barrier in front of each. A slot of plugin_slots.def without a line here does not
// compile.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <cstddef>
#include <type_traits>

namespace gpuopt::cuda::slots {

#define GPUOPT_CUDA_HAS(name) std::remove_pointer_t<decltype(gpuopt_plugin_api::name)> name;
#define GPUOPT_CUDA_LACKS(name) inline constexpr std::nullptr_t name = nullptr;

// probe.cpp
GPUOPT_CUDA_HAS(probe)

// device.cpp
GPUOPT_CUDA_HAS(device_open)
GPUOPT_CUDA_HAS(device_close)
GPUOPT_CUDA_HAS(device_info)
GPUOPT_CUDA_HAS(device_attribute)

// memory.cpp
GPUOPT_CUDA_HAS(memory_allocate)
GPUOPT_CUDA_HAS(memory_free)
GPUOPT_CUDA_HAS(memory_stats)
GPUOPT_CUDA_HAS(memory_set_limit)
GPUOPT_CUDA_HAS(memory_trim)

// staging.cpp
GPUOPT_CUDA_HAS(host_allocate)
GPUOPT_CUDA_HAS(host_free)

// stream.cpp
GPUOPT_CUDA_HAS(stream_create)
GPUOPT_CUDA_HAS(stream_destroy)
GPUOPT_CUDA_HAS(stream_synchronize)
GPUOPT_CUDA_HAS(event_create)
GPUOPT_CUDA_HAS(event_destroy)
GPUOPT_CUDA_HAS(event_record)
GPUOPT_CUDA_HAS(event_wait)
GPUOPT_CUDA_HAS(event_synchronize)
GPUOPT_CUDA_HAS(event_elapsed)
GPUOPT_CUDA_HAS(event_query)
GPUOPT_CUDA_HAS(stream_query)
GPUOPT_CUDA_HAS(stream_native)

// copy.cpp
GPUOPT_CUDA_HAS(copy_to_host)
GPUOPT_CUDA_HAS(copy_from_host)
GPUOPT_CUDA_HAS(copy_on_device)
GPUOPT_CUDA_HAS(copy_peer)

// program.cpp
GPUOPT_CUDA_HAS(program_run)

// Library operations
GPUOPT_CUDA_HAS(matmul)
GPUOPT_CUDA_HAS(linalg)
GPUOPT_CUDA_HAS(fft)
GPUOPT_CUDA_HAS(sort)
GPUOPT_CUDA_HAS(gather)
GPUOPT_CUDA_HAS(scatter)
GPUOPT_CUDA_HAS(random)
GPUOPT_CUDA_LACKS(elementwise_loop)

// user_kernel.cpp
GPUOPT_CUDA_HAS(kernel_compile)
GPUOPT_CUDA_HAS(kernel_release)
GPUOPT_CUDA_HAS(kernel_launch)
GPUOPT_CUDA_HAS(kernel_info)
GPUOPT_CUDA_HAS(kernel_variable)
GPUOPT_CUDA_LACKS(kernel_function)
GPUOPT_CUDA_HAS(bundle_build)
GPUOPT_CUDA_HAS(bundle_load)

// stream.cpp
GPUOPT_CUDA_HAS(device_synchronize)

#undef GPUOPT_CUDA_HAS
#undef GPUOPT_CUDA_LACKS

}  // namespace gpuopt::cuda::slots

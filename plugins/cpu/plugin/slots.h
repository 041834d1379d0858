// plugins/cpu/plugin/slots.h -- declares the slots of the plugin table that this backend has, each as a function of the
// slot's type, and names those that it lacks.
//
// The functions may throw, since plugin.cpp calls them through a barrier. A slot of plugin_slots.def that is missing
// here is an error of the compiler.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <cstddef>
#include <type_traits>

namespace gpuopt::cpu::slots {

#define GPUOPT_CPU_HAS(name) std::remove_pointer_t<decltype(gpuopt_plugin_api::name)> name;
#define GPUOPT_CPU_LACKS(name) inline constexpr std::nullptr_t name = nullptr;

// device.cpp
GPUOPT_CPU_HAS(probe)
GPUOPT_CPU_HAS(device_open)
GPUOPT_CPU_HAS(device_close)
GPUOPT_CPU_HAS(device_info)
GPUOPT_CPU_HAS(device_attribute)
GPUOPT_CPU_HAS(memory_allocate)
GPUOPT_CPU_HAS(memory_free)
GPUOPT_CPU_HAS(memory_stats)
GPUOPT_CPU_HAS(memory_set_limit)
GPUOPT_CPU_HAS(memory_trim)
GPUOPT_CPU_HAS(host_allocate)
GPUOPT_CPU_HAS(host_free)

// stream.cpp
GPUOPT_CPU_HAS(stream_create)
GPUOPT_CPU_HAS(stream_destroy)
GPUOPT_CPU_HAS(stream_synchronize)
GPUOPT_CPU_HAS(event_create)
GPUOPT_CPU_HAS(event_destroy)
GPUOPT_CPU_HAS(event_record)
GPUOPT_CPU_HAS(event_wait)
GPUOPT_CPU_HAS(event_synchronize)
GPUOPT_CPU_HAS(event_elapsed)
GPUOPT_CPU_HAS(event_query)
GPUOPT_CPU_HAS(stream_query)
GPUOPT_CPU_LACKS(stream_native)
GPUOPT_CPU_HAS(copy_to_host)
GPUOPT_CPU_HAS(copy_from_host)
GPUOPT_CPU_HAS(copy_on_device)
GPUOPT_CPU_HAS(copy_peer)

// operations.cpp
GPUOPT_CPU_HAS(program_run)
GPUOPT_CPU_HAS(matmul)
GPUOPT_CPU_HAS(linalg)
GPUOPT_CPU_HAS(fft)
GPUOPT_CPU_HAS(sort)
GPUOPT_CPU_HAS(gather)
GPUOPT_CPU_HAS(scatter)
GPUOPT_CPU_HAS(random)
GPUOPT_CPU_HAS(elementwise_loop)

// plugins/cpu/kernel/kernel.cpp
GPUOPT_CPU_HAS(kernel_compile)
GPUOPT_CPU_HAS(kernel_release)
GPUOPT_CPU_HAS(kernel_launch)
GPUOPT_CPU_HAS(kernel_info)
GPUOPT_CPU_HAS(kernel_variable)
GPUOPT_CPU_HAS(kernel_function)
GPUOPT_CPU_HAS(bundle_build)
GPUOPT_CPU_HAS(bundle_load)

// stream.cpp
GPUOPT_CPU_HAS(device_synchronize)

#undef GPUOPT_CPU_HAS
#undef GPUOPT_CPU_LACKS

}  // namespace gpuopt::cpu::slots

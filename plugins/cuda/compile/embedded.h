// plugins/cuda/compile/embedded.h -- the headers that kernels include, carried in the plugin as text.
#pragma once

#include <span>

namespace gpuopt::cuda {

// `name` is the path in the repository ("plugins/shared/casts.h"), as it stands between the quotes of an #include.
struct EmbeddedHeader {
  const char *name;
  const char *text;
};

// Returns every header of plugins/cuda/text and of plugins/shared, except those of its folders host and program, which
// are for the host. The texts are static.
std::span<const EmbeddedHeader> embedded_headers() noexcept;

// Returns the SHA-256 of all their names and texts, in hexadecimal. It is part of the key of a cached kernel.
const char *embedded_hash() noexcept;

}  // namespace gpuopt::cuda

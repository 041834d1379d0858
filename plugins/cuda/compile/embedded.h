// plugins/cuda/compile/embedded.h -- the headers that kernels include, carried in the plugin as text.
#pragma once

#include <span>

namespace gpuopt::cuda {

// `name` is the path in the repository ("plugins/shared/casts.h"), as it stands between the quotes of an #include.
struct EmbeddedHeader {
  const char *name;
  const char *text;
};

// Every header of plugins/shared (but not plugins/shared/host) and plugins/cuda/text. Static.
std::span<const EmbeddedHeader> embedded_headers() noexcept;

// SHA-256 of all their names and texts, in hexadecimal: what a cached kernel was compiled against.
const char *embedded_hash() noexcept;

}  // namespace gpuopt::cuda

// plugins/jit/compile/embedded.h -- the headers that kernels include, carried in the plugin as text.
#pragma once

#include <span>

namespace gpuopt::jit {

struct EmbeddedHeader {
  const char *name;
  const char *text;
};

// Every header of plugins/shared (but not plugins/shared/host) and plugins/jit/text. Static.
std::span<const EmbeddedHeader> embedded_headers() noexcept;

// The SHA-256 of all names and texts, in hexadecimal.
const char *embedded_hash() noexcept;

}  // namespace gpuopt::jit

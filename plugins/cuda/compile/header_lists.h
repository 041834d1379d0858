// plugins/cuda/compile/header_lists.h -- the headers that kernels include, as the compilers take them.
#pragma once

#include <vector>

namespace gpuopt::cuda {

// Names and texts of all embedded headers, and of those of plugins/shared/words/known_headers.h.
struct HeaderLists {
  std::vector<const char *> names, texts;
  HeaderLists();
};

// The lists, which are made once. Safe from any thread.
const HeaderLists &header_lists();

}  // namespace gpuopt::cuda

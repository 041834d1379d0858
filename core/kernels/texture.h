// core/kernels/texture.h -- texture and surface objects: which of them a launch uses.
#pragma once
#include <vector>

#include "core/array/array.h"

namespace gpuopt {

// What a kernel reads or writes through a texture or surface object.
struct TextureUse {
  ArrayRef array;
  ArrayRef layout;  // the object itself in the device's memory (plugins/shared/words/texture_layout.h)
  bool written = false;
};

// Appends the objects that are among `bytes` bytes, at multiples of 8, to `uses`.
void find_textures(const void *value, uint64_t bytes, std::vector<TextureUse> &uses);

}  // namespace gpuopt

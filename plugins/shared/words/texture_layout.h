// plugins/shared/words/texture_layout.h -- what a texture or surface object is: the address of one of these, in the
// memory of the device. The core writes it (core/kernels/texture.cpp), and the words of kernels read it (texture.h).
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_TEXTURE_LAYOUT_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_TEXTURE_LAYOUT_H_

#include "plugins/shared/prelude.h"

namespace gpo {
namespace words {

// How a coordinate or an index outside of an axis is understood (cudaTextureAddressMode).
enum AddressMode : i64 { kWrap = 0, kClamp = 1, kMirror = 2, kBorder = 3 };
// What the bits of a channel are (cudaChannelFormatKind).
enum ChannelKind : i64 { kSigned = 0, kUnsigned = 1, kFloat = 2 };

// Texels along x, y and z, in layers. Axes that there are not have the extent 1. A texel has 1, 2 or 4 channels of 1, 2
// or 4 bytes. Strides are in bytes.
struct Texture {
  i64 address;  // of channel 0 of texel (0, 0, 0) of layer 0
  i64 extent[3], layers;
  i64 stride[3], layer_stride, channel_stride;
  i64 channels, channel_bytes, kind;
  i64 mode[3];           // wrap and mirror for normalized coordinates only
  i64 linear;            // whether it is filtered; channels are read as float then
  i64 normalized;        // whether coordinates are fractions of the extents
  i64 normalized_float;  // whether integers of 1 and 2 bytes are read as float in [0, 1] or [-1, 1]
};

}  // namespace words
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_TEXTURE_LAYOUT_H_

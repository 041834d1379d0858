// plugins/shared/words/texture.h -- textures and surfaces (CUDA C++ Programming Guide, "Texture Functions", "Surface
// Functions" and "Texture Fetching")
//
// They are computed here by loads and stores, on GPUs too, so that every device gives the same bits. The guide leaves
// open how the weights of a linear filter are rounded to 8 bits after the point: here to nearest, ties to even. A
// weighted sum is rounded after each product and each addition, in the order of the guide's formulas. A coordinate that
// is NaN is 0. Objects are what texture_layout.h describes.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_TEXTURE_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_TEXTURE_H_

#include "plugins/shared/casts.h"
#include "plugins/shared/words/numbers/vectors.h"
#include "plugins/shared/words/texture_layout.h"
#include "plugins/shared/words/words.h"

#if defined(__CUDACC_RTC__)
#define GPO_TEXTURE_FN __device__ inline
#define GPO_TEXTURE_LONG static __device__ __noinline__
#else
#define GPO_TEXTURE_FN inline
#define GPO_TEXTURE_LONG inline
#endif

// NVIDIA's compiler may have these names built in, as functions that use the texture units.
#if defined(__CUDACC_RTC__) && !defined(GPO_WORDS_AS_TEXT)
#define tex1D gpo_tex1D
#define tex2D gpo_tex2D
#define tex3D gpo_tex3D
#define tex1DLod gpo_tex1DLod
#define tex2DLod gpo_tex2DLod
#define tex3DLod gpo_tex3DLod
#define tex1DGrad gpo_tex1DGrad
#define tex2DGrad gpo_tex2DGrad
#define tex3DGrad gpo_tex3DGrad
#define tex1DLayeredLod gpo_tex1DLayeredLod
#define tex2DLayeredLod gpo_tex2DLayeredLod
#define tex1Dfetch gpo_tex1Dfetch
#define tex1DLayered gpo_tex1DLayered
#define tex2DLayered gpo_tex2DLayered
#define tex2Dgather gpo_tex2Dgather
#define texCubemap gpo_texCubemap
#define texCubemapLod gpo_texCubemapLod
#define texCubemapGrad gpo_texCubemapGrad
#define texCubemapLayered gpo_texCubemapLayered
#define texCubemapLayeredLod gpo_texCubemapLayeredLod
#define surfCubemapread gpo_surfCubemapread
#define surfCubemapwrite gpo_surfCubemapwrite
#define surfCubemapLayeredread gpo_surfCubemapLayeredread
#define surfCubemapLayeredwrite gpo_surfCubemapLayeredwrite
#define surf1Dread gpo_surf1Dread
#define surf2Dread gpo_surf2Dread
#define surf3Dread gpo_surf3Dread
#define surf1DLayeredread gpo_surf1DLayeredread
#define surf2DLayeredread gpo_surf2DLayeredread
#define surf1Dwrite gpo_surf1Dwrite
#define surf2Dwrite gpo_surf2Dwrite
#define surf3Dwrite gpo_surf3Dwrite
#define surf1DLayeredwrite gpo_surf1DLayeredwrite
#define surf2DLayeredwrite gpo_surf2DLayeredwrite
#define cudaTextureObject_t gpo_cudaTextureObject_t
#define cudaExtent gpo_cudaExtent
#define cudaPos gpo_cudaPos
#define cudaPitchedPtr gpo_cudaPitchedPtr
#define cudaSurfaceObject_t gpo_cudaSurfaceObject_t
#define cudaSurfaceBoundaryMode gpo_cudaSurfaceBoundaryMode
#define cudaBoundaryModeZero gpo_cudaBoundaryModeZero
#define cudaBoundaryModeClamp gpo_cudaBoundaryModeClamp
#define cudaBoundaryModeTrap gpo_cudaBoundaryModeTrap
#define cudaTextureReadMode gpo_cudaTextureReadMode
#define cudaReadModeElementType gpo_cudaReadModeElementType
#define cudaReadModeNormalizedFloat gpo_cudaReadModeNormalizedFloat
#define cudaTextureFilterMode gpo_cudaTextureFilterMode
#define cudaFilterModePoint gpo_cudaFilterModePoint
#define cudaFilterModeLinear gpo_cudaFilterModeLinear
#define cudaTextureAddressMode gpo_cudaTextureAddressMode
#define cudaAddressModeWrap gpo_cudaAddressModeWrap
#define cudaAddressModeClamp gpo_cudaAddressModeClamp
#define cudaAddressModeMirror gpo_cudaAddressModeMirror
#define cudaAddressModeBorder gpo_cudaAddressModeBorder
#if __CUDACC_VER_MAJOR__ < 12
#define texture gpo_texture
#define surface gpo_surface
#endif
#endif

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
// Sizes, places and memory of rows, as arguments of kernels.
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPos {
  size_t x, y, z;
};
struct cudaPitchedPtr {
  void *ptr;
  size_t pitch, xsize, ysize;
};
GPO_WORD_FN cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
GPO_WORD_FN cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
// As CUDA's driver calls them.
typedef cudaTextureObject_t CUtexObject;
typedef cudaSurfaceObject_t CUsurfObject;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureAddressMode {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3
};

// Texture and surface references, as CUDA had them before version 12: variables of the kernel's text, to which the host
// writes the objects that they stand for (gpuopt_raw_kernel_set_global). How coordinates and texels are understood is
// the object's, whatever a reference says. A texture object read by cudaReadModeNormalizedFloat must be one that is.
#undef cudaTextureType1D
#undef cudaTextureType2D
#undef cudaTextureType3D
#undef cudaTextureType1DLayered
#undef cudaTextureType2DLayered
#undef cudaTextureTypeCubemap
#undef cudaTextureTypeCubemapLayered
#undef cudaSurfaceTypeCubemap
#undef cudaSurfaceTypeCubemapLayered
#undef cudaSurfaceType1D
#undef cudaSurfaceType2D
#undef cudaSurfaceType3D
#undef cudaSurfaceType1DLayered
#undef cudaSurfaceType2DLayered
enum {
  cudaTextureType1D = 1,
  cudaTextureType2D = 2,
  cudaTextureType3D = 3,
  cudaTextureType1DLayered = 0xf1,
  cudaTextureType2DLayered = 0xf2,
  cudaTextureTypeCubemap = 0x0c,
  cudaTextureTypeCubemapLayered = 0xfc,
  cudaSurfaceTypeCubemap = 0x0c,
  cudaSurfaceTypeCubemapLayered = 0xfc,
  cudaSurfaceType1D = 1,
  cudaSurfaceType2D = 2,
  cudaSurfaceType3D = 3,
  cudaSurfaceType1DLayered = 0xf1,
  cudaSurfaceType2DLayered = 0xf2
};
template <class T, int type = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture {
  cudaTextureObject_t object = 0;
  texture() = default;
  GPO_WORD_FN constexpr texture(int, cudaTextureFilterMode = cudaFilterModePoint,
                                cudaTextureAddressMode = cudaAddressModeClamp) {}
};
template <class T = void, int type = cudaSurfaceType1D>
struct surface {
  cudaSurfaceObject_t object = 0;
};

namespace gpo {
namespace words {

// ---- What is read ----

// The four channels of a texel as the texture unit gives them: 32 bits each, of integers extended by their sign.
struct Color {
  u32 bits[4];
};

// Returns a number of a channel's type T, by the lowest bits.
template <class T>
GPO_TEXTURE_FN T channel_as(u32 bits) {
  if constexpr (is_same<T, float>) {
    return from_bits(bits);
  } else {
    return T(bits);
  }
}

template <class T>
struct Texel;
#define GPO_TEXEL_OF(type)                                                                \
  template <>                                                                             \
  struct Texel<type> {                                                                    \
    GPO_TEXTURE_FN static type of(const Color &c) { return channel_as<type>(c.bits[0]); } \
  };
#define GPO_TEXELS(type, vector)                                                                     \
  template <>                                                                                        \
  struct Texel<vector##1> {                                                                          \
    GPO_TEXTURE_FN static vector##1 of(const Color &c) { return {channel_as<type>(c.bits[0])}; }     \
  };                                                                                                 \
  template <>                                                                                        \
  struct Texel<vector##2> {                                                                          \
    GPO_TEXTURE_FN static vector##2 of(const Color &c) {                                             \
      return {channel_as<type>(c.bits[0]), channel_as<type>(c.bits[1])};                             \
    }                                                                                                \
  };                                                                                                 \
  template <>                                                                                        \
  struct Texel<vector##4> {                                                                          \
    GPO_TEXTURE_FN static vector##4 of(const Color &c) {                                             \
      return {channel_as<type>(c.bits[0]), channel_as<type>(c.bits[1]), channel_as<type>(c.bits[2]), \
              channel_as<type>(c.bits[3])};                                                          \
    }                                                                                                \
  };
GPO_TEXEL_OF(char)
GPO_TEXEL_OF(signed char)
GPO_TEXEL_OF(unsigned char)
GPO_TEXEL_OF(short)
GPO_TEXEL_OF(unsigned short)
GPO_TEXEL_OF(int)
GPO_TEXEL_OF(unsigned)
GPO_TEXEL_OF(float)
GPO_TEXELS(signed char, char)
GPO_TEXELS(unsigned char, uchar)
GPO_TEXELS(short, short)
GPO_TEXELS(unsigned short, ushort)
GPO_TEXELS(int, int)
GPO_TEXELS(unsigned, uint)
GPO_TEXELS(float, float)
#undef GPO_TEXELS
#undef GPO_TEXEL_OF

// ---- One texel ----

GPO_TEXTURE_FN const Texture &texture_at(unsigned long long object) {
  return *reinterpret_cast<const Texture *>(object);
}

// Returns the channel as an integer of 32 bits, or the bits of a float.
GPO_TEXTURE_FN u32 stored_channel(const Texture &t, i64 address) {
  if (t.channel_bytes == 4) return *reinterpret_cast<const u32 *>(address);
  if (t.channel_bytes == 2) {
    const u16 bits = *reinterpret_cast<const u16 *>(address);
    if (t.kind == kFloat) return to_bits(to_float(float16{bits}));
    return t.kind == kSigned ? u32(i32(i16(bits))) : u32(bits);
  }
  const u8 bits = *reinterpret_cast<const u8 *>(address);
  return t.kind == kSigned ? u32(i32(i8(bits))) : u32(bits);
}

// As a float in [0, 1], or in [-1, 1], where the least integer is -1, as the one above it.
GPO_TEXTURE_FN float normalized_channel(const Texture &t, u32 bits) {
  if (t.kind == kUnsigned) return float(bits) / (t.channel_bytes == 1 ? 255.0f : 65535.0f);
  const float x = float(i32(bits)) / (t.channel_bytes == 1 ? 127.0f : 32767.0f);
  return x < -1.0f ? -1.0f : x;
}

// Returns the texel at the indices, each inside of its axis or -1, which is outside of a border: 0.
GPO_TEXTURE_FN Color texel_at(const Texture &t, i64 x, i64 y, i64 z, i64 layer) {
  Color color = {{0, 0, 0, 0}};
  if (x < 0 || y < 0 || z < 0) return color;
  i64 address = t.address + x * t.stride[0] + y * t.stride[1] + z * t.stride[2] + layer * t.layer_stride;
  for (int k = 0; k < 4 && k < t.channels; k++, address += t.channel_stride) {
    const u32 bits = stored_channel(t, address);
    color.bits[k] = t.normalized_float ? to_bits(normalized_channel(t, bits)) : bits;
  }
  return color;
}

// ---- Coordinates ----

GPO_TEXTURE_FN i64 limited(i64 index, i64 extent) { return index < 0 ? 0 : index < extent ? index : extent - 1; }

// Returns the index of a texel for one that may lie outside, by at most one extent where it wraps or is mirrored; -1
// outside of a border.
GPO_TEXTURE_FN i64 index_in(i64 index, i64 extent, i64 mode) {
  if (index >= 0 && index < extent) return index;
  if (mode == kBorder) return -1;
  if (mode == kWrap) index += index < 0 ? extent : -extent;
  if (mode == kMirror) index = index < 0 ? -1 - index : 2 * extent - 1 - index;
  return limited(index, extent);
}

// Returns a coordinate in texels, which is finite and fits an integer.
GPO_TEXTURE_FN float coordinate(const Texture &t, int axis, float x) {
  if (t.normalized) {
    const float whole = floor(x);
    if (t.mode[axis] == kWrap) x -= whole;
    if (t.mode[axis] == kMirror) {
      x -= whole;
      if (whole != 2.0f * floor(whole * 0.5f)) x = 1.0f - x;
    }
    x *= float(t.extent[axis]);
  }
  constexpr float most = 1099511627776.0f;  // 2^40
  return x != x ? 0.0f : x < -most ? -most : x > most ? most : x;
}

// The texels along an axis that a coordinate lies between, and their weights.
struct Between {
  i64 index[2];
  float weight[2];
};
GPO_TEXTURE_FN Between between(const Texture &t, int axis, float x) {
  const float from_middle = coordinate(t, axis, x) - 0.5f, below = floor(from_middle);
  const float weight = rint((from_middle - below) * 256.0f) * 0.00390625f;
  const i64 index = i64(below);
  return {{index_in(index, t.extent[axis], t.mode[axis]), index_in(index + 1, t.extent[axis], t.mode[axis])},
          {1.0f - weight, weight}};
}
GPO_TEXTURE_FN i64 nearest(const Texture &t, int axis, float x) {
  return index_in(i64(floor(coordinate(t, axis, x))), t.extent[axis], t.mode[axis]);
}

// ---- Textures ----

// Returns the texture at the first `axes` coordinates.
template <int axes>
GPO_TEXTURE_FN Color filtered(const Texture &t, float x, float y, float z, i64 layer) {
  const float at[3] = {x, y, z};
  Between sides[3] = {};
  for (int d = 0; d < axes; d++) sides[d] = between(t, d, at[d]);
  float sum[4] = {0, 0, 0, 0};
  for (int corner = 0; corner < 1 << axes; corner++) {
    const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
    float weight = sides[0].weight[i];
    if (axes > 1) weight *= sides[1].weight[j];
    if (axes > 2) weight *= sides[2].weight[k];
    const Color color = texel_at(t, sides[0].index[i], sides[1].index[j], sides[2].index[k], layer);
    for (int c = 0; c < 4; c++) {
      const float part = weight * from_bits(color.bits[c]);
      sum[c] = corner == 0 ? part : sum[c] + part;
    }
  }
  return {{to_bits(sum[0]), to_bits(sum[1]), to_bits(sum[2]), to_bits(sum[3])}};
}
template <int axes>
GPO_TEXTURE_LONG Color sampled(unsigned long long object, float x, float y, float z, int layer) {
  const Texture &t = texture_at(object);
  const i64 in = limited(layer, t.layers);
  if (t.linear) return filtered<axes>(t, x, y, z, in);
  const i64 j = axes > 1 ? nearest(t, 1, y) : 0, k = axes > 2 ? nearest(t, 2, z) : 0;
  return texel_at(t, nearest(t, 0, x), j, k, in);
}
GPO_TEXTURE_FN Color fetched(unsigned long long object, int x) {
  const Texture &t = texture_at(object);
  return texel_at(t, x < t.extent[0] ? x : -1, 0, 0, 0);
}
// One channel of the four texels that a linear filter would use, counter-clockwise from the one at the lower left.
GPO_TEXTURE_LONG Color gathered(unsigned long long object, float x, float y, int channel) {
  const Texture &t = texture_at(object);
  const Between across = between(t, 0, x), along = between(t, 1, y);
  Color color = {{0, 0, 0, 0}};
  for (int k = 0; k < 4; k++) {
    const Color one = texel_at(t, across.index[k == 1 || k == 2], along.index[k < 2], 0, 0);
    color.bits[k] = one.bits[channel & 3];
  }
  return color;
}

// ---- Cubemaps: layered textures, whose layers are the faces +x, -x, +y, -y, +z and -z of one cube or several ----

// A direction from the middle of a cube meets this face at s and t, which go from 0 to 1.
struct OnFace {
  int face;
  float s, t;
};
GPO_TEXTURE_FN float magnitude(float x) { return x < 0.0f ? -x : x; }
// The guide's table "Cubemap Fetch". It leaves open which face counts on an edge: here the first axis of the greatest.
GPO_TEXTURE_FN OnFace on_face(float x, float y, float z) {
  const float ax = magnitude(x), ay = magnitude(y), az = magnitude(z);
  const int axis = ax >= ay && ax >= az ? 0 : ay >= az ? 1 : 2;
  const float m = axis == 0 ? ax : axis == 1 ? ay : az;
  const bool back = (axis == 0 ? x : axis == 1 ? y : z) < 0.0f;
  const float s = axis == 0 ? (back ? z : -z) : axis == 2 && back ? -x : x;
  const float t = axis == 1 ? (back ? -z : z) : -y;
  return {2 * axis + back, (s / m + 1.0f) * 0.5f, (t / m + 1.0f) * 0.5f};
}
// Filters within a face. Its coordinates are fractions, and limited to it, whatever the object says.
GPO_TEXTURE_LONG Color cube_sampled(unsigned long long object, float x, float y, float z, int cube) {
  Texture t = texture_at(object);
  t.normalized = 1;
  t.mode[0] = t.mode[1] = kClamp;
  const OnFace at = on_face(x, y, z);
  const i64 cubes = t.layers / 6, face = limited(at.face + (cubes > 0 ? 6 * limited(cube, cubes) : 0), t.layers);
  if (t.linear) return filtered<2>(t, at.s, at.t, 0, face);
  return texel_at(t, nearest(t, 0, at.s), nearest(t, 1, at.t), 0, face);
}

// ---- Surfaces ----

GPO_TEXTURE_FN void surface_trap() {
#if defined(__CUDACC_RTC__) || defined(GPO_RAW_KERNEL)
  __trap();
#else
  __builtin_trap();
#endif
}
// Returns an index that may lie outside of its axis as the mode says; -1 if nothing is to be read or written.
GPO_TEXTURE_FN i64 surface_index(i64 index, i64 extent, cudaSurfaceBoundaryMode mode) {
  if (index >= 0 && index < extent) return index;
  if (mode == cudaBoundaryModeClamp) return limited(index, extent);
  if (mode == cudaBoundaryModeTrap) surface_trap();
  return -1;
}

// Some bytes of a row, from byte x on: a part of a channel, or one or several of them.
struct SurfaceBytes {
  const Texture &t;
  i64 count, x, row;  // `row` is the address of the row
  bool inside;

  GPO_TEXTURE_FN SurfaceBytes(unsigned long long object, i64 bytes, int x_, int y, int z, int layer,
                              cudaSurfaceBoundaryMode mode)
      : t(texture_at(object)), count(bytes), x(0), row(0), inside(false) {
    if (x_ % count != 0) surface_trap();
    const i64 unit = surface_index(x_ / count, t.extent[0] * t.channels * t.channel_bytes / count, mode);
    const i64 j = surface_index(y, t.extent[1], mode), k = surface_index(z, t.extent[2], mode);
    const i64 in = surface_index(layer, t.layers, mode);
    inside = unit >= 0 && j >= 0 && k >= 0 && in >= 0;
    x = unit * count;
    row = t.address + j * t.stride[1] + k * t.stride[2] + in * t.layer_stride;
  }
  GPO_TEXTURE_FN i64 step() const { return count < t.channel_bytes ? count : t.channel_bytes; }
  GPO_TEXTURE_FN i64 address(i64 byte) const {
    const i64 channel = (x + byte) / t.channel_bytes;
    return row + channel / t.channels * t.stride[0] + channel % t.channels * t.channel_stride +
           (x + byte) % t.channel_bytes;
  }
  // Copies them to memory of a thread, which gets zeros where they are outside; by units of the type U.
  template <class U>
  GPO_TEXTURE_FN void read(void *to) const {
    for (i64 k = 0; k < count; k += sizeof(U)) {
      const U unit = inside ? *reinterpret_cast<const U *>(address(k)) : U(0);
      memcpy(static_cast<char *>(to) + k, &unit, sizeof unit);
    }
  }
  template <class U>
  GPO_TEXTURE_FN void write(const void *from) const {
    for (i64 k = 0; inside && k < count; k += sizeof(U)) {
      U unit;
      memcpy(&unit, static_cast<const char *>(from) + k, sizeof unit);
      *reinterpret_cast<U *>(address(k)) = unit;
    }
  }
};
template <class T>
GPO_TEXTURE_FN T surface_read(unsigned long long object, int x, int y, int z, int layer, cudaSurfaceBoundaryMode mode) {
  static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "surfaces are read by 1, 2, 4, 8 or 16 bytes");
  T value;
  const SurfaceBytes bytes(object, sizeof(T), x, y, z, layer, mode);
  const i64 step = bytes.step();
  step == 4 ? bytes.read<u32>(&value) : step == 2 ? bytes.read<u16>(&value) : bytes.read<u8>(&value);
  return value;
}
template <class T>
GPO_TEXTURE_FN void surface_write(const T &value, unsigned long long object, int x, int y, int z, int layer,
                                  cudaSurfaceBoundaryMode mode) {
  static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0,
                "surfaces are written by 1, 2, 4, 8 or 16 bytes");
  const SurfaceBytes bytes(object, sizeof(T), x, y, z, layer, mode);
  const i64 step = bytes.step();
  step == 4 ? bytes.write<u32>(&value) : step == 2 ? bytes.write<u16>(&value) : bytes.write<u8>(&value);
}

// What a reference reads: its texels, or as many floats.
template <class T>
struct AsFloats {
  using type = float;
};
#define GPO_AS_FLOATS(vector)  \
  template <>                  \
  struct AsFloats<vector##1> { \
    using type = float1;       \
  };                           \
  template <>                  \
  struct AsFloats<vector##2> { \
    using type = float2;       \
  };                           \
  template <>                  \
  struct AsFloats<vector##4> { \
    using type = float4;       \
  };
GPO_AS_FLOATS(char)
GPO_AS_FLOATS(uchar)
GPO_AS_FLOATS(short)
GPO_AS_FLOATS(ushort)
#undef GPO_AS_FLOATS
template <class T, cudaTextureReadMode mode>
struct ReadBy {
  using type = T;
};
template <class T>
struct ReadBy<T, cudaReadModeNormalizedFloat> : AsFloats<T> {};
template <class T, cudaTextureReadMode mode>
using read_by = typename ReadBy<T, mode>::type;

}  // namespace words
}  // namespace gpo

// ---- The words: returned, written through a pointer, and of references. Parameters are given in parentheses. ----

#define GPO_AS_LIST(...) __VA_ARGS__
#define GPO_TEXTURE_WORD(name, parameters, value)                                                                     \
  template <class T>                                                                                                  \
  GPO_TEXTURE_FN T name(cudaTextureObject_t object, GPO_AS_LIST parameters) {                                         \
    return gpo::words::Texel<T>::of(value);                                                                           \
  }                                                                                                                   \
  template <class T>                                                                                                  \
  GPO_TEXTURE_FN void name(T *to, cudaTextureObject_t object, GPO_AS_LIST parameters) {                               \
    *to = gpo::words::Texel<T>::of(value);                                                                            \
  }                                                                                                                   \
  template <class T, int type, cudaTextureReadMode mode>                                                              \
  GPO_TEXTURE_FN gpo::words::read_by<T, mode> name(const texture<T, type, mode> &reference, GPO_AS_LIST parameters) { \
    const cudaTextureObject_t object = reference.object;                                                              \
    return gpo::words::Texel<gpo::words::read_by<T, mode>>::of(value);                                                \
  }
GPO_TEXTURE_WORD(tex1Dfetch, (int x), gpo::words::fetched(object, x))
GPO_TEXTURE_WORD(tex1D, (float x), gpo::words::sampled<1>(object, x, 0, 0, 0))
GPO_TEXTURE_WORD(tex2D, (float x, float y), gpo::words::sampled<2>(object, x, y, 0, 0))
GPO_TEXTURE_WORD(tex3D, (float x, float y, float z), gpo::words::sampled<3>(object, x, y, z, 0))
GPO_TEXTURE_WORD(tex1DLayered, (float x, int layer), gpo::words::sampled<1>(object, x, 0, 0, layer))
GPO_TEXTURE_WORD(tex2DLayered, (float x, float y, int layer), gpo::words::sampled<2>(object, x, y, 0, layer))
// There is one level of detail.
GPO_TEXTURE_WORD(tex1DLod, (float x, float), gpo::words::sampled<1>(object, x, 0, 0, 0))
GPO_TEXTURE_WORD(tex2DLod, (float x, float y, float), gpo::words::sampled<2>(object, x, y, 0, 0))
GPO_TEXTURE_WORD(tex3DLod, (float x, float y, float z, float), gpo::words::sampled<3>(object, x, y, z, 0))
GPO_TEXTURE_WORD(tex1DLayeredLod, (float x, int layer, float), gpo::words::sampled<1>(object, x, 0, 0, layer))
GPO_TEXTURE_WORD(tex2DLayeredLod, (float x, float y, int layer, float), gpo::words::sampled<2>(object, x, y, 0, layer))
GPO_TEXTURE_WORD(tex1DGrad, (float x, float, float), gpo::words::sampled<1>(object, x, 0, 0, 0))
GPO_TEXTURE_WORD(tex2DGrad, (float x, float y, float2, float2), gpo::words::sampled<2>(object, x, y, 0, 0))
GPO_TEXTURE_WORD(tex3DGrad, (float x, float y, float z, float4, float4), gpo::words::sampled<3>(object, x, y, z, 0))
GPO_TEXTURE_WORD(texCubemap, (float x, float y, float z), gpo::words::cube_sampled(object, x, y, z, 0))
GPO_TEXTURE_WORD(texCubemapLod, (float x, float y, float z, float), gpo::words::cube_sampled(object, x, y, z, 0))
GPO_TEXTURE_WORD(texCubemapGrad, (float x, float y, float z, float4, float4),
                 gpo::words::cube_sampled(object, x, y, z, 0))
GPO_TEXTURE_WORD(texCubemapLayered, (float x, float y, float z, int cube),
                 gpo::words::cube_sampled(object, x, y, z, cube))
GPO_TEXTURE_WORD(texCubemapLayeredLod, (float x, float y, float z, int cube, float),
                 gpo::words::cube_sampled(object, x, y, z, cube))
GPO_TEXTURE_WORD(tex2Dgather, (float x, float y, int channel = 0), gpo::words::gathered(object, x, y, channel))
#undef GPO_TEXTURE_WORD

#define GPO_SURFACE_WORD(name, parameters, arguments)                                                 \
  template <class T>                                                                                  \
  GPO_TEXTURE_FN T name##read(cudaSurfaceObject_t object, GPO_AS_LIST parameters,                     \
                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
    return gpo::words::surface_read<T>(object, GPO_AS_LIST arguments, mode);                          \
  }                                                                                                   \
  template <class T>                                                                                  \
  GPO_TEXTURE_FN void name##read(T *to, cudaSurfaceObject_t object, GPO_AS_LIST parameters,           \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {               \
    *to = gpo::words::surface_read<T>(object, GPO_AS_LIST arguments, mode);                           \
  }                                                                                                   \
  template <class T>                                                                                  \
  GPO_TEXTURE_FN void name##write(T value, cudaSurfaceObject_t object, GPO_AS_LIST parameters,        \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {              \
    gpo::words::surface_write(value, object, GPO_AS_LIST arguments, mode);                            \
  }                                                                                                   \
  template <class T, class S, int type>                                                               \
  GPO_TEXTURE_FN T name##read(const surface<S, type> &reference, GPO_AS_LIST parameters,              \
                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
    return gpo::words::surface_read<T>(reference.object, GPO_AS_LIST arguments, mode);                \
  }                                                                                                   \
  template <class T, class S, int type>                                                               \
  GPO_TEXTURE_FN void name##read(T *to, const surface<S, type> &reference, GPO_AS_LIST parameters,    \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {               \
    *to = gpo::words::surface_read<T>(reference.object, GPO_AS_LIST arguments, mode);                 \
  }                                                                                                   \
  template <class T, class S, int type>                                                               \
  GPO_TEXTURE_FN void name##write(T value, const surface<S, type> &reference, GPO_AS_LIST parameters, \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {              \
    gpo::words::surface_write(value, reference.object, GPO_AS_LIST arguments, mode);                  \
  }
GPO_SURFACE_WORD(surf1D, (int x), (x, 0, 0, 0))
GPO_SURFACE_WORD(surf2D, (int x, int y), (x, y, 0, 0))
GPO_SURFACE_WORD(surf3D, (int x, int y, int z), (x, y, z, 0))
GPO_SURFACE_WORD(surf1DLayered, (int x, int layer), (x, 0, 0, layer))
GPO_SURFACE_WORD(surf2DLayered, (int x, int y, int layer), (x, y, 0, layer))
GPO_SURFACE_WORD(surfCubemap, (int x, int y, int face), (x, y, 0, face))
GPO_SURFACE_WORD(surfCubemapLayered, (int x, int y, int face), (x, y, 0, face))
#undef GPO_SURFACE_WORD
#undef GPO_AS_LIST

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_TEXTURE_H_

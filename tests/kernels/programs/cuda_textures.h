// tests/kernels/programs/cuda_textures.h -- CUDA arrays, textures and surfaces of cuda_runtime.h. An array is memory of
// the host without gaps between its rows, of which runtime_textures.cpp makes texture objects by the public C ABI.
#pragma once

#include "tests/kernels/programs/cuda_runtime.h"

enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned,
  cudaChannelFormatKindUnsigned,
  cudaChannelFormatKindFloat,
  cudaChannelFormatKindNone
};
struct cudaChannelFormatDesc {
  int x, y, z, w;
  cudaChannelFormatKind f;
};
// The extent is as the program gave it: a height or depth of 0 is no axis.
struct cudaArray {
  char *memory;
  cudaChannelFormatDesc channels;
  cudaExtent extent;
  unsigned flags;
};
typedef cudaArray *cudaArray_t;
typedef const cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
enum {
  cudaArrayDefault = 0,
  cudaArrayLayered = 1,
  cudaArraySurfaceLoadStore = 2,
  cudaArrayCubemap = 4,
  cudaArrayTextureGather = 8
};
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum cudaResourceType {
  cudaResourceTypeArray,
  cudaResourceTypeMipmappedArray,
  cudaResourceTypeLinear,
  cudaResourceTypePitch2D
};
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      cudaMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void *devPtr;
      cudaChannelFormatDesc desc;
      size_t sizeInBytes;
    } linear;
    struct {
      void *devPtr;
      cudaChannelFormatDesc desc;
      size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
};
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceViewDesc;
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
struct textureReference {
  int normalized;
  cudaTextureFilterMode filterMode;
  cudaTextureAddressMode addressMode[3];
  cudaChannelFormatDesc channelDesc;
};

namespace shim {
cudaError_t make_texture(cudaTextureObject_t *made, const cudaResourceDesc &what, const cudaTextureDesc *how);
cudaError_t drop_texture(cudaTextureObject_t object);
cudaError_t bind(const textureReference *reference, cudaTextureReadMode mode, const cudaResourceDesc &what);
cudaError_t copy_rows(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t width, size_t height);
inline size_t texel_bytes(const cudaChannelFormatDesc &c) { return size_t(c.x + c.y + c.z + c.w) / 8; }
inline size_t pitch_of(const cudaArray *array) { return array->extent.width * texel_bytes(array->channels); }
inline size_t rows_of(const cudaArray *a) {
  return (a->extent.height ? a->extent.height : 1) * (a->extent.depth ? a->extent.depth : 1);
}

template <class T>
struct Channels;
template <class T, int count>
struct ChannelsOf {
  static cudaChannelFormatDesc of() {
    const int bits = int(sizeof(T)) * 8;
    const bool is_float = T(0.5) != T(0);
    const cudaChannelFormatKind kind = is_float       ? cudaChannelFormatKindFloat
                                       : T(-1) < T(0) ? cudaChannelFormatKindSigned
                                                      : cudaChannelFormatKindUnsigned;
    return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind};
  }
};
#define SHIM_CHANNELS(type, vector)                    \
  template <>                                          \
  struct Channels<type> : ChannelsOf<type, 1> {};      \
  template <>                                          \
  struct Channels<vector##1> : ChannelsOf<type, 1> {}; \
  template <>                                          \
  struct Channels<vector##2> : ChannelsOf<type, 2> {}; \
  template <>                                          \
  struct Channels<vector##4> : ChannelsOf<type, 4> {};
SHIM_CHANNELS(signed char, char)
SHIM_CHANNELS(unsigned char, uchar)
SHIM_CHANNELS(short, short)
SHIM_CHANNELS(unsigned short, ushort)
SHIM_CHANNELS(int, int)
SHIM_CHANNELS(unsigned, uint)
SHIM_CHANNELS(float, float)
#undef SHIM_CHANNELS
template <>
struct Channels<char> : ChannelsOf<char, 1> {};
}  // namespace shim

template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  return shim::Channels<T>::of();
}
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

// ---- Arrays ----

inline cudaError_t cudaMalloc3DArray(cudaArray_t *made, const cudaChannelFormatDesc *channels, cudaExtent extent,
                                     unsigned flags = 0) {
  *made = new cudaArray{nullptr, *channels, extent, flags};
  (*made)->memory = static_cast<char *>(shim::allocate(shim::pitch_of(*made) * shim::rows_of(*made)));
  return (*made)->memory ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaMallocArray(cudaArray_t *made, const cudaChannelFormatDesc *channels, size_t width,
                                   size_t height = 0, unsigned flags = 0) {
  return cudaMalloc3DArray(made, channels, {width, height, 0}, flags);
}
inline cudaError_t cudaFreeArray(cudaArray_t array) {
  if (array) free(array->memory);
  return delete array, cudaSuccess;
}
inline cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *channels, cudaArray_const_t array) {
  return *channels = array->channels, cudaSuccess;
}
inline cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *channels, cudaExtent *extent, unsigned *flags,
                                    cudaArray_t array) {
  if (channels) *channels = array->channels;
  if (extent) *extent = array->extent;
  if (flags) *flags = array->flags;
  return cudaSuccess;
}
// Positions and widths of these are in bytes. Without a pitch, as where there is one row, rows are one behind another.
inline cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                       size_t height, cudaMemcpyKind = cudaMemcpyDefault) {
  const size_t own = shim::pitch_of(to);
  return shim::copy_rows(to->memory + y * own + x, own, (const char *)from, pitch ? pitch : width, width, height);
}
inline cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                            size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind);
}
inline cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                         size_t width, size_t height, cudaMemcpyKind = cudaMemcpyDefault) {
  const size_t own = shim::pitch_of(from);
  return shim::copy_rows((char *)to, pitch, from->memory + y * own + x, own, width, height);
}
inline cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                                     cudaMemcpyKind = cudaMemcpyDefault) {
  return shim::copy_rows(to->memory + y * shim::pitch_of(to) + x, bytes, (const char *)from, bytes, bytes, 1);
}
inline cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                       cudaMemcpyKind = cudaMemcpyDefault) {
  return shim::copy_rows((char *)to, bytes, from->memory + y * shim::pitch_of(from) + x, bytes, bytes, 1);
}

namespace shim {
struct Side {
  char *memory;
  size_t pitch, slice;
};
inline Side side(const cudaArray *array, const cudaPos &at, const cudaPitchedPtr &pointer) {
  const size_t unit = array ? texel_bytes(array->channels) : 1;
  Side made{static_cast<char *>(pointer.ptr), pointer.pitch, pointer.pitch * pointer.ysize};
  if (array)
    made = {array->memory, pitch_of(array), pitch_of(array) * (array->extent.height ? array->extent.height : 1)};
  made.memory += at.z * made.slice + at.y * made.pitch + at.x * unit;
  return made;
}
}  // namespace shim
inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *all) {
  const shim::Side to = shim::side(all->dstArray, all->dstPos, all->dstPtr);
  const shim::Side from = shim::side(all->srcArray, all->srcPos, all->srcPtr);
  const cudaArray *const array = all->srcArray ? all->srcArray : all->dstArray;
  const size_t width = all->extent.width * (array ? shim::texel_bytes(array->channels) : 1);
  const size_t height = all->extent.height ? all->extent.height : 1, depth = all->extent.depth ? all->extent.depth : 1;
  for (size_t z = 0; z < depth; ++z) {
    shim::copy_rows(to.memory + z * to.slice, to.pitch, from.memory + z * from.slice, from.pitch, width, height);
  }
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *all, cudaStream_t = nullptr) { return cudaMemcpy3D(all); }

// ---- Objects ----

inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t *made, const cudaResourceDesc *what,
                                           const cudaTextureDesc *how, const cudaResourceViewDesc *) {
  return shim::make_texture(made, *what, how);
}
inline cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *made, const cudaResourceDesc *what) {
  return shim::make_texture(made, *what, nullptr);
}
inline cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) { return shim::drop_texture(object); }
inline cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return shim::drop_texture(object); }

// ---- References, which CUDA had before version 12 ----

enum {
  cudaTextureType1D = 1,
  cudaTextureType2D = 2,
  cudaTextureType3D = 3,
  cudaTextureType1DLayered = 0xf1,
  cudaTextureType2DLayered = 0xf2
};
// The attribute makes Clang register variables of the type by __cudaRegisterTexture.
template <class T, int type = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : textureReference {
  texture(int normalized_ = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
          cudaTextureAddressMode address = cudaAddressModeClamp)
      : textureReference{normalized_, filter, {address, address, address}, shim::Channels<T>::of()} {}
};
template <class T, int type, cudaTextureReadMode mode>
cudaError_t cudaBindTexture(size_t *offset, const texture<T, type, mode> &reference, const void *memory,
                            const cudaChannelFormatDesc &channels, size_t bytes = UINT_MAX) {
  cudaResourceDesc what = {cudaResourceTypeLinear, {}};
  what.res.linear = {const_cast<void *>(memory), channels, bytes};
  if (offset) *offset = 0;
  return shim::bind(&reference, mode, what);
}
template <class T, int type, cudaTextureReadMode mode>
cudaError_t cudaBindTexture(size_t *offset, const texture<T, type, mode> &reference, const void *memory,
                            size_t bytes = UINT_MAX) {
  return cudaBindTexture(offset, reference, memory, shim::Channels<T>::of(), bytes);
}
template <class T, int type, cudaTextureReadMode mode>
cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, type, mode> &reference, const void *memory,
                              const cudaChannelFormatDesc &channels, size_t width, size_t height, size_t pitch) {
  cudaResourceDesc what = {cudaResourceTypePitch2D, {}};
  what.res.pitch2D = {const_cast<void *>(memory), channels, width, height, pitch};
  if (offset) *offset = 0;
  return shim::bind(&reference, mode, what);
}
template <class T, int type, cudaTextureReadMode mode>
cudaError_t cudaBindTextureToArray(const texture<T, type, mode> &reference, cudaArray_const_t array,
                                   const cudaChannelFormatDesc & = {}) {
  cudaResourceDesc what = {cudaResourceTypeArray, {}};
  what.res.array.array = const_cast<cudaArray_t>(array);
  return shim::bind(&reference, mode, what);
}
template <class Reference>
cudaError_t cudaUnbindTexture(const Reference &) {
  return cudaSuccess;
}

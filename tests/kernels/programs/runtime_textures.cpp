// tests/kernels/programs/runtime_textures.cpp -- texture and surface objects of cuda_textures.h by the public C ABI.
#include <gpuopt/gpuopt.h>

#include <map>

#include "tests/kernels/programs/cuda_runtime.h"
#include "tests/kernels/programs/runtime.h"

namespace {

struct Texels {
  char *memory = nullptr;
  cudaChannelFormatDesc channels = {};
  std::vector<int64_t> shape, strides;
  bool layered = false;
};

// A resource of several axes, of which the last is the texels of a row.
Texels texels(const cudaResourceDesc &what) {
  Texels made;
  if (what.resType == cudaResourceTypeArray) {
    const cudaArray &array = *what.res.array.array;
    made.memory = array.memory, made.channels = array.channels;
    made.layered = array.flags & (cudaArrayLayered | cudaArrayCubemap);
    const int64_t pitch = int64_t(shim::pitch_of(&array)), height = int64_t(array.extent.height);
    if (array.extent.depth) made.shape.push_back(int64_t(array.extent.depth));
    if (array.extent.depth) made.strides.push_back(pitch * (height ? height : 1));
    if (height) made.shape.push_back(height), made.strides.push_back(pitch);
    made.shape.push_back(int64_t(array.extent.width));
  } else if (what.resType == cudaResourceTypePitch2D) {
    const auto &rows = what.res.pitch2D;
    made.memory = static_cast<char *>(rows.devPtr), made.channels = rows.desc;
    made.shape = {int64_t(rows.height), int64_t(rows.width)}, made.strides = {int64_t(rows.pitchInBytes)};
  } else if (what.resType == cudaResourceTypeLinear) {
    const auto &row = what.res.linear;
    made.memory = static_cast<char *>(row.devPtr), made.channels = row.desc;
    made.shape = {int64_t(row.sizeInBytes / shim::texel_bytes(row.desc))};
  } else {
    shim::give_up("cudaCreateTextureObject", "there are no mipmapped arrays");
  }
  made.strides.push_back(int64_t(shim::texel_bytes(made.channels)));
  return made;
}

gpuopt_dtype dtype_of(const cudaChannelFormatDesc &channels) {
  const bool is_signed = channels.f == cudaChannelFormatKindSigned;
  if (channels.f == cudaChannelFormatKindFloat) return channels.x == 16 ? GPUOPT_FLOAT16 : GPUOPT_FLOAT32;
  if (channels.x == 8) return is_signed ? GPUOPT_INT8 : GPUOPT_UINT8;
  if (channels.x == 16) return is_signed ? GPUOPT_INT16 : GPUOPT_UINT16;
  return is_signed ? GPUOPT_INT32 : GPUOPT_UINT32;
}

std::map<cudaTextureObject_t, gpuopt_texture> &textures() {
  static auto *const all = new std::map<cudaTextureObject_t, gpuopt_texture>;
  return *all;
}

gpuopt_array array_of(Texels all, int count) {
  if (count > 1) all.shape.push_back(count), all.strides.push_back(all.channels.x / 8);
  gpuopt_array made = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const auto keep = [](void *) {};
  shim::check(gpuopt_from_host(shim::device(), all.memory, dtype_of(all.channels), int32_t(all.shape.size()),
                               all.shape.data(), all.strides.data(), GPUOPT_COPY_NEVER, keep, nullptr, &made, &error),
              error, "gpuopt_from_host");
  return made;
}

}  // namespace

namespace shim {

cudaError_t make_texture(cudaTextureObject_t *made, const cudaResourceDesc &what, const cudaTextureDesc *how) {
  const Texels all = texels(what);
  gpuopt_texture_options options = GPUOPT_TEXTURE_OPTIONS_INIT;
  options.channels = 1 + (all.channels.y > 0) + (all.channels.z > 0) + (all.channels.w > 0);
  options.layered = all.layered, options.surface = how == nullptr;
  if (how) {
    options.address_x = how->addressMode[0], options.address_y = how->addressMode[1];
    options.address_z = how->addressMode[2], options.linear = how->filterMode == cudaFilterModeLinear;
    options.normalized_coordinates = how->normalizedCoords != 0;
    options.normalized_float = how->readMode == cudaReadModeNormalizedFloat && all.channels.f < 2;
  }
  const gpuopt_array array = array_of(all, options.channels);
  gpuopt_texture texture = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  check(gpuopt_texture_create(array, &options, &texture, &error), error, "gpuopt_texture_create");
  gpuopt_array_release(array);
  *made = gpuopt_texture_object(texture);
  textures()[*made] = texture;
  return cudaSuccess;
}

cudaError_t drop_texture(cudaTextureObject_t object) {
  const auto found = textures().find(object);
  if (found == textures().end()) return cudaErrorInvalidValue;
  gpuopt_texture_release(found->second);
  textures().erase(found);
  return cudaSuccess;
}

// The object of a reference that is bound again stays, as a kernel may be about to use it.
cudaError_t bind(const textureReference *reference, cudaTextureReadMode mode, const cudaResourceDesc &what) {
  cudaTextureDesc how = {};
  for (int k = 0; k < 3; ++k) how.addressMode[k] = reference->addressMode[k];
  how.filterMode = reference->filterMode, how.readMode = mode, how.normalizedCoords = reference->normalized;
  cudaResourceDesc whole = what;
  if (what.resType == cudaResourceTypeLinear && what.res.linear.sizeInBytes == UINT_MAX) {
    whole.res.linear.sizeInBytes = allocated_behind(what.res.linear.devPtr);
  }
  cudaTextureObject_t object = 0;
  make_texture(&object, whole, &how);
  return copy_variable(reference, nullptr, nullptr, &object, sizeof object, 0);
}

cudaError_t copy_rows(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t width, size_t height) {
  return submitted([=] {
    for (size_t y = 0; y < height; ++y) memmove(to + y * to_pitch, from + y * from_pitch, width);
    return cudaSuccess;
  });
}

}  // namespace shim

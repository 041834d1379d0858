// core/kernels/texture.cpp -- see texture.h. Texture objects are made here, by their C functions.
#include "core/kernels/texture.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

#include "core/base/error.h"
#include "core/engine/access.h"
#include "core/engine/engine.h"
#include "core/engine/transfer.h"
#include "plugins/shared/words/texture_layout.h"

struct gpuopt_texture_s : gpuopt::RefCounted<gpuopt_texture_s> {
  uint64_t object = 0;
  static void destroy(gpuopt_texture_s *texture);
};

namespace gpuopt {
namespace {

using gpo::words::Texture;

// All textures that there are, by their objects. Never destroyed, for other threads may outlive static objects.
struct Textures {
  std::mutex mutex;
  std::map<uint64_t, TextureUse> all;
  std::atomic<size_t> count{0};
};
Textures &textures() {
  static auto *const made = new Textures;
  return *made;
}

int64_t kind_of(gpuopt_dtype dtype) {
  const char kind = dtype_kind(dtype);
  return kind == 'f' ? gpo::words::kFloat : kind == 'i' ? gpo::words::kSigned : gpo::words::kUnsigned;
}

void check_dtype(gpuopt_dtype dtype) {
  const bool number = dtype_kind(dtype) == 'i' || dtype_kind(dtype) == 'u' || dtype_kind(dtype) == 'f';
  if (!number || dtype == GPUOPT_BFLOAT16 || dtype_size(dtype) > 4)
    fail(GPUOPT_ERR_TYPE, "texture_create: no texture has channels of %s", dtype_name(dtype));
}

void check_options(gpuopt_dtype dtype, const gpuopt_texture_options &options) {
  const int32_t channels = options.channels;
  if (channels < 0 || channels == 3 || channels > 4)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "texture_create: %d channels: texels have 1, 2 or 4", channels);
  for (const int32_t mode : {options.address_x, options.address_y, options.address_z})
    if (mode < GPUOPT_ADDRESS_WRAP || mode > GPUOPT_ADDRESS_BORDER)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "texture_create: %d is not an address mode", mode);
  if (options.surface) return;
  const bool integers = kind_of(dtype) != gpo::words::kFloat;
  if (options.normalized_float && (!integers || dtype_size(dtype) > 2))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "texture_create: normalized_float is for integers of 8 and 16 bits, not for %s",
         dtype_name(dtype));
  if (options.linear && integers && !options.normalized_float)
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "texture_create: a linear filter gives floats: it needs an array of floats, or normalized_float, not %s",
         dtype_name(dtype));
}

// Throws ERR_INVALID_ARGUMENT unless every channel lies at a multiple of its size, as loads on GPUs need.
void check_alignment(const gpuopt_array_s &x) {
  const int64_t mask = dtype_size(x.dtype) - 1;
  int64_t bits = static_cast<int64_t>(reinterpret_cast<uintptr_t>(address(x)));
  for (int d = 0; d < x.ndim; ++d)
    if (x.shape[d] > 1) bits |= x.strides[d];
  if (bits & mask)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "texture_create: the array's elements are not aligned to the size of %s",
         dtype_name(x.dtype));
}

// Returns the axes of an evaluated array as those of a texture. Throws ERR_SHAPE.
Texture axes_of(const gpuopt_array_s &x, const gpuopt_texture_options &options) {
  const int channels = std::max(options.channels, 1), first = options.layered ? 1 : 0;
  const int behind = channels > 1 ? 1 : 0, axes = x.ndim - first - behind;
  if (axes < 1 || axes > (first ? 2 : 3))
    fail(GPUOPT_ERR_SHAPE, "texture_create: an array of %d dimensions has %d axes of texels, but textures have 1 to %d",
         x.ndim, axes, first ? 2 : 3);
  if (behind && x.shape[x.ndim - 1] != channels)
    fail(GPUOPT_ERR_SHAPE, "texture_create: the last axis of shape %s is not of %d channels",
         shape_text(x.ndim, x.shape).c_str(), channels);
  if (x.size == 0)
    fail(GPUOPT_ERR_SHAPE, "texture_create: an array of shape %s has no texels", shape_text(x.ndim, x.shape).c_str());
  Texture t{};
  std::fill_n(t.extent, 3, 1);
  for (int d = 0; d < axes; ++d) {
    t.extent[d] = x.shape[first + axes - 1 - d];
    t.stride[d] = x.strides[first + axes - 1 - d];
  }
  t.layers = first ? x.shape[0] : 1;
  t.layer_stride = first ? x.strides[0] : 0;
  t.channels = channels;
  t.channel_stride = behind ? x.strides[x.ndim - 1] : 0;
  return t;
}

Texture layout_of(const gpuopt_array_s &x, const gpuopt_texture_options &options) {
  Texture t = axes_of(x, options);
  check_alignment(x);
  t.address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(address(x)));
  t.channel_bytes = dtype_size(x.dtype);
  t.kind = kind_of(x.dtype);
  const int32_t modes[] = {options.address_x, options.address_y, options.address_z};
  for (int d = 0; d < 3; ++d) {
    const bool normalized_only = modes[d] == GPUOPT_ADDRESS_WRAP || modes[d] == GPUOPT_ADDRESS_MIRROR;
    t.mode[d] = normalized_only && !options.normalized_coordinates ? GPUOPT_ADDRESS_CLAMP : modes[d];
  }
  t.linear = options.linear != 0;
  t.normalized = options.normalized_coordinates != 0;
  t.normalized_float = options.normalized_float != 0;
  return t;
}

// Evaluates x, whose memory then stays where it is: what is recorded for it later is submitted at once, as after an
// export by DLPack, so that kernels which know nothing but the object find it done.
void settle_memory(gpuopt_array x) {
  check_usable(*x->device(), "texture_create");
  evaluate(x);
  Access access(x->device(), {}, x);
  access.prepare_write();
  x->storage->exported = true;
}

ArrayRef upload(gpuopt_stream stream, const Texture &layout) {
  static_assert(sizeof(Texture) % sizeof(int64_t) == 0);
  const int64_t words = sizeof(Texture) / sizeof(int64_t);
  ArrayRef memory = make_array(stream, GPUOPT_INT64, 1, &words);
  copy_from_host(memory.get(), &layout);
  return memory;
}

gpuopt_texture create(gpuopt_array x, const gpuopt_texture_options &options) {
  const gpuopt_array_s &array = deref_strong(x, "texture_create");
  check_dtype(array.dtype);
  check_options(array.dtype, options);
  if (options.surface && array.read_only)
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "texture_create: assignment destination is read-only: no surface can be made of it");
  axes_of(array, options);  // before anything is evaluated
  settle_memory(x);
  TextureUse use{ArrayRef::share(x), upload(array.stream.get(), layout_of(array, options)), options.surface != 0};
  auto made = Ref<gpuopt_texture_s>::adopt(new gpuopt_texture_s);
  const auto object = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(address(*use.layout)));
  {
    const std::lock_guard lock(textures().mutex);
    textures().all.emplace(object, std::move(use));
    textures().count = textures().all.size();
  }
  made->object = object;
  return made.leave();
}

}  // namespace

void find_textures(const void *value, uint64_t bytes, std::vector<TextureUse> &uses) {
  if (textures().count.load(std::memory_order_acquire) == 0 || !value) return;
  const std::lock_guard lock(textures().mutex);
  for (uint64_t at = 0; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
    uint64_t object = 0;
    std::memcpy(&object, static_cast<const char *>(value) + at, sizeof object);
    const auto found = textures().all.find(object);
    if (found != textures().all.end()) uses.push_back(found->second);
  }
}

}  // namespace gpuopt

using namespace gpuopt;

// The arrays are released after the lock: that may take other locks.
void gpuopt_texture_s::destroy(gpuopt_texture_s *texture) {
  std::map<uint64_t, TextureUse>::node_type use;
  {
    const std::lock_guard lock(textures().mutex);
    use = textures().all.extract(texture->object);
    textures().count = textures().all.size();
  }
  delete texture;
}

extern "C" {

gpuopt_status gpuopt_texture_create(gpuopt_array array, const gpuopt_texture_options *options, gpuopt_texture *texture,
                                    gpuopt_error *error) {
  if (texture) *texture = nullptr;
  return guarded(error, [&] {
    if (!texture) fail(GPUOPT_ERR_INVALID_ARGUMENT, "texture_create: the texture pointer is NULL");
    *texture = create(array, options_or_default(options, "gpuopt_texture_options"));
  });
}

uint64_t gpuopt_texture_object(gpuopt_texture texture) { return texture ? texture->object : 0; }

gpuopt_texture gpuopt_texture_retain(gpuopt_texture texture) {
  if (texture) texture->retain();
  return texture;
}

void gpuopt_texture_release(gpuopt_texture texture) {
  if (texture) texture->release();
}

}  // extern "C"

// abi/gpuopt/hpp/texture.hpp -- part of gpuopt.hpp: textures and surfaces for raw kernels.
#ifndef GPUOPT_HPP_TEXTURE_HPP
#define GPUOPT_HPP_TEXTURE_HPP

#include "array.hpp"

namespace gpuopt {
inline namespace v1 {

// What happens outside of an axis (GPUOPT_ADDRESS_*). Wrap and mirror are for normalized coordinates, else clamp.
enum class address_mode : int32_t {
  wrap = GPUOPT_ADDRESS_WRAP,
  clamp = GPUOPT_ADDRESS_CLAMP,
  mirror = GPUOPT_ADDRESS_MIRROR,
  border = GPUOPT_ADDRESS_BORDER
};

// How a kernel reads a texture; see gpuopt_texture_options.
//
//   gp::texture_options().linear().normalized().address(gp::address_mode::mirror)
class texture_options {
 public:
  // Points, coordinates of texels, clamped.
  texture_options() { address(address_mode::clamp); }
  // Texels of 2 or 4 numbers, along the last axis.
  texture_options &channels(int32_t count) { return set(raw_.channels, count); }
  // The first axis is that of layers.
  texture_options &layered(bool on = true) { return set(raw_.layered, on); }
  // The address mode of all axes.
  texture_options &address(address_mode xyz) { return address(xyz, xyz, xyz); }
  // The modes of x, which is the last axis of texels, of y and of z.
  texture_options &address(address_mode x, address_mode y, address_mode z = address_mode::clamp) {
    raw_.address_x = static_cast<int32_t>(x);
    raw_.address_y = static_cast<int32_t>(y);
    raw_.address_z = static_cast<int32_t>(z);
    return *this;
  }
  // Values between texels.
  texture_options &linear(bool on = true) { return set(raw_.linear, on); }
  // Coordinates from 0 to 1.
  texture_options &normalized(bool on = true) { return set(raw_.normalized_coordinates, on); }
  // Integers of 8 and 16 bits read as float, in [0, 1] or [-1, 1].
  texture_options &normalized_float(bool on = true) { return set(raw_.normalized_float, on); }
  // The struct of the C interface.
  const gpuopt_texture_options &get() const { return raw_; }

 private:
  texture_options &set(int32_t &member, int32_t value) {
    member = value;
    return *this;
  }
  gpuopt_texture_options raw_ = GPUOPT_TEXTURE_OPTIONS_INIT;
};

namespace detail {
struct texture_traits {
  using raw = gpuopt_texture;
  static void retain(raw h) { gpuopt_texture_retain(h); }
  static void release(raw h) { gpuopt_texture_release(h); }
};

// What textures and surfaces have in common. A copy is another reference to the same object.
class texture_object : public shared<texture_traits> {
 public:
  // The value of a cudaTextureObject_t or cudaSurfaceObject_t; valid as long as a copy of this lives.
  uint64_t object() const { return object_; }
  // Where that value is, for launches.
  const uint64_t &value() const { return object_; }

 protected:
  texture_object(const array &x, const gpuopt_texture_options &options) : shared(create(x, options)) {
    object_ = gpuopt_texture_object(get());
  }

 private:
  static handle_type create(const array &x, const gpuopt_texture_options &options) {
    raw_type made = nullptr;
    call(gpuopt_texture_create, x.get(), &options, &made);
    return handle_type(made);
  }
  uint64_t object_ = 0;
};
}  // namespace detail

// An array as kernels read it by tex2D() and its like (gpuopt_texture_create). A raw_kernel takes it for a parameter of
// the type cudaTextureObject_t:
//
//   gp::texture image(x, gp::texture_options().linear());
//   kernel(grid, block, image, y);
//
// It shares the array's elements and keeps them alive.
class texture : public detail::texture_object {
 public:
  // Errors are those of gpuopt_texture_create.
  explicit texture(const array &x, const texture_options &options = {}) : texture_object(x, options.get()) {}
};

// An array as kernels read and write it by surf2Dread(), surf2Dwrite() and their like, as a cudaSurfaceObject_t.
class surface : public detail::texture_object {
 public:
  // Texels have so many channels, along the last axis; `layered`: the first axis is that of layers.
  explicit surface(const array &x, int32_t channels = 1, bool layered = false)
      : texture_object(x, options_of(channels, layered)) {}

 private:
  static gpuopt_texture_options options_of(int32_t channels, bool layered) {
    gpuopt_texture_options options = GPUOPT_TEXTURE_OPTIONS_INIT;
    options.channels = channels;
    options.layered = layered;
    options.surface = 1;
    return options;
  }
};

}  // namespace v1
}  // namespace gpuopt
#endif

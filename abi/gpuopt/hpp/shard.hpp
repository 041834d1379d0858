// abi/gpuopt/hpp/shard.hpp -- part of gpuopt.hpp: arrays that are cut along axis 0 over the ranks of a group.
#ifndef GPUOPT_HPP_SHARD_HPP
#define GPUOPT_HPP_SHARD_HPP

#include "comm.hpp"
#include "random.hpp"

namespace gpuopt {
inline namespace v1 {

// An array of which each rank of a group has some rows, its part. A counted reference; shards never change. What is
// computed for each row by itself is computed on the parts: x.with(2.0 * x.part()). Functions are collective, unless
// they say otherwise: every rank calls the same ones in the same order. No result depends on the number of ranks, or on
// where the array is cut. See gpuopt_shard.h.
class shard : public detail::shared<detail::shard_traits> {
 public:
  // No shard.
  shard() noexcept = default;
  // A shard of gpuopt.h, whose reference this object takes over.
  explicit shard(handle_type owned) noexcept : shared(std::move(owned)) {}

  // The ranks' arrays, one behind the other.
  static shard from_parts(const comm &c, const array &x) {
    return detail::make<shard>(gpuopt_shard_from_parts, c.get(), x.get());
  }
  // The same along any axis.
  static shard from_parts(const comm &c, const array &x, int64_t axis) {
    return detail::make<shard>(gpuopt_shard_from_parts_along, c.get(), x.get(), axis);
  }
  // The root's array, cut; on the others x may be empty.
  static shard from_array(const comm &c, const array &x, int root = 0) {
    return detail::make<shard>(gpuopt_shard_from_array, c.get(), x.get(), int32_t{root});
  }
  // An array that every rank has as a whole, cut: parts are views.
  static shard from_whole(const comm &c, const array &x) {
    return detail::make<shard>(gpuopt_shard_from_whole, c.get(), x.get());
  }
  // Each rank's part of the generator's one stream: numbers of a distribution, whose parameters are numbers, or arrays
  // that broadcast to the sizes behind axis 0. Not collective.
  template <class... X>
  static shard draw(const comm &c, const generator &g, gpuopt_distribution which, const dims &shape, const X &...x) {
    if constexpr (sizeof...(X) == 0) {
      return drawn(c, g, which, 0, nullptr, shape);
    } else {
      const detail::gathered in(operand{x}...);
      return drawn(c, g, which, int32_t{sizeof...(X)}, in.data(), shape);
    }
  }
  // The array of a .npy file, of which each rank reads its own rows, to the group's device or another one.
  static shard load_npy(const comm &c, const std::string &path) {
    return detail::make<shard>(gpuopt_shard_load_npy, c.get(), gpuopt_device{nullptr}, path.c_str());
  }
  static shard load_npy(const comm &c, const std::string &path, const device &where) {
    return detail::make<shard>(gpuopt_shard_load_npy, c.get(), where.get(), path.c_str());
  }
  // Writes a .npy file, of which each rank writes its own rows. Its bytes do not depend on the axis of the cut.
  void save_npy(const std::string &path) const { detail::call(gpuopt_shard_save_npy, get(), path.c_str()); }

  // A shard that is cut as this one, with another array for its part. Not collective.
  shard with(const array &x) const { return detail::make<shard>(gpuopt_shard_with, get(), x.get()); }
  // This rank's rows. Not collective.
  array part() const { return detail::make<array>(gpuopt_shard_part, get()); }
  // The ranks. Not collective.
  comm group() const { return detail::make<comm>(gpuopt_shard_comm, get()); }
  // The number of rows of the whole array. Not collective.
  int64_t rows() const noexcept { return gpuopt_shard_rows(get()); }
  // The axis along which the array is cut: 0, but after along() and from_parts() with an axis. Not collective.
  int axis() const noexcept { return gpuopt_shard_axis(get()); }
  // This rank's first row. Not collective.
  int64_t begin() const { return bounds()[static_cast<size_t>(group().rank())]; }
  // The row behind this rank's last one. Not collective.
  int64_t end() const { return bounds()[static_cast<size_t>(group().rank()) + 1]; }
  // Where the array is cut: rank r has the rows from bounds()[r] to bounds()[r + 1]. Not collective.
  std::vector<int64_t> bounds() const {
    const int64_t *const first = gpuopt_shard_bounds(get());
    return first ? std::vector<int64_t>(first, first + group().size() + 1) : std::vector<int64_t>{};
  }

  // The whole array reduced over axes, axis 0 among them, on every rank, with the bits of the function for arrays.
  array reduce(gpuopt_reduction reduction, const axes &over = {}) const {
    const gpuopt_reduce_options options = over.raw();
    return detail::make<array>(gpuopt_shard_reduce, get(), reduction, &options);
  }
  array sum(const axes &over = {}) const { return reduce(GPUOPT_REDUCTION_sum, over); }
  array prod(const axes &over = {}) const { return reduce(GPUOPT_REDUCTION_prod, over); }
  array min(const axes &over = {}) const { return reduce(GPUOPT_REDUCTION_min, over); }
  array max(const axes &over = {}) const { return reduce(GPUOPT_REDUCTION_max, over); }
  array any(const axes &over = {}) const { return reduce(GPUOPT_REDUCTION_any, over); }
  array all(const axes &over = {}) const { return reduce(GPUOPT_REDUCTION_all, over); }

  // The rows times a matrix or vector that every rank has. Not collective, unless the array is cut along axis 1: then
  // it is cut along axis 0 first, as the result is.
  shard matmul(const array &b) const { return detail::make<shard>(gpuopt_shard_matmul, get(), b.get()); }
  // This matrix, transposed, times another shard that is cut as this one, or along the other axis, on every rank.
  array crossprod(const shard &b) const { return detail::make<array>(gpuopt_shard_crossprod, get(), b.get()); }
  // Sorted in ascending order, stable; and where each element was.
  shard sort() const {
    gpuopt_shard raw = nullptr;
    detail::call(gpuopt_shard_sort, get(), &raw, nullptr);
    return shard(handle_type(raw));
  }
  std::pair<shard, shard> sort_with_positions() const {
    gpuopt_shard values = nullptr, positions = nullptr;
    detail::call(gpuopt_shard_sort, get(), &values, &positions);
    return {shard(handle_type(values)), shard(handle_type(positions))};
  }
  // The whole array on one rank (empty on the others), or on every rank.
  array gather(int root) const { return detail::make<array>(gpuopt_shard_gather, get(), int32_t{root}); }
  array all_gather() const { return gather(-1); }
  // This rank's rows between the `before` rows before them and the `after` rows behind them.
  array halo(int64_t before, int64_t after, bool periodic = false) const {
    return detail::make<array>(gpuopt_shard_halo, get(), before, after, int32_t{periodic});
  }
  // The same array, cut at other places: size + 1 numbers, or where the library cuts.
  shard recut(const std::vector<int64_t> &bounds) const {
    if (bounds.size() != static_cast<size_t>(group().size()) + 1)
      detail::raise(GPUOPT_ERR_INVALID_ARGUMENT, "shard_recut: there is not one boundary more than ranks");
    return detail::make<shard>(gpuopt_shard_recut, get(), bounds.data());
  }
  shard recut() const { return detail::make<shard>(gpuopt_shard_recut, get(), static_cast<const int64_t *>(nullptr)); }
  // The same array, cut along another axis: each rank sends each other one a block.
  shard along(int64_t axis) const { return detail::make<shard>(gpuopt_shard_along, get(), axis); }

 private:
  static shard drawn(const comm &c, const generator &g, gpuopt_distribution which, int32_t count,
                     const gpuopt_array *parameters, const dims &shape) {
    return detail::make<shard>(gpuopt_shard_draw, c.get(), g.get(), which, count, parameters, raw(default_dtype),
                               int32_t{shape.size()}, shape.data());
  }
};

}  // namespace v1
}  // namespace gpuopt
#endif

// tests/fuzz/programs/verbs_join.cpp -- the verbs that join, split and rearrange arrays. Of a call with several results
// a statement keeps one, which its word WHICH numbers.
#include <gpuopt/gpuopt.h>

#include "tests/fuzz/programs/session.h"

namespace fuzz {
namespace {

gpuopt_array *out(Call &c) { return &c.outcome.result; }
int32_t length(const std::vector<int64_t> &list) { return static_cast<int32_t>(list.size()); }
int32_t narrow(int64_t number) { return static_cast<int32_t>(number); }

// An axis, or none: "-".
class Axis {
 public:
  Axis(Call &c, size_t i) : absent_(c.absent(i)), number_(absent_ ? 0 : c.integer(i)) {}
  operator const int64_t *() const { return absent_ ? nullptr : &number_; }

 private:
  bool absent_;
  int64_t number_;
};

std::vector<gpuopt_array> arrays_from(Call &c, size_t first) {
  std::vector<gpuopt_array> arrays;
  for (size_t i = first; i < c.count(); ++i) arrays.push_back(c.array(i));
  return arrays;
}

// Makes a call that gives `count` results, keeps one of them, and releases the others.
template <class F>
gpuopt_status keep_one(Call &c, int64_t count, int64_t which, F call) {
  std::vector<gpuopt_array> results(static_cast<size_t>(count));
  const gpuopt_status status = call(results.data());
  for (int64_t i = 0; i < count; ++i) {
    gpuopt_array result = results[static_cast<size_t>(i)];
    i == which ? void(c.outcome.result = result) : gpuopt_array_release(result);
  }
  return status;
}

gpuopt_status concat(Call &c) {  // AXIS X...
  const auto arrays = arrays_from(c, 1);
  return gpuopt_concat(narrow(static_cast<int64_t>(arrays.size())), arrays.data(), Axis(c, 0), out(c), &c.error);
}
gpuopt_status stack(Call &c) {  // AXIS X...
  const auto arrays = arrays_from(c, 1);
  return gpuopt_stack(narrow(static_cast<int64_t>(arrays.size())), arrays.data(), c.integer(0), out(c), &c.error);
}
gpuopt_status append(Call &c) {  // X VALUES AXIS
  return gpuopt_append(c.array(0), c.array(1), Axis(c, 2), out(c), &c.error);
}
gpuopt_status broadcast_arrays(Call &c) {  // WHICH X...
  const auto x = arrays_from(c, 1);
  const auto count = static_cast<int64_t>(x.size());
  return keep_one(c, count, c.integer(0), [&](gpuopt_array *results) {
    return gpuopt_broadcast_arrays(narrow(count), x.data(), results, &c.error);
  });
}
gpuopt_status meshgrid(Call &c) {  // WHICH IJ X...
  const auto x = arrays_from(c, 2);
  const auto count = static_cast<int64_t>(x.size());
  return keep_one(c, count, c.integer(0), [&](gpuopt_array *results) {
    return gpuopt_meshgrid(narrow(count), x.data(), narrow(c.integer(1)), results, &c.error);
  });
}
gpuopt_status unstack(Call &c) {  // X AXIS COUNT WHICH
  const gpuopt_array x = c.array(0);
  return keep_one(c, c.integer(2), c.integer(3), [&](gpuopt_array *results) {
    return gpuopt_unstack(x, c.integer(1), narrow(c.integer(2)), results, &c.error);
  });
}
using Split = gpuopt_status (*)(gpuopt_array, int32_t, int64_t, gpuopt_array *, gpuopt_error *);
template <Split function>
gpuopt_status split(Call &c) {  // X SECTIONS AXIS WHICH
  const gpuopt_array x = c.array(0);
  return keep_one(c, c.integer(1), c.integer(3), [&](gpuopt_array *results) {
    return function(x, narrow(c.integer(1)), c.integer(2), results, &c.error);
  });
}
gpuopt_status split_at(Call &c) {  // X POSITIONS AXIS WHICH
  const gpuopt_array x = c.array(0);
  const auto positions = c.list(1);
  return keep_one(c, length(positions) + 1, c.integer(3), [&](gpuopt_array *results) {
    return gpuopt_split_at(x, length(positions), positions.data(), c.integer(2), results, &c.error);
  });
}

gpuopt_status roll(Call &c) {  // X SHIFTS AXES
  const auto shifts = c.list(1), axes = c.list(2);
  return gpuopt_roll(c.array(0), length(shifts), shifts.data(), axes.empty() ? nullptr : axes.data(), out(c), &c.error);
}
gpuopt_status repeat(Call &c) {  // X COUNT AXIS
  return gpuopt_repeat(c.array(0), c.integer(1), Axis(c, 2), out(c), &c.error);
}
using Indexed = gpuopt_status (*)(gpuopt_array, gpuopt_array, const int64_t *, gpuopt_array *, gpuopt_error *);
template <Indexed function>
gpuopt_status indexed(Call &c) {  // X INDICES AXIS
  return function(c.array(0), c.array(1), Axis(c, 2), out(c), &c.error);
}
gpuopt_status insert(Call &c) {  // X INDICES VALUES AXIS
  return gpuopt_insert(c.array(0), c.array(1), c.array(2), Axis(c, 3), out(c), &c.error);
}
gpuopt_status tile(Call &c) {  // X REPS
  const auto reps = c.list(1);
  return gpuopt_tile(c.array(0), length(reps), reps.data(), out(c), &c.error);
}
gpuopt_status pad(Call &c) {  // X WIDTHS MODE NUMBER
  const auto widths = c.list(1);
  return gpuopt_pad(c.array(0), widths.data(), gpuopt_pad_mode(c.integer(2)), c.scalar(3), out(c), &c.error);
}
gpuopt_status moveaxis(Call &c) {  // X SOURCE DESTINATION
  const auto source = c.list(1), destination = c.list(2);
  return gpuopt_moveaxis(c.array(0), length(source), source.data(), destination.data(), out(c), &c.error);
}
gpuopt_status swapaxes(Call &c) {  // X AXIS AXIS
  return gpuopt_swapaxes(c.array(0), c.integer(1), c.integer(2), out(c), &c.error);
}
gpuopt_status rot90(Call &c) {  // X K AXES
  const auto axes = c.list(2);
  return gpuopt_rot90(c.array(0), c.integer(1), axes.data(), out(c), &c.error);
}
gpuopt_status diagonal(Call &c) {  // X OFFSET AXIS AXIS
  return gpuopt_diagonal(c.array(0), c.integer(1), c.integer(2), c.integer(3), out(c), &c.error);
}
gpuopt_status diag(Call &c) { return gpuopt_diag(c.array(0), c.integer(1), out(c), &c.error); }  // X K
gpuopt_status ravel(Call &c) { return gpuopt_ravel(c.array(0), out(c), &c.error); }              // X
gpuopt_status atleast(Call &c) {                                                                 // X NDIM
  return gpuopt_atleast_nd(c.array(0), narrow(c.integer(1)), out(c), &c.error);
}
gpuopt_status expand_n(Call &c) {  // X AXES
  const auto axes = c.list(1);
  return gpuopt_expand_dims_n(c.array(0), length(axes), axes.data(), out(c), &c.error);
}

}  // namespace

const std::map<std::string, Verb> &join_verbs() {
  static const std::map<std::string, Verb> verbs = {
      {"concat", concat},
      {"stack", stack},
      {"append", append},
      {"broadcast_arrays", broadcast_arrays},
      {"meshgrid", meshgrid},
      {"unstack", unstack},
      {"split", split<gpuopt_split>},
      {"array_split", split<gpuopt_array_split>},
      {"split_at", split_at},
      {"roll", roll},
      {"repeat", repeat},
      {"repeat_each", indexed<gpuopt_repeat_each>},
      {"delete", indexed<gpuopt_delete>},
      {"insert", insert},
      {"tile", tile},
      {"pad", pad},
      {"moveaxis", moveaxis},
      {"swapaxes", swapaxes},
      {"rot90", rot90},
      {"diagonal", diagonal},
      {"diag", diag},
      {"ravel", ravel},
      {"atleast", atleast},
      {"expand_n", expand_n},
  };
  return verbs;
}

}  // namespace fuzz

// core/comm/staging.h -- arrays as bytes in host memory, on the way to and from other processes.
#pragma once
#include <memory>

#include "core/array/view.h"
#include "core/comm/world.h"

namespace gpuopt {

// Where elements are while they are sent or received: in the host's memory, or in that of the group's device.
enum class Where { kHost, kDevice };

// The elements of an array in C order, for sending: its own memory where that can be read, else a copy.
class Outgoing {
 public:
  Outgoing() = default;
  // Evaluates x.
  explicit Outgoing(gpuopt_array x, Where where = Where::kHost);
  // Copies the elements to the host's memory, where they stay from now on.
  void bring_to_host();
  const char *data() const { return data_; }
  gpuopt_array array() const { return x_.get(); }

 private:
  ArrayRef x_;
  std::unique_ptr<char[]> buffer_;
  const char *data_ = nullptr;
};

// A new C-contiguous array whose elements are received: into its own memory where the host can write that.
class Incoming {
 public:
  Incoming(gpuopt_stream stream, gpuopt_dtype dtype, std::span<const int64_t> shape, Where where = Where::kHost);
  char *data() { return data_; }
  // Copies bytes that are where its own are to data() + at.
  void copy(int64_t at, const char *from, int64_t bytes);
  // Returns the array, to which the elements have been copied.
  ArrayRef finish();

 private:
  ArrayRef x_;
  std::unique_ptr<char[]> buffer_;
  char *data_ = nullptr;
};

// Lets the ranks agree, as Call::agree(), and decides whether what they send stays in the memory of the group's
// devices: if the plugin moves that, and on every rank both its own array (NULL: none) and its result lie there.
Intents agree_where(Call &call, Intent &own, gpuopt_array x, gpuopt_array out);
bool can_stay(const Call &call, gpuopt_array x, gpuopt_array out);
inline Where place_of(const Call &call) { return call.moves_on_device() ? Where::kDevice : Where::kHost; }

// Where a call's result goes: to `out`, or to a new array on the device of x, or on the group's if both are NULL.
gpuopt_stream stream_for(const Call &call, gpuopt_array x, gpuopt_array out);
// Throws ERR_TYPE or ERR_SHAPE unless a result of this dtype and shape fits into `out`; NULL is allowed.
void check_out(const char *name, gpuopt_array out, gpuopt_dtype dtype, std::span<const int64_t> shape);
// Returns `made`, or `out`, unless that is NULL, after copying it there. Evaluates what it returns.
ArrayRef delivered(const char *name, ArrayRef made, gpuopt_array out);

// Writes dtype and shape of x into the intent.
void describe(Intent &intent, gpuopt_array x);
// "float64 of shape (3, 4)".
std::string described(const Intent &intent);

// The boundaries of the parts of n rows, one for each rank: numpy.array_split.
std::vector<int64_t> part_bounds(int64_t n, int32_t parts);
// The number of rows of one of them.
inline int64_t part_rows(int64_t n, int32_t parts, int32_t part) { return n / parts + (part < n % parts); }

}  // namespace gpuopt

// abi/gpuopt/hpp/device.hpp -- part of gpuopt.hpp: devices, streams, events, and what is current in a thread.
#ifndef GPUOPT_HPP_DEVICE_HPP
#define GPUOPT_HPP_DEVICE_HPP

#include <memory>

#include "base.hpp"

namespace gpuopt {
inline namespace v1 {

// ---- Devices, streams, events ------------------------------------------------------------------------------------

class stream;

// A device. Requests are those of gpuopt_device_open: "cuda", "cuda!", "cuda:1", "cuda,cpu", "auto"; nullptr: the
// environment's.
class device : public detail::shared<detail::device_traits> {
 public:
  device(const char *request = nullptr) : shared(detail::make<handle_type>(gpuopt_device_open, request, nullptr)) {}
  // The device of a request.
  device(const std::string &request) : device(request.c_str()) {}
  device(const char *request, const gpuopt_device_options &options)
      : shared(detail::make<handle_type>(gpuopt_device_open, request, &options)) {}
  device(int) = delete;  // device(0) would be a null request
  // A device of gpuopt.h, whose reference this object takes over.
  explicit device(handle_type owned) noexcept : shared(std::move(owned)) {}
  // Also tells why an earlier choice of the request was passed over: GPUOPT_REASON_NONE if none was.
  static device open(const char *request, gpuopt_reason &reason) {
    raw_type handle = nullptr;
    detail::call(gpuopt_device_open_report, request, nullptr, &handle, &reason);
    return device(handle_type(handle));
  }
  // Backend and number, such as "cpu:0".
  std::string name() const { return gpuopt_device_name(get()); }  // "cpu:0"
  // The backend, such as "cpu".
  std::string backend() const { return gpuopt_device_backend(get()); }  // "cpu"
  gpuopt_device_info info() const { return query<gpuopt_device_info>(gpuopt_device_get_info); }
  gpuopt_memory_stats memory() const { return query<gpuopt_memory_stats>(gpuopt_memory_get_stats); }
  gpuopt_engine_stats engine() const { return query<gpuopt_engine_stats>(gpuopt_engine_get_stats); }
  void synchronize() const { detail::call(gpuopt_device_synchronize, get()); }
  void set_memory_limit(uint64_t bytes) const { detail::call(gpuopt_memory_set_limit, get(), bytes); }
  // A fact as a number, GPUOPT_ATTRIBUTE_*; GPUOPT_ERR_UNSUPPORTED for one that the backend does not know.
  int64_t attribute(gpuopt_attribute which) const {
    int64_t value = 0;
    detail::call(gpuopt_device_get_attribute, get(), which, &value);
    return value;
  }
  // The bytes of memory that are free on the device now.
  int64_t free_memory() const { return attribute(GPUOPT_ATTRIBUTE_MEMORY_FREE); }
  void trim_memory() const { detail::call(gpuopt_memory_trim, get()); }
  // The stream on which everything runs that names no other.
  stream default_stream() const;
  // Whether both are the same device.
  friend bool operator==(const device &a, const device &b) noexcept { return a.get() == b.get(); }
  // Whether they are different devices.
  friend bool operator!=(const device &a, const device &b) noexcept { return a.get() != b.get(); }

 private:
  template <class Struct, class F>
  Struct query(F function) const {
    Struct s{};
    s.struct_size = sizeof s;
    detail::call(function, get(), &s);
    return s;
  }
};

// Where new arrays of this thread are created: the device of the innermost with_device or with_stream, else the
// environment's choice, read at this call.
device current_device();

// A marker in a stream.
class event : public detail::unique<detail::event_traits> {
 public:
  using unique::unique;
  // An event of gpuopt.h, which this object takes over.
  explicit event(handle_type owned) noexcept : unique(std::move(owned)) {}
  void synchronize() const { detail::call(gpuopt_event_synchronize, get()); }
  // Whether the work before it is done. Does not wait.
  bool done() const {
    int32_t answer = 0;
    detail::call(gpuopt_event_query, get(), &answer);
    return answer != 0;
  }
  double milliseconds_since(const event &start) const {
    double ms = 0;
    detail::call(gpuopt_event_elapsed, start.get(), get(), &ms);
    return ms;
  }
};

// An ordered queue of work of one device.
class stream : public detail::shared<detail::stream_traits> {
 public:
  explicit stream(const gpuopt::device &where)
      : stream(detail::make<handle_type>(gpuopt_stream_create, where.get()), where) {}
  // The device it is a queue of.
  const gpuopt::device &device() const noexcept { return device_; }
  void synchronize() const { detail::call(gpuopt_stream_synchronize, get()); }
  // Whether all work submitted so far is done; what is recorded is submitted first. Does not wait.
  bool done() const {
    int32_t answer = 0;
    detail::call(gpuopt_stream_query, get(), &answer);
    return answer != 0;
  }
  // The backend's own handle, a CUstream of CUDA; nullptr of the CPU. It lives as long as the stream.
  void *native() const {
    void *handle = nullptr;
    detail::call(gpuopt_stream_native, get(), &handle);
    return handle;
  }
  void wait(const event &e) const { detail::call(gpuopt_stream_wait, get(), e.get()); }
  event record() const { return detail::make<event>(gpuopt_event_record, get()); }

 private:
  friend class gpuopt::device;
  stream(handle_type handle, const gpuopt::device &where) : shared(std::move(handle)), device_(where) {}
  gpuopt::device device_;
};

inline stream device::default_stream() const {
  return stream(detail::make<stream::handle_type>(gpuopt_stream_default, get()), *this);
}

namespace detail {
// What the scopes below have set in this thread.
struct context {
  const gpuopt::device *device;
  const gpuopt::stream *stream;  // NULL: the device's default
  int transfers;
};
inline context &this_thread() {
  static thread_local context current = {nullptr, nullptr, 0};
  return current;
}
// Puts the thread's context back when it ends. Scopes nest and must end in reverse order, as block scopes do.
class scope {
 public:
  scope(const scope &) = delete;
  scope &operator=(const scope &) = delete;

 protected:
  scope() : before_(this_thread()) {}
  ~scope() { this_thread() = before_; }

 private:
  context before_;
};
}  // namespace detail

// While it lives, new arrays of this thread are created on the device (CuPy's `with Device`).
class with_device : detail::scope {
 public:
  // Makes `where` current until this object ends; with its default stream.
  explicit with_device(device where) : device_(std::move(where)) {
    detail::this_thread().device = &device_;
    detail::this_thread().stream = nullptr;
  }

 private:
  device device_;
};
// While it lives, new arrays of this thread are created on the stream's device and bound to the stream, and so is what
// is computed from them.
class with_stream : detail::scope {
 public:
  // Makes `queue` and its device current until this object ends.
  explicit with_stream(stream queue) : stream_(std::move(queue)) {
    detail::this_thread().device = &stream_.device();
    detail::this_thread().stream = &stream_;
  }

 private:
  stream stream_;
};
// While it lives, operations of this thread on arrays of several devices copy them to the device of the first array
// among the operands. Without it that is GPUOPT_ERR_DEVICE_MISMATCH.
class allow_transfers : detail::scope {
 public:
  // Allows such copies until this object ends.
  allow_transfers() { ++detail::this_thread().transfers; }
};

// What was tried for each backend, where, and why it did or did not work: for people, or as JSON. Loads every backend
// on the search list. See gpuopt_discovery_report().
inline std::string discovery_report(bool json = false) {
  char *text = nullptr;
  detail::call(gpuopt_discovery_report, nullptr, int32_t{json}, &text);
  const std::unique_ptr<char, void (*)(char *)> owner(text, [](char *report) { gpuopt_string_free(report); });
  return text;
}

inline device current_device() {
  const device *set = detail::this_thread().device;
  return set ? *set : device();
}

}  // namespace v1
}  // namespace gpuopt
#endif

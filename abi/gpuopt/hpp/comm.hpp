// abi/gpuopt/hpp/comm.hpp -- part of gpuopt.hpp: groups of processes, and what they send each other and compute.
#ifndef GPUOPT_HPP_COMM_HPP
#define GPUOPT_HPP_COMM_HPP

#include <cstdio>
#include <exception>
#include <mutex>
#include <vector>

#include "array.hpp"

namespace gpuopt {
inline namespace v1 {

namespace detail {
// The handles of devices, for the duration of a call.
inline std::vector<gpuopt_device> raw_devices(const std::vector<device> &devices) {
  std::vector<gpuopt_device> handles;
  for (const device &one : devices) handles.push_back(one.get());
  return handles;
}
}  // namespace detail

// A group of ranks. Functions are collective, unless they say otherwise: every rank calls the same ones in the same
// order. What a function gives on ranks that have no result (a gather's, except on its root) is an empty array. See
// gpuopt_comm.h.
class comm : public detail::shared<detail::comm_traits> {
 public:
  // No group.
  comm() noexcept = default;
  // All ranks of the job that this process belongs to. Requests are those of gpuopt_comm_init(): "auto", "mpi", "ring",
  // "self"; nullptr: the environment's.
  explicit comm(const char *request) : comm(detail::make<handle_type>(gpuopt_comm_init, request, nullptr)) {}
  // The same, with the device where arrays are made that come from other ranks alone.
  comm(const char *request, const device &where) : comm(request, options_of(where)) {}
  comm(const char *request, const gpuopt_comm_options &options)
      : comm(detail::make<handle_type>(gpuopt_comm_init, request, &options)) {}
  // A group of gpuopt.h, whose reference this object takes over.
  explicit comm(handle_type owned) noexcept : shared(std::move(owned)) {}

  // A job whose ranks are threads of this process, one for each device: the group, as each rank sees it. The caller
  // starts the threads. See gpuopt_comm_init_devices(), and run_devices() below.
  static std::vector<comm> of_devices(const std::vector<device> &devices,
                                      const gpuopt_comm_options *options = nullptr) {
    const std::vector<gpuopt_device> handles = detail::raw_devices(devices);
    std::vector<gpuopt_comm> raw(handles.size() + 1);
    detail::call(gpuopt_comm_init_devices, static_cast<int32_t>(handles.size()), handles.data(), options, raw.data());
    std::vector<comm> made;
    made.reserve(handles.size());
    for (size_t r = 0; r < handles.size(); ++r) made.emplace_back(handle_type(raw[r]));
    return made;
  }
  // Tells the other ranks that this one cannot go on, and why. Not collective. See gpuopt_comm_give_up().
  void give_up(const std::string &why) const { detail::call(gpuopt_comm_give_up, get(), why.c_str()); }

  // This process's number in the group, and how many there are. Not collective.
  int rank() const noexcept { return gpuopt_comm_rank(get()); }
  int size() const noexcept { return gpuopt_comm_size(get()); }
  // What carries the messages: "self", "ring", "mpi". Not collective.
  std::string name() const { return gpuopt_comm_name(get()); }

  // What this process has sent and received in the job since it joined. Not collective.
  gpuopt_comm_traffic traffic() const {
    gpuopt_comm_traffic counted{};
    counted.struct_size = sizeof counted;
    detail::call(gpuopt_comm_get_traffic, get(), &counted);
    return counted;
  }

  // The group of those ranks that give the same color, ordered by key and then by rank; no group for negative ones.
  comm split(int color, int key = 0) const {
    return comm(detail::make<handle_type>(gpuopt_comm_split, get(), int32_t{color}, int32_t{key}));
  }
  // Returns when every rank has called it.
  void barrier() const { detail::call(gpuopt_comm_barrier, get()); }

  // x of all ranks, combined element by element: GPUOPT_REDUCTION_sum, prod, min, max, any or all.
  array all_reduce(const array &x, gpuopt_reduction reduction = GPUOPT_REDUCTION_sum) const {
    return give(gpuopt_comm_all_reduce, x.get(), reduction);
  }
  // The same on one rank.
  array reduce(const array &x, gpuopt_reduction reduction = GPUOPT_REDUCTION_sum, int root = 0) const {
    return give(gpuopt_comm_reduce, x.get(), reduction, int32_t{root});
  }
  // The same, of which each rank gets its part along axis 0.
  array reduce_scatter(const array &x, gpuopt_reduction reduction = GPUOPT_REDUCTION_sum) const {
    return give(gpuopt_comm_reduce_scatter, x.get(), reduction);
  }
  // The root's x on every rank; on the others x may be empty.
  array broadcast(const array &x, int root = 0) const { return give(gpuopt_comm_broadcast, x.get(), int32_t{root}); }
  // The ranks' arrays joined along axis 0.
  array all_gather(const array &x) const { return give(gpuopt_comm_all_gather, x.get()); }
  // The same on one rank.
  array gather(const array &x, int root = 0) const { return give(gpuopt_comm_gather, x.get(), int32_t{root}); }
  // This rank's part of the root's x along axis 0; on the others x may be empty.
  array scatter(const array &x, int root = 0) const { return give(gpuopt_comm_scatter, x.get(), int32_t{root}); }
  // What all ranks have for this one: part `rank` of each one's x, joined along axis 0.
  array all_to_all(const array &x) const { return give(gpuopt_comm_all_to_all, x.get()); }

  // Sends x to a rank, which has to receive it. Not collective.
  void send(const array &x, int destination, int tag = 0) const {
    detail::call(gpuopt_comm_send, get(), x.get(), int32_t{destination}, int32_t{tag});
  }
  // The next array from a rank with this tag. Not collective.
  array recv(int source, int tag = 0) const { return give(gpuopt_comm_recv, int32_t{source}, int32_t{tag}); }
  // Sends x (empty: nothing) to one rank while it receives from another (negative: from none). Not collective.
  array send_recv(const array &x, int destination, int source, int tag = 0) const {
    return give(gpuopt_comm_send_recv, x.get(), int32_t{destination}, int32_t{source}, int32_t{tag});
  }

  // As all_reduce(), into an array that is there, which may be x itself.
  void all_reduce_into(const array &x, const array &out, gpuopt_reduction reduction = GPUOPT_REDUCTION_sum) const {
    fill(gpuopt_comm_all_reduce, out, x.get(), reduction);
  }
  // As broadcast(), into an array that is there, which may be x itself.
  void broadcast_into(const array &x, const array &out, int root = 0) const {
    fill(gpuopt_comm_broadcast, out, x.get(), int32_t{root});
  }
  // As all_gather(), into an array that is there.
  void all_gather_into(const array &x, const array &out) const { fill(gpuopt_comm_all_gather, out, x.get()); }
  // As recv(), into an array that is there.
  void recv_into(const array &out, int source, int tag = 0) const {
    fill(gpuopt_comm_recv, out, int32_t{source}, int32_t{tag});
  }

 private:
  static gpuopt_comm_options options_of(const device &where) {
    gpuopt_comm_options options{};
    options.struct_size = sizeof options;
    options.device = where.get();
    return options;
  }
  template <class F, class... Args>
  array give(F function, Args... args) const {
    return detail::make<array>(function, get(), args..., gpuopt_array{nullptr});
  }
  template <class F, class... Args>
  void fill(F function, const array &out, Args... args) const {
    detail::call(function, get(), args..., out.get(), nullptr);
  }
};

namespace detail {
// A function of C++ as gpuopt_comm_run_devices() calls it. What the rank that fails first throws is thrown again behind
// the call.
template <class F>
struct rank_call {
  F &function;
  std::mutex mutex;
  std::exception_ptr first;
  static gpuopt_status run(gpuopt_comm raw, void *context, gpuopt_error *error) {
    rank_call &self = *static_cast<rank_call *>(context);
    try {
      gpuopt_comm_retain(raw);
      const comm group{comm::handle_type(raw)};
      self.function(group);
      return GPUOPT_OK;
    } catch (const std::exception &thrown) {
      return self.keep(thrown.what(), error);
    } catch (...) {
      return self.keep("the rank's function has thrown what is no std::exception", error);
    }
  }
  // Called while an exception is handled.
  gpuopt_status keep(const char *why, gpuopt_error *error) {
    std::snprintf(error->message, sizeof error->message, "%s", why);
    const std::lock_guard<std::mutex> lock(mutex);
    if (!first) first = std::current_exception();
    return GPUOPT_ERR_COMM;
  }
};
}  // namespace detail

// Runs function(const comm &) for each device, as the ranks of one job, each in a thread of its own, the first in the
// calling one. If one of them throws, the others get errors that say so where they wait for it, and what was thrown
// first is thrown again when all have ended. See gpuopt_comm_run_devices().
template <class F>
void run_devices(const std::vector<device> &devices, F &&function, const gpuopt_comm_options *options = nullptr) {
  using call_type = detail::rank_call<std::remove_reference_t<F>>;
  const std::vector<gpuopt_device> handles = detail::raw_devices(devices);
  call_type ranks{function, {}, {}};
  try {
    detail::call(gpuopt_comm_run_devices, static_cast<int32_t>(handles.size()), handles.data(), options,
                 &call_type::run, static_cast<void *>(&ranks));
  } catch (...) {
    if (ranks.first) std::rethrow_exception(ranks.first);
    throw;
  }
}

// What each communication plugin says, a line for each. See gpuopt_comm_report().
inline std::string comm_report() {
  char *text = nullptr;
  detail::call(gpuopt_comm_report, &text);
  const std::string copy = text;
  gpuopt_string_free(text);
  return copy;
}

}  // namespace v1
}  // namespace gpuopt
#endif

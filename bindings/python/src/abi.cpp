// bindings/python/src/abi.cpp -- functions of the C ABI under their own names, for the package's modules: wrap.h.
#include <array>
#include <atomic>
#include <mutex>

#ifndef _WIN32
#include <pthread.h>
#endif

#include "core.h"
#include "wrap.h"

namespace gpuopt_python {
namespace {

// Handles share these locks, by their addresses. A child of fork() has new ones, as a thread that it lacks may have
// held the old.
using Locks = std::array<std::mutex, 64>;
std::atomic<Locks *> handle_locks{new Locks};

// eval(*arrays): by position alone, and without a tuple in between, as it follows small operations.
PyObject *evaluate(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  constexpr Py_ssize_t most = 64;  // at once; more are run in parts
  for (Py_ssize_t begin = 0; begin < given; begin += most) {
    gpuopt_array arrays[most];
    int32_t count = 0;
    bool unlock = false;
    for (Py_ssize_t at = begin; at < given && count < most; ++at, ++count) {
      if (!is_array(arguments[at])) return fail(PyExc_TypeError, "Unsupported type %R", Py_TYPE(arguments[at]));
      arrays[count] = handle_of(arguments[at]);
      unlock |= many(arrays[count]);
    }
    // What few elements wait for may be computed from many.
    if (!run([&](gpuopt_error *error) { return gpuopt_eval(count, arrays, error); }, unlock || given > 1))
      return nullptr;
  }
  return Py_NewRef(Py_None);
}

// comm_facts(comm): its rank, size and name.
PyObject *comm_facts(PyObject *, PyObject *capsule_of_comm) {
  Argument<gpuopt_comm> comm;
  if (!comm.read(capsule_of_comm)) return nullptr;
  return Py_BuildValue("(iis)", gpuopt_comm_rank(comm.get()), gpuopt_comm_size(comm.get()),
                       gpuopt_comm_name(comm.get()));
}

// comm_traffic(comm): what was sent and received, as a dictionary.
PyObject *comm_traffic(PyObject *, PyObject *capsule_of_comm) {
  Argument<gpuopt_comm> comm;
  if (!comm.read(capsule_of_comm)) return nullptr;
  gpuopt_comm_traffic traffic = {};
  traffic.struct_size = sizeof traffic;
  if (!run([&](gpuopt_error *error) { return gpuopt_comm_get_traffic(comm.get(), &traffic, error); })) return nullptr;
  return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K}", "rounds", traffic.rounds, "messages_sent", traffic.messages_sent,
                       "messages_received", traffic.messages_received, "bytes_sent", traffic.bytes_sent,
                       "bytes_received", traffic.bytes_received);
}

// comm_of_devices(devices, timeout): a tuple of groups, one for each rank.
PyObject *comm_of_devices(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  if (given != 2) return fail(PyExc_TypeError, "comm_of_devices takes devices and a timeout");
  gpuopt_comm_options options{};
  options.struct_size = sizeof options;
  options.timeout = PyFloat_AsDouble(arguments[1]);
  PyObject *const sequence = PyErr_Occurred() ? nullptr : PySequence_Tuple(arguments[0]);
  if (!sequence) return nullptr;
  std::vector<gpuopt_device> devices(static_cast<size_t>(PyTuple_Size(sequence)));
  bool known = true;
  for (size_t r = 0; known && r < devices.size(); ++r)
    known = read_device(PyTuple_GetItem(sequence, static_cast<Py_ssize_t>(r)), devices[r]);
  Py_DECREF(sequence);
  std::vector<gpuopt_comm> groups(devices.size() + 1);
  const auto count = static_cast<int32_t>(devices.size());
  if (!known || !run([&](gpuopt_error *error) {
        return gpuopt_comm_init_devices(count, devices.data(), &options, groups.data(), error);
      }))
    return nullptr;
  PyObject *const tuple = PyTuple_New(count);
  for (int32_t r = 0; r < count; ++r) {
    if (tuple)
      PyTuple_SetItem(tuple, r, capsule(groups[static_cast<size_t>(r)]));
    else
      gpuopt_comm_release(groups[static_cast<size_t>(r)]);
  }
  return tuple;
}

// shard_axis(shard): the axis along which it is cut.
PyObject *shard_axis(PyObject *, PyObject *capsule_of_shard) {
  Argument<gpuopt_shard> shard;
  return shard.read(capsule_of_shard) ? PyLong_FromLong(gpuopt_shard_axis(shard.get())) : nullptr;
}

// shard_bounds(shard): a tuple, where it is cut.
PyObject *shard_bounds(PyObject *, PyObject *capsule_of_shard) {
  Argument<gpuopt_shard> shard;
  if (!shard.read(capsule_of_shard)) return nullptr;
  gpuopt_comm comm = nullptr;
  if (!run([&](gpuopt_error *error) { return gpuopt_shard_comm(shard.get(), &comm, error); })) return nullptr;
  const Py_ssize_t count = gpuopt_comm_size(comm) + 1;
  gpuopt_comm_release(comm);
  PyObject *const tuple = PyTuple_New(count);
  for (Py_ssize_t at = 0; tuple && at < count; ++at)
    PyTuple_SetItem(tuple, at, PyLong_FromLongLong(gpuopt_shard_bounds(shard.get())[at]));
  return tuple;
}

}  // namespace

std::unique_lock<std::mutex> lock_of(const void *handle) {
#ifndef _WIN32
  static const int registered = pthread_atfork(nullptr, nullptr, [] { handle_locks = new Locks; });
  (void)registered;
#endif
  if (!handle) return {};
  return std::unique_lock((*handle_locks)[reinterpret_cast<uintptr_t>(handle) / 64 % std::tuple_size_v<Locks>]);
}

#define GPUOPT_PYTHON_CALL(function) \
  { #function, method(wrap <function>), METH_FASTCALL, nullptr }
PyMethodDef abi_functions[] = {
    {"eval", method(evaluate), METH_FASTCALL,
     "eval($module, /, *arrays)\n--\n\nRuns what the arrays wait for, together. Does not wait for the device."},
    // devices, streams and events
    GPUOPT_PYTHON_CALL(gpuopt_device_synchronize),
    GPUOPT_PYTHON_CALL(gpuopt_memory_set_limit),
    GPUOPT_PYTHON_CALL(gpuopt_memory_trim),
    GPUOPT_PYTHON_CALL(gpuopt_stream_create),
    GPUOPT_PYTHON_CALL(gpuopt_stream_default),
    GPUOPT_PYTHON_CALL(gpuopt_stream_synchronize),
    GPUOPT_PYTHON_CALL(gpuopt_stream_wait),
    GPUOPT_PYTHON_CALL(gpuopt_event_record),
    GPUOPT_PYTHON_CALL(gpuopt_event_synchronize),
    GPUOPT_PYTHON_CALL(gpuopt_event_elapsed),
    GPUOPT_PYTHON_CALL(gpuopt_event_query),
    GPUOPT_PYTHON_CALL(gpuopt_stream_query),
    GPUOPT_PYTHON_CALL(gpuopt_stream_native),
    GPUOPT_PYTHON_CALL(gpuopt_device_get_attribute),
    GPUOPT_PYTHON_CALL(gpuopt_array_on_stream),
    // dtypes
    GPUOPT_PYTHON_CALL(gpuopt_promote_types),
    GPUOPT_PYTHON_CALL(gpuopt_result_type),
    GPUOPT_PYTHON_CALL(gpuopt_can_cast),
    // creation
    GPUOPT_PYTHON_CALL(gpuopt_weak),
    GPUOPT_PYTHON_CALL(gpuopt_empty),
    GPUOPT_PYTHON_CALL(gpuopt_zeros),
    GPUOPT_PYTHON_CALL(gpuopt_ones),
    GPUOPT_PYTHON_CALL(gpuopt_full),
    GPUOPT_PYTHON_CALL(gpuopt_arange),
    GPUOPT_PYTHON_CALL(gpuopt_linspace),
    GPUOPT_PYTHON_CALL(gpuopt_eye),
    GPUOPT_PYTHON_CALL(gpuopt_tri),
    GPUOPT_PYTHON_CALL(gpuopt_tril),
    GPUOPT_PYTHON_CALL(gpuopt_triu),
    GPUOPT_PYTHON_CALL(gpuopt_empty_like),
    GPUOPT_PYTHON_CALL(gpuopt_zeros_like),
    GPUOPT_PYTHON_CALL(gpuopt_ones_like),
    GPUOPT_PYTHON_CALL(gpuopt_full_like),
    // elements and running
    GPUOPT_PYTHON_CALL(gpuopt_array_data),  // to compare addresses; who reads or writes there takes a window
    GPUOPT_PYTHON_CALL(gpuopt_array_item),
    GPUOPT_PYTHON_CALL(gpuopt_array_set_item),
    // views
    GPUOPT_PYTHON_CALL(gpuopt_permute_dims),
    GPUOPT_PYTHON_CALL(gpuopt_reshape),
    GPUOPT_PYTHON_CALL(gpuopt_broadcast_to),
    GPUOPT_PYTHON_CALL(gpuopt_expand_dims),
    GPUOPT_PYTHON_CALL(gpuopt_squeeze),
    GPUOPT_PYTHON_CALL(gpuopt_flip),
    // joining, repeating and moving
    GPUOPT_PYTHON_CALL(gpuopt_concat),
    GPUOPT_PYTHON_CALL(gpuopt_tile),
    GPUOPT_PYTHON_CALL(gpuopt_repeat),
    GPUOPT_PYTHON_CALL(gpuopt_repeat_each),
    GPUOPT_PYTHON_CALL(gpuopt_roll),
    GPUOPT_PYTHON_CALL(gpuopt_pad),
    // copies
    GPUOPT_PYTHON_CALL(gpuopt_copy_array),
    GPUOPT_PYTHON_CALL(gpuopt_astype),
    GPUOPT_PYTHON_CALL(gpuopt_to_device),
    // writing and selecting
    GPUOPT_PYTHON_CALL(gpuopt_assign),
    GPUOPT_PYTHON_CALL(gpuopt_fill),
    GPUOPT_PYTHON_CALL(gpuopt_mask_select),
    GPUOPT_PYTHON_CALL(gpuopt_mask_assign),
    GPUOPT_PYTHON_CALL(gpuopt_take),
    GPUOPT_PYTHON_CALL(gpuopt_put),
    GPUOPT_PYTHON_CALL(gpuopt_argwhere),
    GPUOPT_PYTHON_CALL(gpuopt_get),
    GPUOPT_PYTHON_CALL(gpuopt_set),
    // sorting, searching and sets
    GPUOPT_PYTHON_CALL(gpuopt_sort),
    GPUOPT_PYTHON_CALL(gpuopt_argsort),
    GPUOPT_PYTHON_CALL(gpuopt_partition),
    GPUOPT_PYTHON_CALL(gpuopt_argpartition),
    GPUOPT_PYTHON_CALL(gpuopt_top_k),
    GPUOPT_PYTHON_CALL(gpuopt_lexsort),
    GPUOPT_PYTHON_CALL(gpuopt_take_along_axis),
    GPUOPT_PYTHON_CALL(gpuopt_searchsorted),
    GPUOPT_PYTHON_CALL(gpuopt_digitize),
    GPUOPT_PYTHON_CALL(gpuopt_bincount),
    GPUOPT_PYTHON_CALL(gpuopt_histogram),
    GPUOPT_PYTHON_CALL(gpuopt_histogram_with),
    GPUOPT_PYTHON_CALL(gpuopt_histogramdd_with),
    GPUOPT_PYTHON_CALL(gpuopt_unique_values),
    GPUOPT_PYTHON_CALL(gpuopt_unique_counts),
    GPUOPT_PYTHON_CALL(gpuopt_unique_inverse),
    GPUOPT_PYTHON_CALL(gpuopt_unique_all),
    GPUOPT_PYTHON_CALL(gpuopt_isin),
    GPUOPT_PYTHON_CALL(gpuopt_union1d),
    GPUOPT_PYTHON_CALL(gpuopt_intersect1d),
    GPUOPT_PYTHON_CALL(gpuopt_setdiff1d),
    GPUOPT_PYTHON_CALL(gpuopt_setxor1d),
    // statistics
    GPUOPT_PYTHON_CALL(gpuopt_diff),
    GPUOPT_PYTHON_CALL(gpuopt_ptp),
    GPUOPT_PYTHON_CALL(gpuopt_trapezoid),
    GPUOPT_PYTHON_CALL(gpuopt_average),
    GPUOPT_PYTHON_CALL(gpuopt_cov),
    GPUOPT_PYTHON_CALL(gpuopt_corrcoef),
    // signals and text files
    GPUOPT_PYTHON_CALL(gpuopt_gradient),
    GPUOPT_PYTHON_CALL(gpuopt_interp),
    GPUOPT_PYTHON_CALL(gpuopt_convolve),
    GPUOPT_PYTHON_CALL(gpuopt_correlate),
    GPUOPT_PYTHON_CALL(gpuopt_unwrap),
    GPUOPT_PYTHON_CALL(gpuopt_nancumsum),
    GPUOPT_PYTHON_CALL(gpuopt_nancumprod),
    GPUOPT_PYTHON_CALL(gpuopt_convolve_nd),
    GPUOPT_PYTHON_CALL(gpuopt_correlate_nd),
    GPUOPT_PYTHON_CALL(gpuopt_choose_conv_method),
    GPUOPT_PYTHON_CALL(gpuopt_loadtxt),
    GPUOPT_PYTHON_CALL(gpuopt_loadtxt_memory),
    GPUOPT_PYTHON_CALL(gpuopt_savetxt),
    GPUOPT_PYTHON_CALL(gpuopt_median),
    GPUOPT_PYTHON_CALL(gpuopt_quantile),
    GPUOPT_PYTHON_CALL(gpuopt_percentile),
    GPUOPT_PYTHON_CALL(gpuopt_nanmedian),
    GPUOPT_PYTHON_CALL(gpuopt_nanquantile),
    GPUOPT_PYTHON_CALL(gpuopt_nanpercentile),
    GPUOPT_PYTHON_CALL(gpuopt_quantile_weighted),
    GPUOPT_PYTHON_CALL(gpuopt_nanquantile_weighted),
    GPUOPT_PYTHON_CALL(gpuopt_percentile_weighted),
    GPUOPT_PYTHON_CALL(gpuopt_nanpercentile_weighted),
    // polynomials and numbers
    GPUOPT_PYTHON_CALL(gpuopt_polyval),
    GPUOPT_PYTHON_CALL(gpuopt_polyadd),
    GPUOPT_PYTHON_CALL(gpuopt_polysub),
    GPUOPT_PYTHON_CALL(gpuopt_polymul),
    GPUOPT_PYTHON_CALL(gpuopt_polydiv),
    GPUOPT_PYTHON_CALL(gpuopt_polyder),
    GPUOPT_PYTHON_CALL(gpuopt_polyint),
    GPUOPT_PYTHON_CALL(gpuopt_polyfit),
    GPUOPT_PYTHON_CALL(gpuopt_polyfit_cov),
    GPUOPT_PYTHON_CALL(gpuopt_roots),
    GPUOPT_PYTHON_CALL(gpuopt_poly),
    GPUOPT_PYTHON_CALL(gpuopt_frexp),
    GPUOPT_PYTHON_CALL(gpuopt_ldexp),
    GPUOPT_PYTHON_CALL(gpuopt_modf),
    GPUOPT_PYTHON_CALL(gpuopt_divmod),
    GPUOPT_PYTHON_CALL(gpuopt_spacing),
    GPUOPT_PYTHON_CALL(gpuopt_float_power),
    GPUOPT_PYTHON_CALL(gpuopt_xlogy),
    GPUOPT_PYTHON_CALL(gpuopt_entr),
    // selection
    GPUOPT_PYTHON_CALL(gpuopt_choose),
    GPUOPT_PYTHON_CALL(gpuopt_piecewise),
    GPUOPT_PYTHON_CALL(gpuopt_compress),
    GPUOPT_PYTHON_CALL(gpuopt_extract),
    GPUOPT_PYTHON_CALL(gpuopt_flatnonzero),
    GPUOPT_PYTHON_CALL(gpuopt_trim_zeros),
    GPUOPT_PYTHON_CALL(gpuopt_copyto),
    GPUOPT_PYTHON_CALL(gpuopt_putmask),
    GPUOPT_PYTHON_CALL(gpuopt_place),
    GPUOPT_PYTHON_CALL(gpuopt_fill_diagonal),
    GPUOPT_PYTHON_CALL(gpuopt_put_along_axis),
    GPUOPT_PYTHON_CALL(gpuopt_apply_at),
    GPUOPT_PYTHON_CALL(gpuopt_tril_indices),
    GPUOPT_PYTHON_CALL(gpuopt_triu_indices),
    GPUOPT_PYTHON_CALL(gpuopt_tril_indices_from),
    GPUOPT_PYTHON_CALL(gpuopt_triu_indices_from),
    GPUOPT_PYTHON_CALL(gpuopt_ravel_multi_index),
    GPUOPT_PYTHON_CALL(gpuopt_resize),
    GPUOPT_PYTHON_CALL(gpuopt_diagflat),
    GPUOPT_PYTHON_CALL(gpuopt_block),
    GPUOPT_PYTHON_CALL(gpuopt_ediff1d),
    GPUOPT_PYTHON_CALL(gpuopt_array_equal),
    GPUOPT_PYTHON_CALL(gpuopt_array_equiv),
    GPUOPT_PYTHON_CALL(gpuopt_allclose),
    // creation
    GPUOPT_PYTHON_CALL(gpuopt_linspace_step),
    GPUOPT_PYTHON_CALL(gpuopt_geomspace),
    GPUOPT_PYTHON_CALL(gpuopt_linspace_between),
    GPUOPT_PYTHON_CALL(gpuopt_logspace_between),
    GPUOPT_PYTHON_CALL(gpuopt_geomspace_between),
    GPUOPT_PYTHON_CALL(gpuopt_vander),
    GPUOPT_PYTHON_CALL(gpuopt_mgrid),
    GPUOPT_PYTHON_CALL(gpuopt_fromfunction),
    GPUOPT_PYTHON_CALL(gpuopt_bartlett),
    GPUOPT_PYTHON_CALL(gpuopt_blackman),
    GPUOPT_PYTHON_CALL(gpuopt_hamming),
    GPUOPT_PYTHON_CALL(gpuopt_hanning),
    GPUOPT_PYTHON_CALL(gpuopt_kaiser),
    GPUOPT_PYTHON_CALL(gpuopt_i0),
    GPUOPT_PYTHON_CALL(gpuopt_as_strided),
    GPUOPT_PYTHON_CALL(gpuopt_sliding_window_view),
    GPUOPT_PYTHON_CALL(gpuopt_view_dtype),
    GPUOPT_PYTHON_CALL(gpuopt_round_decimals),
    // operations that are no rows of ops.def, and scans
    GPUOPT_PYTHON_CALL(gpuopt_nan_to_num),
    GPUOPT_PYTHON_CALL(gpuopt_isclose),
    GPUOPT_PYTHON_CALL(gpuopt_cumulative_sum),
    GPUOPT_PYTHON_CALL(gpuopt_cumulative_prod),
    // transforms
    GPUOPT_PYTHON_CALL(gpuopt_fft),
    GPUOPT_PYTHON_CALL(gpuopt_ifft),
    GPUOPT_PYTHON_CALL(gpuopt_rfft),
    GPUOPT_PYTHON_CALL(gpuopt_irfft),
    GPUOPT_PYTHON_CALL(gpuopt_hfft),
    GPUOPT_PYTHON_CALL(gpuopt_ihfft),
    GPUOPT_PYTHON_CALL(gpuopt_fftn),
    GPUOPT_PYTHON_CALL(gpuopt_ifftn),
    GPUOPT_PYTHON_CALL(gpuopt_rfftn),
    GPUOPT_PYTHON_CALL(gpuopt_irfftn),
    // products and norms
    GPUOPT_PYTHON_CALL(gpuopt_matmul),
    GPUOPT_PYTHON_CALL(gpuopt_dot),
    GPUOPT_PYTHON_CALL(gpuopt_vecdot),
    GPUOPT_PYTHON_CALL(gpuopt_tensordot),
    GPUOPT_PYTHON_CALL(gpuopt_outer),
    GPUOPT_PYTHON_CALL(gpuopt_cross),
    GPUOPT_PYTHON_CALL(gpuopt_kron),
    GPUOPT_PYTHON_CALL(gpuopt_trace),
    GPUOPT_PYTHON_CALL(gpuopt_einsum),
    GPUOPT_PYTHON_CALL(gpuopt_matrix_norm),
    GPUOPT_PYTHON_CALL(gpuopt_norm),
    // linear algebra
    GPUOPT_PYTHON_CALL(gpuopt_cholesky),
    GPUOPT_PYTHON_CALL(gpuopt_qr),
    GPUOPT_PYTHON_CALL(gpuopt_lu),
    GPUOPT_PYTHON_CALL(gpuopt_lu_factor),
    GPUOPT_PYTHON_CALL(gpuopt_lu_solve),
    GPUOPT_PYTHON_CALL(gpuopt_solve),
    GPUOPT_PYTHON_CALL(gpuopt_solve_triangular),
    GPUOPT_PYTHON_CALL(gpuopt_inv),
    GPUOPT_PYTHON_CALL(gpuopt_det),
    GPUOPT_PYTHON_CALL(gpuopt_slogdet),
    GPUOPT_PYTHON_CALL(gpuopt_lstsq),
    GPUOPT_PYTHON_CALL(gpuopt_pinv),
    GPUOPT_PYTHON_CALL(gpuopt_tensorsolve),
    GPUOPT_PYTHON_CALL(gpuopt_tensorinv),
    GPUOPT_PYTHON_CALL(gpuopt_eigh),
    GPUOPT_PYTHON_CALL(gpuopt_eigvalsh),
    GPUOPT_PYTHON_CALL(gpuopt_eig),
    GPUOPT_PYTHON_CALL(gpuopt_eigvals),
    GPUOPT_PYTHON_CALL(gpuopt_svd),
    GPUOPT_PYTHON_CALL(gpuopt_svdvals),
    GPUOPT_PYTHON_CALL(gpuopt_matrix_rank),
    GPUOPT_PYTHON_CALL(gpuopt_cond),
    GPUOPT_PYTHON_CALL(gpuopt_matrix_power),
    GPUOPT_PYTHON_CALL(gpuopt_expm),
    GPUOPT_PYTHON_CALL(gpuopt_multi_dot),
    // files
    GPUOPT_PYTHON_CALL(gpuopt_load_npy),
    GPUOPT_PYTHON_CALL(gpuopt_save_npy),
    GPUOPT_PYTHON_CALL(gpuopt_save_npz),
    GPUOPT_PYTHON_CALL(gpuopt_npz_open),
    GPUOPT_PYTHON_CALL(gpuopt_npz_read),
    // random numbers
    GPUOPT_PYTHON_CALL(gpuopt_random_state_create),
    GPUOPT_PYTHON_CALL(gpuopt_random_state_create_array),
    GPUOPT_PYTHON_CALL(gpuopt_random_state_seed),
    GPUOPT_PYTHON_CALL(gpuopt_random_state_random_sample),
    GPUOPT_PYTHON_CALL(gpuopt_random_state_uniform),
    GPUOPT_PYTHON_CALL(gpuopt_random_state_normal),
    GPUOPT_PYTHON_CALL(gpuopt_random_state_randint),
    GPUOPT_PYTHON_CALL(gpuopt_random_state_randint_between),
    GPUOPT_PYTHON_CALL(gpuopt_random_state_choice),
    GPUOPT_PYTHON_CALL(gpuopt_random_state_shuffle),
    GPUOPT_PYTHON_CALL(gpuopt_random_state_permutation),
    GPUOPT_PYTHON_CALL(gpuopt_generator_create),
    GPUOPT_PYTHON_CALL(gpuopt_generator_uniform),
    GPUOPT_PYTHON_CALL(gpuopt_generator_normal),
    GPUOPT_PYTHON_CALL(gpuopt_generator_exponential),
    GPUOPT_PYTHON_CALL(gpuopt_generator_integers),
    GPUOPT_PYTHON_CALL(gpuopt_generator_integers_between),
    GPUOPT_PYTHON_CALL(gpuopt_generator_choice),
    GPUOPT_PYTHON_CALL(gpuopt_generator_permutation),
    GPUOPT_PYTHON_CALL(gpuopt_random_state_draw),
    GPUOPT_PYTHON_CALL(gpuopt_random_state_multinomial),
    GPUOPT_PYTHON_CALL(gpuopt_random_state_dirichlet),
    GPUOPT_PYTHON_CALL(gpuopt_random_state_multivariate_normal),
    GPUOPT_PYTHON_CALL(gpuopt_random_state_get_words),
    GPUOPT_PYTHON_CALL(gpuopt_random_state_set_words),
    GPUOPT_PYTHON_CALL(gpuopt_generator_draw),
    GPUOPT_PYTHON_CALL(gpuopt_generator_multinomial),
    GPUOPT_PYTHON_CALL(gpuopt_generator_dirichlet),
    GPUOPT_PYTHON_CALL(gpuopt_generator_multivariate_normal),
    GPUOPT_PYTHON_CALL(gpuopt_generator_multivariate_hypergeometric),
    GPUOPT_PYTHON_CALL(gpuopt_generator_permuted),
    GPUOPT_PYTHON_CALL(gpuopt_generator_create_pcg64),
    GPUOPT_PYTHON_CALL(gpuopt_generator_advance),
    GPUOPT_PYTHON_CALL(gpuopt_generator_get_words),
    GPUOPT_PYTHON_CALL(gpuopt_generator_set_words),
    // several processes
    {"shard_bounds", shard_bounds, METH_O, "shard_bounds($module, shard, /)\n--\n\nWhere the array is cut."},
    {"comm_traffic", comm_traffic, METH_O,
     "comm_traffic($module, comm, /)\n--\n\nWhat the process has sent and received in the group's job."},
    {"comm_facts", comm_facts, METH_O, "comm_facts($module, comm, /)\n--\n\nThe group's rank, size and name."},
    {"comm_of_devices", method(comm_of_devices), METH_FASTCALL,
     "comm_of_devices($module, devices, timeout, /)\n--\n\nThe groups of ranks that are threads."},
    GPUOPT_PYTHON_CALL(gpuopt_comm_init),
    GPUOPT_PYTHON_CALL(gpuopt_comm_give_up),
    GPUOPT_PYTHON_CALL(gpuopt_comm_report),
    GPUOPT_PYTHON_CALL(gpuopt_comm_split),
    GPUOPT_PYTHON_CALL(gpuopt_comm_barrier),
    GPUOPT_PYTHON_CALL(gpuopt_comm_all_reduce),
    GPUOPT_PYTHON_CALL(gpuopt_comm_reduce),
    GPUOPT_PYTHON_CALL(gpuopt_comm_reduce_scatter),
    GPUOPT_PYTHON_CALL(gpuopt_comm_broadcast),
    GPUOPT_PYTHON_CALL(gpuopt_comm_all_gather),
    GPUOPT_PYTHON_CALL(gpuopt_comm_gather),
    GPUOPT_PYTHON_CALL(gpuopt_comm_scatter),
    GPUOPT_PYTHON_CALL(gpuopt_comm_all_to_all),
    GPUOPT_PYTHON_CALL(gpuopt_comm_send),
    GPUOPT_PYTHON_CALL(gpuopt_comm_recv),
    GPUOPT_PYTHON_CALL(gpuopt_comm_send_recv),
    GPUOPT_PYTHON_CALL(gpuopt_shard_from_parts),
    GPUOPT_PYTHON_CALL(gpuopt_shard_from_parts_along),
    GPUOPT_PYTHON_CALL(gpuopt_shard_from_array),
    GPUOPT_PYTHON_CALL(gpuopt_shard_from_whole),
    GPUOPT_PYTHON_CALL(gpuopt_shard_with),
    GPUOPT_PYTHON_CALL(gpuopt_shard_draw),
    GPUOPT_PYTHON_CALL(gpuopt_shard_load_npy),
    GPUOPT_PYTHON_CALL(gpuopt_shard_save_npy),
    GPUOPT_PYTHON_CALL(gpuopt_shard_part),
    GPUOPT_PYTHON_CALL(gpuopt_shard_comm),
    GPUOPT_PYTHON_CALL(gpuopt_shard_reduce),
    GPUOPT_PYTHON_CALL(gpuopt_shard_matmul),
    GPUOPT_PYTHON_CALL(gpuopt_shard_crossprod),
    GPUOPT_PYTHON_CALL(gpuopt_shard_sort),
    GPUOPT_PYTHON_CALL(gpuopt_shard_gather),
    GPUOPT_PYTHON_CALL(gpuopt_shard_halo),
    GPUOPT_PYTHON_CALL(gpuopt_shard_recut),
    GPUOPT_PYTHON_CALL(gpuopt_shard_along),
    {"shard_axis", shard_axis, METH_O, "shard_axis($module, shard, /)\n--\n\nThe axis along which it is cut."},
    // kernels
    GPUOPT_PYTHON_CALL(gpuopt_raw_kernel),
    GPUOPT_PYTHON_CALL(gpuopt_vectorize),
    GPUOPT_PYTHON_CALL(gpuopt_guvectorize),
    GPUOPT_PYTHON_CALL(gpuopt_kernel_build_log),
    GPUOPT_PYTHON_CALL(gpuopt_ufunc_reduce),
    GPUOPT_PYTHON_CALL(gpuopt_ufunc_accumulate),
    GPUOPT_PYTHON_CALL(gpuopt_ufunc_outer),
    GPUOPT_PYTHON_CALL(gpuopt_ufunc_at),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace gpuopt_python

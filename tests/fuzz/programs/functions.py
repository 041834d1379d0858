#!/usr/bin/env python3
# tests/fuzz/programs/functions.py -- that programs of the fuzzer call every public function but those that are named
# here, with a reason.
#
#   functions.py RUNNER LIBRARY
#
# Asked are the dynamic symbols: what libgpuopt exports, and what fuzz_runner wants of it. (That programs have every
# verb of the runner in them is the gate's matter: fuzz.py.)
import re
import subprocess
import sys

from tables import OPS, REDUCTIONS

# Functions that random programs do not call, by what tests them instead.
_NOT_CALLED = {
    "the runner calls their rows of ops.def by number (gpuopt_apply, gpuopt_reduce)":
        [f"gpuopt_{name}" for name in [*OPS, *REDUCTIONS]] + [f"gpuopt_{name}_into" for name in OPS],
    "names and texts of constants: tests/unit/api_*, and every binding's tests":
        ["gpuopt_version", "gpuopt_status_name", "gpuopt_status_message", "gpuopt_reason_name", "gpuopt_reason_message",
         "gpuopt_reason_hint",
         "gpuopt_scan_name"],
    "what the loader found and what a device is: tests/loader":
        ["gpuopt_discovery_report", "gpuopt_device_open_report", "gpuopt_device_get_info", "gpuopt_device_name",
         "gpuopt_device_backend",
         "gpuopt_log_set_callback"],
    "references: tests/fault/arguments, and the C++ face, whose copies they are":
        ["gpuopt_array_retain", "gpuopt_device_retain", "gpuopt_stream_retain", "gpuopt_kernel_retain",
         "gpuopt_cfunc_retain"],
    "addresses of memory, which differ from run to run: tests/conformance": ["gpuopt_array_data"],
    "statistics and limits, which are no values of a program: tests/unit/core_*, tests/fault/allocation":
        ["gpuopt_engine_get_stats", "gpuopt_memory_get_stats", "gpuopt_memory_set_limit", "gpuopt_memory_trim"],
    "order between streams and time, which values cannot show: tests/conformance/stream_test, tests/fake_cuda":
        ["gpuopt_stream_default", "gpuopt_stream_synchronize", "gpuopt_stream_wait", "gpuopt_event_record",
         "gpuopt_event_synchronize",
         "gpuopt_event_elapsed", "gpuopt_event_release"],
    "structs of Arrow, whose memory is another library's: tests/unit/api_arrow_test":
        ["gpuopt_to_arrow", "gpuopt_from_arrow"],
    "transforms, whose bits are compared with their definition: tests/unit/cpu_fft_test, core_fft_test":
        ["gpuopt_fft", "gpuopt_ifft", "gpuopt_rfft", "gpuopt_irfft", "gpuopt_hfft", "gpuopt_ihfft", "gpuopt_fftn",
         "gpuopt_ifftn", "gpuopt_rfftn", "gpuopt_irfftn", "gpuopt_fftfreq", "gpuopt_rfftfreq", "gpuopt_fftshift",
         "gpuopt_ifftshift"],
    "statistics, cross, kron, trace, nonzero: tests/unit/core_statistics_test by NumPy's answers":
        [f"gpuopt_{name}" for name in
         "diff ptp trapezoid average cov corrcoef cross kron trace nonzero".split()],
    "linear algebra: tests/unit/core_linalg_test by NumPy's and SciPy's answers, and by properties":
        [f"gpuopt_{name}" for name in (
            "cholesky qr lu lu_factor lu_solve solve solve_triangular inv det slogdet lstsq pinv tensorsolve tensorinv "
            "eigh eigvalsh eig eigvals svd svdvals matrix_rank cond matrix_power expm multi_dot").split()],
    "selection and editing: tests/unit/api_hpp_selection_test by NumPy's answers":
        [f"gpuopt_{name}" for name in (
            "choose select piecewise compress extract flatnonzero trim_zeros copyto putmask place fill_diagonal "
            "put_along_axis apply_at diag_indices diag_indices_from tril_indices triu_indices tril_indices_from "
            "triu_indices_from ravel_multi_index unravel_index ix resize rollaxis fliplr flipud diagflat hstack "
            "vstack dstack column_stack hsplit vsplit dsplit block ediff1d array_equal array_equiv allclose isposinf "
            "isneginf iscomplex isreal").split()],
    "creation: tests/unit/api_hpp_creation_test by NumPy's answers":
        [f"gpuopt_{name}" for name in (
            "linspace_step logspace geomspace linspace_between logspace_between geomspace_between indices mgrid ogrid "
            "fromfunction vander bartlett blackman hamming hanning kaiser i0 frombuffer as_strided "
            "sliding_window_view view_dtype round_decimals finfo iinfo").split()],
    "distributions, PCG64 and states: tests/unit/core_distributions_test by NumPy's answers":
        [f"gpuopt_random_state_{name}" for name in (
            "draw randint_between multinomial dirichlet multivariate_normal bytes get_words set_words").split()] +
        [f"gpuopt_generator_{name}" for name in (
            "draw integers_between multinomial dirichlet multivariate_normal multivariate_hypergeometric permuted "
            "bytes create_pcg64 spawn advance get_words set_words").split()],
    "signals: tests/unit/core_signal_test by NumPy's answers":
        [f"gpuopt_{name}" for name in "gradient interp convolve correlate unwrap nancumsum nancumprod".split()],
    "polynomials, numbers, convolutions of several dimensions, functions of lines: tests/unit/core_numbers_test by "
    "NumPy's and SciPy's answers":
        [f"gpuopt_{name}" for name in (
            "polyval polyadd polysub polymul polydiv polyder polyint polyfit polyfit_cov roots poly frexp ldexp modf "
            "divmod spacing float_power xlogy entr convolve_nd correlate_nd choose_conv_method histogramdd "
            "histogramdd_with apply_along_axis").split()],
    "text files: tests/unit/core_text_files_test by NumPy's answers, tests/fuzz/targets/core_text_table":
        ["gpuopt_loadtxt", "gpuopt_loadtxt_memory", "gpuopt_savetxt"],
    "several processes: tests/comm against what one process computes":
        [f"gpuopt_comm_{name}" for name in (
            "init init_devices run_devices give_up retain release rank size name get_traffic report split barrier "
            "all_reduce reduce reduce_scatter broadcast all_gather gather scatter all_to_all send recv "
            "send_recv").split()],
    "arrays that are cut over several processes: tests/comm against the functions for whole arrays":
        [f"gpuopt_shard_{name}" for name in (
            "from_parts from_parts_along from_array from_whole with draw load_npy save_npy retain release part comm "
            "rows axis bounds reduce matmul crossprod sort gather halo recut along").split()],
    "sorting, searching and sets: tests/unit/core_sort_test by NumPy's answers, cpu_sort_test":
        [f"gpuopt_{name}" for name in (
            "sort argsort partition argpartition top_k lexsort take_along_axis searchsorted digitize bincount "
            "histogram histogram_with unique_values unique_counts unique_inverse unique_all isin union1d "
            "intersect1d setdiff1d setxor1d median quantile percentile nanmedian nanquantile nanpercentile "
            "quantile_weighted percentile_weighted nanquantile_weighted nanpercentile_weighted").split()],
    "options of operations: tests/unit/api_hpp_apply_test by NumPy's answers": ["gpuopt_apply_with"],
    "what is asked of streams and devices: tests/unit/api_hpp_apply_test, tests/fake_cuda/streams_test":
        ["gpuopt_stream_query", "gpuopt_event_query", "gpuopt_stream_native", "gpuopt_device_get_attribute"],
    "bundles, which are files that a command makes: tests/unit/api_bundle*, tests/fuzz/targets":
        ["gpuopt_bundle_build", "gpuopt_bundle_load", "gpuopt_bundle_load_memory"],
    "indices of every kind, subscripts and modes, against NumPy: tests/unit/core_index_test, core_einsum_test, "
    "core_matmul_test":
        ["gpuopt_get", "gpuopt_set", "gpuopt_einsum", "gpuopt_matmul_with"],
    "what a compiler says of a kernel: tests/conformance/kernel_test, raw_kernel_test":
        ["gpuopt_kernel_nin", "gpuopt_kernel_nout", "gpuopt_kernel_build_log", "gpuopt_raw_kernel_attributes",
         "gpuopt_cancel_compilations"],
    "textures, against NumPy: tests/conformance/texture_kernel_test, tests/kernels/search_textures.py":
        ["gpuopt_texture_create", "gpuopt_texture_object", "gpuopt_texture_retain", "gpuopt_texture_release"],
}


def _symbols(path, which):
    listed = subprocess.run(["nm", "-D", f"--{which}-only", "--without-symbol-versions", path], capture_output=True,
                            text=True, check=True)
    return set(re.findall(r"\b(gpuopt_\w+)$", listed.stdout, re.M))


def main():
    runner, library = sys.argv[1:]
    exported, called = _symbols(library, "defined"), _symbols(runner, "undefined")
    excused = {name for names in _NOT_CALLED.values() for name in names}
    missing, idle, gone = exported - called - excused, excused & called, excused - exported
    for name in sorted(missing):
        print(f"no program of the fuzzer calls {name}: give it a verb, or a reason in functions.py")
    for name in sorted(idle):
        print(f"programs of the fuzzer call {name}, which functions.py excuses from that")
    for name in sorted(gone):
        print(f"functions.py excuses {name}, which libgpuopt does not export")
    print(f"{len(exported & called)} functions are called, {len(exported & excused)} are excused with a reason, "
          f"{len(missing)} are neither")
    return 1 if missing or idle or gone or len(exported) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())

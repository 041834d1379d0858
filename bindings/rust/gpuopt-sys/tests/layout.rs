// bindings/rust/gpuopt-sys/tests/layout.rs -- sizes and offsets of every struct, and the numbers, are those the C
// compiler gives.
use gpuopt_sys::*;
use std::collections::BTreeMap;
use std::process::Command;

/// For each member, its name in C and the offset Rust gives it; the size stands under the struct's own name.
macro_rules! layouts {
    ($($name:ident { $($field:ident),* })*) => {{
        let mut found: Vec<(String, usize)> = Vec::new();
        $(
            let place = std::mem::MaybeUninit::<$name>::uninit();
            found.push((format!("sizeof({})", stringify!($name)), std::mem::size_of::<$name>()));
            $(
                // SAFETY: only an address is computed.
                let field = unsafe { std::ptr::addr_of!((*place.as_ptr()).$field) } as usize;
                let name = format!("offsetof({}, {})", stringify!($name), stringify!($field).trim_start_matches("r#"));
                found.push((name, field - place.as_ptr() as usize));
            )*
        )*
        found
    }};
}
macro_rules! numbers {
    ($($name:ident)*) => { vec![$((stringify!($name).to_string(), $name as i64)),*] };
}

fn rust_layouts() -> Vec<(String, usize)> {
    layouts! {
        gpuopt_error { struct_size, code, reason, backend_code, message }
        gpuopt_scalar { kind, reserved, value, imag }
        gpuopt_float_limits {
            struct_size, bits, mantissa_bits, exponent_bits, precision, max_exponent, min_exponent, dtype, eps, epsneg,
            max, min, smallest_normal, smallest_subnormal, resolution
        }
        gpuopt_integer_limits { struct_size, bits, min, max }
        gpuopt_memory_stats { struct_size, reserved, in_use, cached, peak_in_use, limit, allocations, cache_hits }
        gpuopt_log_record { struct_size, level, reason, reserved, event, requested, used, plugin, detail, hint, line }
        gpuopt_device_options { struct_size, flags, next, plugin_path, plugin_path_count, reserved }
        gpuopt_device_info {
            struct_size, index, name, detail, plugin, plugin_version, memory_bytes, processors, host_memory
        }
        gpuopt_engine_stats { struct_size, reserved, operations, programs, steps, pending }
        gpuopt_print_options { struct_size, precision, threshold, edgeitems, linewidth, repr }
        gpuopt_reduce_options {
            struct_size, flags, next, axes, naxes, keepdims, dtype, reserved, correction, r#where, initial, out
        }
        gpuopt_apply_options { struct_size, flags, next, out, r#where, casting, dtype }
        gpuopt_product_options { struct_size, flags, next, mode, reserved }
        gpuopt_cov_options { struct_size, flags, next, fweights, aweights, columns, reserved, bias }
        gpuopt_mt19937_words { struct_size, flags, next, key, position, has_gauss, gauss }
        gpuopt_pcg64_words { struct_size, flags, next, state, increment, has_uint32, uinteger }
        gpuopt_loadtxt_options {
            struct_size, flags, next, delimiter, comments, quote, missing, usecols, skiprows, max_rows, nusecols,
            has_max_rows, ndmin, dtype, has_filling, reserved, filling
        }
        gpuopt_savetxt_options { struct_size, flags, next, fmt, delimiter, newline, header, footer, comments }
        gpuopt_kernel_options { struct_size, flags, next, preamble, loop_prep, after_loop, reduce_type }
        gpuopt_kernel_call_options {
            struct_size, flags, next, device, size, has_size, block_size, axes, naxes, keepdims
        }
        gpuopt_raw_launch_options { struct_size, flags, next, stream, device, dtypes }
        gpuopt_texture_options {
            struct_size, flags, next, channels, layered, surface, address_x, address_y, address_z, linear,
            normalized_coordinates, normalized_float, reserved
        }
        gpuopt_stencil_options { struct_size, flags, next, mode, ndim, neighborhood, cval, preamble }
        gpuopt_kernel_attributes {
            struct_size, flags, next, max_threads_per_block, registers, shared_bytes, local_bytes
        }
        gpuopt_raw_argument { array, value, bytes }
        gpuopt_index { kind, reserved, start, stop, step }
        ArrowSchema { format, name, metadata, flags, n_children, children, dictionary, release, private_data }
        ArrowArray {
            length, null_count, offset, n_buffers, n_children, buffers, children, dictionary, release, private_data
        }
    }
}

/// Rows of each table, how many there are, and what is written by hand.
fn rust_numbers() -> Vec<(String, i64)> {
    let mut found = numbers! {
        GPUOPT_ERR_INTERNAL GPUOPT_REASON_DEVICE_LOST GPUOPT_BOOL GPUOPT_FLOAT32 GPUOPT_COMPLEX128
        GPUOPT_OP_add GPUOPT_OP_erf GPUOPT_OP_where GPUOPT_REDUCTION_sum GPUOPT_REDUCTION_count_nonzero
        GPUOPT_SCAN_cumulative_prod GPUOPT_COPY_IF_NEEDED GPUOPT_COPY_ALWAYS GPUOPT_COPY_NEVER GPUOPT_INDEX_INTEGER
        GPUOPT_INDEX_SLICE GPUOPT_INDEX_NEWAXIS GPUOPT_INDEX_ELLIPSIS GPUOPT_MAX_NDIM GPUOPT_SLICE_ALL
        GPUOPT_DTYPE_DEFAULT GPUOPT_PAD_CONSTANT GPUOPT_PAD_EDGE GPUOPT_PAD_REFLECT GPUOPT_PAD_SYMMETRIC GPUOPT_PAD_WRAP
        GPUOPT_FFT_BACKWARD GPUOPT_FFT_ORTHO GPUOPT_FFT_FORWARD
        GPUOPT_CONVOLVE_FULL GPUOPT_CONVOLVE_SAME GPUOPT_CONVOLVE_VALID
        GPUOPT_CONVOLVE_AUTO GPUOPT_CONVOLVE_DIRECT GPUOPT_CONVOLVE_FFT
        GPUOPT_NORMAL_SVD GPUOPT_NORMAL_EIGH GPUOPT_NORMAL_CHOLESKY
        GPUOPT_QUANTILE_LINEAR GPUOPT_QUANTILE_LOWER GPUOPT_QUANTILE_HIGHER GPUOPT_QUANTILE_MIDPOINT
        GPUOPT_QUANTILE_NEAREST GPUOPT_QUANTILE_INVERTED_CDF GPUOPT_QUANTILE_AVERAGED_INVERTED_CDF
        GPUOPT_QUANTILE_CLOSEST_OBSERVATION GPUOPT_QUANTILE_INTERPOLATED_INVERTED_CDF GPUOPT_QUANTILE_HAZEN
        GPUOPT_QUANTILE_WEIBULL GPUOPT_QUANTILE_MEDIAN_UNBIASED GPUOPT_QUANTILE_NORMAL_UNBIASED
        GPUOPT_CASTING_DEFAULT GPUOPT_CASTING_NO GPUOPT_CASTING_SAFE GPUOPT_CASTING_SAME_KIND
        GPUOPT_CASTING_UNSAFE GPUOPT_APPLY_STANDARD GPUOPT_ATTRIBUTE_MEMORY_TOTAL GPUOPT_ATTRIBUTE_MEMORY_FREE
        GPUOPT_ATTRIBUTE_PROCESSORS GPUOPT_ATTRIBUTE_COMPUTE_CAPABILITY GPUOPT_ATTRIBUTE_WARP_SIZE
        GPUOPT_ATTRIBUTE_MAX_THREADS_PER_BLOCK GPUOPT_ATTRIBUTE_MAX_THREADS_PER_PROCESSOR
        GPUOPT_ATTRIBUTE_SHARED_BYTES_PER_BLOCK GPUOPT_ATTRIBUTE_SHARED_BYTES_PER_PROCESSOR
        GPUOPT_ATTRIBUTE_REGISTERS_PER_BLOCK GPUOPT_ATTRIBUTE_L2_CACHE_BYTES GPUOPT_ATTRIBUTE_CLOCK
        GPUOPT_ATTRIBUTE_MEMORY_CLOCK GPUOPT_ATTRIBUTE_MEMORY_BUS_BITS GPUOPT_ATTRIBUTE_PCI_BUS
        GPUOPT_ATTRIBUTE_PCI_DEVICE GPUOPT_ATTRIBUTE_DRIVER_VERSION GPUOPT_ATTRIBUTE_HOST_ACCESS
        GPUOPT_ATTRIBUTE_COMPILED_KEPT GPUOPT_ATTRIBUTE_INTERPRETER_KEPT
    };
    // The numbers of rows there are: a row that was added without generating anew is found here.
    found.extend(numbers! { GPUOPT_OP_COUNT GPUOPT_REDUCTION_COUNT GPUOPT_SCAN_COUNT });
    found.push(("GPUOPT_DTYPE_COUNT".into(), i64::from(GPUOPT_COMPLEX128) + 1));
    found
}

/// What a C program prints for these expressions.
fn c_values(expressions: &[String]) -> BTreeMap<String, i64> {
    let folder = std::env::temp_dir().join(format!("gpuopt-layout-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, program) = (folder.join("probe.c"), folder.join("probe"));
    let prints: String =
        expressions.iter().map(|e| format!("  printf(\"%s=%lld\\n\", \"{e}\", (long long)({e}));\n")).collect();
    let arrow = "typedef struct ArrowSchema ArrowSchema;\ntypedef struct ArrowArray ArrowArray;\n";
    let includes = "#include <gpuopt/gpuopt.h>\n#include <stdio.h>\n";
    let text = format!("{includes}{arrow}int main(void) {{\n{prints}  return 0;\n}}\n");
    std::fs::write(&source, text).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let compiled = Command::new(&compiler)
        .arg(concat!("-I", env!("GPUOPT_INCLUDE")))
        .args([&source, &std::path::PathBuf::from("-o"), &program])
        .status()
        .unwrap_or_else(|e| panic!("the C compiler {compiler} could not be run: {e}"));
    assert!(compiled.success());
    let printed = Command::new(&program).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    printed
        .lines()
        .map(|line| line.rsplit_once('=').unwrap())
        .map(|(e, n)| (e.to_string(), n.parse().unwrap()))
        .collect()
}

#[test]
fn layouts_and_numbers_are_those_of_c() {
    let mut rust: Vec<(String, i64)> = rust_layouts().into_iter().map(|(e, n)| (e, n as i64)).collect();
    rust.extend(rust_numbers());
    let c = c_values(&rust.iter().map(|(e, _)| e.clone()).collect::<Vec<_>>());
    assert_eq!(c.len(), rust.len());
    for (expression, value) in rust {
        assert_eq!(c[&expression], value, "{expression}");
    }
}

#[test]
fn scalars_are_made_as_in_c() {
    // SAFETY: the members read are those the kinds name.
    unsafe {
        assert_eq!((gpuopt_scalar_bool(7).kind, gpuopt_scalar_bool(7).value.i), ('?' as i32, 1));
        assert_eq!((gpuopt_scalar_int(-3).kind, gpuopt_scalar_int(-3).value.i), ('i' as i32, -3));
        assert_eq!((gpuopt_scalar_uint(u64::MAX).kind, gpuopt_scalar_uint(u64::MAX).value.u), ('u' as i32, u64::MAX));
        assert_eq!((gpuopt_scalar_real(0.5).kind, gpuopt_scalar_real(0.5).value.f), ('f' as i32, 0.5));
        let z = gpuopt_scalar_complex(1.0, -2.0);
        assert_eq!((z.kind, z.value.f, z.imag), ('c' as i32, 1.0, -2.0));
    }
}

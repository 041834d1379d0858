// bindings/rust/gpuopt/tests/ops.rs -- every row of ops.def, in each of its forms, against Rust's own arithmetic.
use gpuopt::{ops, Array, DType, Device, Result};
use std::collections::BTreeSet;
use std::f64::consts::PI;
use std::ffi::CStr;

fn cpu() -> Device {
    Device::open("cpu").unwrap()
}
fn values(x: &Array) -> Vec<f64> {
    x.astype(DType::FLOAT64).unwrap().to_vec().unwrap()
}
fn expect_close(what: &str, got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (&g, &w)) in got.iter().zip(want).enumerate() {
        let close = g == w || (g.is_nan() && w.is_nan()) || (g - w).abs() <= 1e-13 + 1e-12 * w.abs();
        assert!(close, "{what}: element {i} is {g:e}, not {w:e}");
    }
}

type Form = fn(&[Array]) -> Result<Array>;

/// One operation: its name, the forms it is called in, the inputs, the dtype and what must come out.
struct Row {
    name: &'static str,
    inputs: Vec<Array>,
    dtype: DType,
    want: Vec<f64>,
    forms: Vec<Form>,
}

/// The forms of an operation: function, method, into another array, in place. The last two need a float64 result.
macro_rules! forms {
    ($op:ident $into:ident $assign:ident 1) => {
        vec![
            |x| ops::$op(&x[0]),
            |x| x[0].$op(),
            |x| {
                let mut out = x[0].zeros_like(None)?;
                ops::$into(&x[0], &mut out)?;
                Ok(out)
            },
            |x| {
                let mut out = x[0].copy()?;
                out.$assign()?;
                Ok(out)
            },
        ]
    };
    ($op:ident $into:ident $assign:ident 2) => {
        vec![
            |x| ops::$op(&x[0], &x[1]),
            |x| x[0].$op(&x[1]),
            |x| {
                let mut out = x[0].zeros_like(None)?;
                ops::$into(&x[0], &x[1], &mut out)?;
                Ok(out)
            },
            |x| {
                let mut out = x[0].copy()?;
                out.$assign(&x[1])?;
                Ok(out)
            },
        ]
    };
}

const X: [f64; 8] = [-2.5, -0.75, 0.0, 0.3, 0.9, 1.5, 2.5, 30.0];
const Y: [f64; 8] = [2.0, 2.5, -3.0, 0.3, -0.5, 1.5, 7.0, -4.0];
const M: [i64; 6] = [0, 1, -5, 12, 7, -64];
const N: [i64; 6] = [3, 0, 2, 5, 7, 1];

fn reals(data: &[f64]) -> Array {
    cpu().array(data, &[data.len() as i64]).unwrap()
}
fn integers(data: &[i64]) -> Array {
    cpu().array(data, &[data.len() as i64]).unwrap()
}
fn truth(value: bool) -> f64 {
    f64::from(u8::from(value))
}

macro_rules! unary {
    ($rows:ident $dtype:ident: $($op:ident $into:ident $assign:ident $oracle:expr;)*) => {$(
        let oracle: fn(f64) -> f64 = $oracle;
        $rows.push(Row {
            name: stringify!($op),
            inputs: vec![reals(&X)],
            dtype: DType::$dtype,
            want: X.iter().map(|&x| oracle(x)).collect(),
            forms: forms!($op $into $assign 1),
        });
    )*};
}
macro_rules! binary {
    ($rows:ident $dtype:ident: $($op:ident $into:ident $assign:ident $oracle:expr;)*) => {$(
        let oracle: fn(f64, f64) -> f64 = $oracle;
        $rows.push(Row {
            name: stringify!($op),
            inputs: vec![reals(&X), reals(&Y)],
            dtype: DType::$dtype,
            want: X.iter().zip(Y).map(|(&x, y)| oracle(x, y)).collect(),
            forms: forms!($op $into $assign 2),
        });
    )*};
}
macro_rules! integer {
    ($rows:ident $dtype:ident: $($op:ident $into:ident $assign:ident $oracle:expr;)*) => {$(
        let oracle: fn(i64, i64) -> i64 = $oracle;
        $rows.push(Row {
            name: stringify!($op),
            inputs: vec![integers(&M), integers(&N)],
            dtype: DType::$dtype,
            want: M.iter().zip(N).map(|(&m, n)| oracle(m, n) as f64).collect(),
            forms: forms!($op $into $assign 2),
        });
    )*};
}

fn half_to_even(x: f64) -> f64 {
    if (x - x.trunc()).abs() == 0.5 {
        2.0 * (x / 2.0).round()
    } else {
        x.round()
    }
}
/// By the power series, which converges everywhere.
fn erf(x: f64) -> f64 {
    if x > 6.0 {
        return 1.0; // the rest is below the last bit
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    2.0 / PI.sqrt() * sum
}
fn next_after(x: f64, y: f64) -> f64 {
    match (x == y, x == 0.0, (y > x) == (x > 0.0)) {
        (true, _, _) => y,
        (_, true, _) => f64::from_bits(1).copysign(y),
        (_, _, away) => f64::from_bits(if away { x.to_bits() + 1 } else { x.to_bits() - 1 }),
    }
}

fn real_rows(rows: &mut Vec<Row>) {
    unary! { rows FLOAT64:
        negative negative_into negative_assign |x| -x;
        positive positive_into positive_assign |x| x;
        abs abs_into abs_assign f64::abs;
        sign sign_into sign_assign |x| if x == 0.0 { 0.0 } else { x.signum() };
        square square_into square_assign |x| x * x;
        reciprocal reciprocal_into reciprocal_assign f64::recip;
        sqrt sqrt_into sqrt_assign f64::sqrt;
        cbrt cbrt_into cbrt_assign f64::cbrt;
        ceil ceil_into ceil_assign f64::ceil;
        floor floor_into floor_assign f64::floor;
        trunc trunc_into trunc_assign f64::trunc;
        round round_into round_assign half_to_even;
        real real_into real_assign |x| x;
        imag imag_into imag_assign |_| 0.0;
        conj conj_into conj_assign |x| x;
        exp exp_into exp_assign f64::exp;
        exp2 exp2_into exp2_assign f64::exp2;
        expm1 expm1_into expm1_assign f64::exp_m1;
        log log_into log_assign f64::ln;
        log2 log2_into log2_assign f64::log2;
        log10 log10_into log10_assign f64::log10;
        log1p log1p_into log1p_assign f64::ln_1p;
        sin sin_into sin_assign f64::sin;
        cos cos_into cos_assign f64::cos;
        tan tan_into tan_assign f64::tan;
        asin asin_into asin_assign f64::asin;
        acos acos_into acos_assign f64::acos;
        atan atan_into atan_assign f64::atan;
        sinh sinh_into sinh_assign f64::sinh;
        cosh cosh_into cosh_assign f64::cosh;
        tanh tanh_into tanh_assign f64::tanh;
        asinh asinh_into asinh_assign f64::asinh;
        acosh acosh_into acosh_assign f64::acosh;
        atanh atanh_into atanh_assign f64::atanh;
        deg2rad deg2rad_into deg2rad_assign f64::to_radians;
        rad2deg rad2deg_into rad2deg_assign f64::to_degrees;
        sinc sinc_into sinc_assign |x| if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) };
        erf erf_into erf_assign erf;
        erfc erfc_into erfc_assign |x| 1.0 - erf(x);
    }
    unary! { rows BOOL:
        isnan isnan_into isnan_assign |x| truth(x.is_nan());
        isinf isinf_into isinf_assign |x| truth(x.is_infinite());
        isfinite isfinite_into isfinite_assign |x| truth(x.is_finite());
        signbit signbit_into signbit_assign |x| truth(x.is_sign_negative());
        logical_not logical_not_into logical_not_assign |x| truth(x == 0.0);
    }
    binary! { rows FLOAT64:
        add add_into add_assign |x, y| x + y;
        subtract subtract_into subtract_assign |x, y| x - y;
        multiply multiply_into multiply_assign |x, y| x * y;
        divide divide_into divide_assign |x, y| x / y;
        floor_divide floor_divide_into floor_divide_assign |x, y| (x / y).floor();
        remainder remainder_into remainder_assign |x, y| x - y * (x / y).floor();
        fmod fmod_into fmod_assign |x, y| x % y;
        pow pow_into pow_assign f64::powf;
        hypot hypot_into hypot_assign f64::hypot;
        copysign copysign_into copysign_assign f64::copysign;
        nextafter nextafter_into nextafter_assign next_after;
        logaddexp logaddexp_into logaddexp_assign |x, y| x.max(y) + (-(x - y).abs()).exp().ln_1p();
        atan2 atan2_into atan2_assign f64::atan2;
        heaviside heaviside_into heaviside_assign |x, y| if x == 0.0 { y } else { truth(x > 0.0) };
        maximum maximum_into maximum_assign f64::max;
        minimum minimum_into minimum_assign f64::min;
        fmax fmax_into fmax_assign f64::max;
        fmin fmin_into fmin_assign f64::min;
    }
    binary! { rows BOOL:
        equal equal_into equal_assign |x, y| truth(x == y);
        not_equal not_equal_into not_equal_assign |x, y| truth(x != y);
        less less_into less_assign |x, y| truth(x < y);
        less_equal less_equal_into less_equal_assign |x, y| truth(x <= y);
        greater greater_into greater_assign |x, y| truth(x > y);
        greater_equal greater_equal_into greater_equal_assign |x, y| truth(x >= y);
    }
}

fn integer_rows(rows: &mut Vec<Row>) {
    integer! { rows BOOL:
        logical_and logical_and_into logical_and_assign |m, n| i64::from(m != 0 && n != 0);
        logical_or logical_or_into logical_or_assign |m, n| i64::from(m != 0 || n != 0);
        logical_xor logical_xor_into logical_xor_assign |m, n| i64::from((m != 0) != (n != 0));
    }
    integer! { rows INT64:
        bitwise_and bitwise_and_into bitwise_and_assign |m, n| m & n;
        bitwise_or bitwise_or_into bitwise_or_assign |m, n| m | n;
        bitwise_xor bitwise_xor_into bitwise_xor_assign |m, n| m ^ n;
        bitwise_left_shift bitwise_left_shift_into bitwise_left_shift_assign |m, n| m << n;
        bitwise_right_shift bitwise_right_shift_into bitwise_right_shift_assign |m, n| m >> n;
    }
    rows.push(Row {
        name: "bitwise_invert",
        inputs: vec![integers(&M)],
        dtype: DType::INT64,
        want: M.iter().map(|&m| !m as f64).collect(),
        forms: forms!(bitwise_invert bitwise_invert_into bitwise_invert_assign 1),
    });
}

/// Those that Rust has no function for, at arguments where the value is known, and those of three inputs.
fn other_rows(rows: &mut Vec<Row>) {
    let root = PI.sqrt();
    let (at, gamma) = ([0.5, 1.0, 1.5, 5.0, -0.5], [root, 1.0, root / 2.0, 24.0, -2.0 * root]);
    rows.push(Row {
        name: "gamma",
        inputs: vec![reals(&at)],
        dtype: DType::FLOAT64,
        want: gamma.to_vec(),
        forms: forms!(gamma gamma_into gamma_assign 1),
    });
    rows.push(Row {
        name: "lgamma",
        inputs: vec![reals(&at)],
        dtype: DType::FLOAT64,
        want: gamma.iter().map(|g: &f64| g.abs().ln()).collect(),
        forms: forms!(lgamma lgamma_into lgamma_assign 1),
    });
    rows.push(Row {
        name: "clip",
        inputs: vec![reals(&X)],
        dtype: DType::FLOAT64,
        want: X.iter().map(|x| x.clamp(-1.0, 2.0)).collect(),
        forms: vec![
            |x| ops::clip(&x[0], -1, 2.0),
            |x| x[0].clip(-1, 2.0),
            |x| {
                let mut out = x[0].copy()?;
                out.clip_assign(-1, 2.0)?;
                Ok(out)
            },
            |x| {
                let mut out = x[0].zeros_like(None)?;
                ops::clip_into(&x[0], -1, 2.0, &mut out)?;
                Ok(out)
            },
        ],
    });
    rows.push(Row {
        name: "where",
        inputs: vec![reals(&X), reals(&Y)],
        dtype: DType::FLOAT64,
        want: X.iter().zip(Y).map(|(&x, y)| if x > y { x } else { -1.0 }).collect(),
        forms: vec![|x| ops::where_(x[0].greater(&x[1])?, &x[0], -1), |x| x[0].greater(&x[1])?.where_(&x[0], -1), |x| {
            let mut out = x[0].zeros_like(None)?;
            ops::where_into(&x[0].greater(&x[1])?, &x[0], -1, &mut out)?;
            Ok(out)
        }],
    });
}

/// The names of a table of the library, by number.
fn names(table: unsafe extern "C" fn(i32) -> *const std::os::raw::c_char) -> BTreeSet<String> {
    (0..)
        // SAFETY: any number is allowed; the strings are static.
        .map(|number| unsafe { table(number) })
        .take_while(|name| !name.is_null())
        .map(|name| unsafe { CStr::from_ptr(name) }.to_str().unwrap().to_string())
        .collect()
}

#[test]
fn every_operation_computes_what_rust_does() {
    let mut rows = Vec::new();
    real_rows(&mut rows);
    integer_rows(&mut rows);
    other_rows(&mut rows);
    for row in &rows {
        for (form, call) in row.forms.iter().enumerate() {
            let got = call(&row.inputs).unwrap_or_else(|e| panic!("{}: {e}", row.name));
            let dtype = if form < 2 { row.dtype } else { row.inputs[0].dtype() };
            assert_eq!(got.dtype(), dtype, "{}, form {form}", row.name);
            expect_close(&format!("{}, form {form}", row.name), &values(&got), &row.want);
        }
    }
    let tested: BTreeSet<String> = rows.iter().map(|row| row.name.to_string()).collect();
    assert_eq!(tested, names(gpuopt_sys::gpuopt_op_name), "the table of this test and that of the library");
}

#[test]
fn every_reduction_reduces_rows() {
    type Oracle = fn(&[f64]) -> f64;
    type Call = fn(&Array) -> Result<Array>;
    fn best(row: &[f64], better: fn(f64, f64) -> bool) -> usize {
        (0..row.len()).reduce(|a, b| if better(row[b], row[a]) { b } else { a }).unwrap()
    }
    let table: &[(&str, DType, Call, Oracle)] = &[
        ("sum", DType::FLOAT64, |x| x.sum(1), |row| row.iter().sum()),
        ("prod", DType::FLOAT64, |x| x.prod(1), |row| row.iter().product()),
        ("min", DType::FLOAT64, |x| x.min(1), |row| row[best(row, |a, b| a < b)]),
        ("max", DType::FLOAT64, |x| x.max(1), |row| row[best(row, |a, b| a > b)]),
        ("nanmin", DType::FLOAT64, |x| x.nanmin(1), |row| row[best(row, |a, b| a < b)]),
        ("nanmax", DType::FLOAT64, |x| x.nanmax(1), |row| row[best(row, |a, b| a > b)]),
        ("any", DType::BOOL, |x| x.any(1), |row| truth(row.iter().any(|&x| x != 0.0))),
        ("all", DType::BOOL, |x| x.all(1), |row| truth(row.iter().all(|&x| x != 0.0))),
        ("argmin", DType::INT64, |x| x.argmin(1), |row| best(row, |a, b| a < b) as f64),
        ("argmax", DType::INT64, |x| x.argmax(1), |row| best(row, |a, b| a > b) as f64),
        ("count_nonzero", DType::INT64, |x| x.count_nonzero(1), |row| row.iter().filter(|&&x| x != 0.0).count() as f64),
    ];
    let data = [3.0, -1.5, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0, 7.0, 8.0, 9.0, 7.0];
    let x = cpu().array(&data, &[3, 4]).unwrap();
    for (name, dtype, call, oracle) in table {
        let got = call(&x).unwrap();
        let want: Vec<f64> = data.chunks(4).map(oracle).collect();
        assert_eq!((got.dtype(), got.shape()), (*dtype, &[3i64][..]), "{name}");
        expect_close(name, &values(&got), &want);
    }
    let tested: BTreeSet<String> = table.iter().map(|row| row.0.to_string()).collect();
    assert_eq!(tested, names(gpuopt_sys::gpuopt_reduction_name));
}

#[test]
fn every_scan_runs_along_its_axis() {
    let x = cpu().array(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]).unwrap();
    let sums = x.cumulative_sum(1, None, true).unwrap();
    assert_eq!((sums.shape(), values(&sums)), (&[2i64, 4][..], vec![0.0, 1.0, 3.0, 6.0, 0.0, 4.0, 9.0, 15.0]));
    let products = x.cumulative_prod(0, DType::FLOAT32, false).unwrap();
    assert_eq!((products.dtype(), values(&products)), (DType::FLOAT32, vec![1.0, 2.0, 3.0, 4.0, 10.0, 18.0]));
    let tested = ["cumulative_prod", "cumulative_sum"].map(String::from);
    assert_eq!(BTreeSet::from(tested), names(gpuopt_sys::gpuopt_scan_name));
}

#[test]
fn statistics_are_those_of_the_definitions() {
    let data = [1.0, 2.0, f64::NAN, 4.0, 6.0, 11.0];
    let x = cpu().array(&data, &[2, 3]).unwrap();
    let one = |x: Result<Array>| x.unwrap().item(&[]).unwrap().to_f64();
    let row = x.view(1).unwrap();
    let (mean, var) = (7.0, (9.0 + 1.0 + 16.0) / 3.0);
    let got = [one(row.mean(())), one(row.var(())), one(row.std(()))];
    expect_close("mean, var, std", &got, &[mean, var, f64::sqrt(var)]);
    expect_close("correction", &[one(row.var(gpuopt::Axes::all().correction(1.0)))], &[var * 1.5]);
    expect_close("nansum", &values(&x.nansum(1).unwrap()), &[3.0, 21.0]);
    expect_close("nanprod", &values(&x.nanprod(0).unwrap()), &[4.0, 12.0, 11.0]);
    expect_close("nanmean", &values(&x.nanmean(1).unwrap()), &[1.5, mean]);
    expect_close("nanvar", &values(&x.nanvar(1).unwrap()), &[0.25, var]);
    expect_close("nanstd", &values(&x.nanstd(1).unwrap()), &[0.5, var.sqrt()]);
    expect_close("nanargmin", &values(&x.nanargmin(0).unwrap()), &[0.0, 0.0, 1.0]);
    expect_close("nanargmax", &values(&x.nanargmax(1).unwrap()), &[1.0, 2.0]);
    let inner = x.nan_to_num(0.0, None, None).unwrap();
    expect_close("vector_norm", &values(&inner.vector_norm(1.0, 1).unwrap()), &[3.0, 21.0]);
}

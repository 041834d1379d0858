// bindings/rust/gpuopt/tests/ops.rs -- every row of ops.def, in each of its forms, against numbers that are not the
// library's.
use gpuopt::{ops, Array, DType, Device, Result};
use std::collections::BTreeSet;
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

/// NaNs are equal here, and so are zeros.
fn expect_equal(what: &str, got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (&g, &w)) in got.iter().zip(want).enumerate() {
        assert!(g == w || (g.is_nan() && w.is_nan()), "{what}: element {i} is {g:e}, not {w:e}");
    }
}

type Form = fn(&[Array]) -> Result<Array>;

/// One operation: its name, the inputs, the dtype of the result, what must come out and whether exactly, the forms it
/// is called in.
struct Row {
    name: &'static str,
    inputs: Vec<Array>,
    dtype: DType,
    exact: bool,
    want: &'static [f64],
    forms: Vec<Form>,
}

/// The forms of an operation: function, method, into another array, in place. The last two keep the dtype of the first
/// input.
macro_rules! forms {
    ($op:ident $into:ident $assign:ident $count:tt) => {
        vec![
            |x| call!(ops::$op, $count x),
            |x| call!(Array::$op, $count x),
            |x| into!(ops::$into, $count x),
            |x| in_place!($assign, $count x),
        ]
    };
    ($op:ident $into:ident select) => {
        vec![|x| call!(ops::$op, 3 x), |x| call!(Array::$op, 3 x), |x| into!(ops::$into, 3 x)]
    };
}
macro_rules! call {
    ($function:path, 1 $x:ident) => {
        $function(&$x[0])
    };
    ($function:path, 2 $x:ident) => {
        $function(&$x[0], &$x[1])
    };
    ($function:path, 3 $x:ident) => {
        $function(&$x[0], &$x[1], &$x[2])
    };
}
macro_rules! into {
    ($function:path, $count:tt $x:ident) => {{
        let mut out = $x[0].zeros_like(None)?;
        into!($count $function, $x, out)?;
        Ok(out)
    }};
    (1 $function:path, $x:ident, $out:ident) => {
        $function(&$x[0], &mut $out)
    };
    (2 $function:path, $x:ident, $out:ident) => {
        $function(&$x[0], &$x[1], &mut $out)
    };
    (3 $function:path, $x:ident, $out:ident) => {
        $function(&$x[0], &$x[1], &$x[2], &mut $out)
    };
}
macro_rules! in_place {
    ($assign:ident, $count:tt $x:ident) => {{
        let mut out = $x[0].copy()?;
        in_place!($count $assign, $x, out)?;
        Ok(out)
    }};
    (1 $assign:ident, $x:ident, $out:ident) => {
        $out.$assign()
    };
    (2 $assign:ident, $x:ident, $out:ident) => {
        $out.$assign(&$x[1])
    };
    (3 $assign:ident, $x:ident, $out:ident) => {
        $out.$assign(&$x[1], &$x[2])
    };
}

/// What operations.in is written in: arrays, then an operation to two lines.
macro_rules! rows {
    {
        $($array:ident: $element:ty = [$($value:expr),*];)*
        $($name:literal [$($form:tt)*] ($($input:ident)*) $dtype:ident $exact:literal [$($want:expr),*];)*
    } => {{
        $(const $array: &[$element] = &[$($value),*];)*
        vec![$(Row {
            name: $name,
            inputs: vec![$(cpu().array($input, &[$input.len() as i64]).unwrap()),*],
            dtype: DType::$dtype,
            exact: $exact,
            want: &[$($want),*],
            forms: forms!($($form)*),
        }),*]
    }};
}

#[allow(clippy::approx_constant)] // among the values are some that have names
fn operations() -> Vec<Row> {
    include!("operations.in")
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
fn every_operation_gives_what_its_oracle_does() {
    let rows = operations();
    for row in &rows {
        for (form, call) in row.forms.iter().enumerate() {
            let got = call(&row.inputs).unwrap_or_else(|e| panic!("{}: {e}", row.name));
            let (dtype, what) =
                (if form < 2 { row.dtype } else { row.inputs[0].dtype() }, format!("{}, form {form}", row.name));
            assert_eq!(got.dtype(), dtype, "{what}");
            if row.exact {
                expect_equal(&what, &values(&got), row.want);
            } else {
                expect_close(&what, &values(&got), row.want);
            }
        }
    }
    let tested: BTreeSet<String> = rows.iter().map(|row| row.name.to_string()).collect();
    assert_eq!(tested, names(gpuopt_sys::gpuopt_op_name), "the table of this test and that of the library");
}

#[test]
fn numbers_stand_for_arrays() {
    let x = cpu().array(&[-2.5, 0.3, 30.0], &[3]).unwrap();
    let mut clipped = x.copy().unwrap();
    clipped.clip_assign(-1, 2.0).unwrap();
    assert_eq!(values(&clipped), [-1.0, 0.3, 2.0]);
    let chosen = ops::where_(x.greater(0).unwrap(), &x, -1).unwrap();
    assert_eq!(values(&chosen), [-1.0, 0.3, 30.0]);
}

fn truth(value: bool) -> f64 {
    f64::from(u8::from(value))
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

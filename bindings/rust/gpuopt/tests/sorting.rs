// bindings/rust/gpuopt/tests/sorting.rs -- sorting, searching and sets.
use gpuopt::{lexsort, Array, Axes, Code, Device, QuantileMethod};

fn numbers(data: &[f64]) -> Array {
    Device::open("cpu").unwrap().array(data, &[data.len() as i64]).unwrap()
}
fn integers(data: &[i64]) -> Array {
    Device::open("cpu").unwrap().array(data, &[data.len() as i64]).unwrap()
}
fn values(x: gpuopt::Result<Array>) -> Vec<f64> {
    x.unwrap().to_vec().unwrap()
}
fn places(x: gpuopt::Result<Array>) -> Vec<i64> {
    x.unwrap().to_vec().unwrap()
}
fn code<T>(result: gpuopt::Result<T>) -> Code {
    result.err().expect("an error was expected").code()
}

#[test]
fn orders() {
    let x = numbers(&[3.0, 1.0, 2.0, 0.0, 5.0, 4.0]).reshape(&[2, 3]).unwrap();
    assert_eq!(values(x.sort(1, false)), [1.0, 2.0, 3.0, 0.0, 4.0, 5.0]);
    assert_eq!(values(x.sort(None, true)), [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]);
    assert_eq!(places(x.argsort(-1, false)), [1, 2, 0, 0, 2, 1]);
    assert_eq!(values(x.partition(1, 1))[1], 2.0);
    assert_eq!(places(x.argpartition(-1, None))[5], 4);
    assert_eq!(code(x.sort(2, false)), Code::INDEX);
    let (largest, at) = x.top_k(2, 1, true).unwrap();
    assert_eq!(values(Ok(largest)), [3.0, 2.0, 5.0, 4.0]);
    assert_eq!(places(Ok(at)), [0, 2, 1, 2]);
    assert_eq!(code(x.top_k(4, 1, true)), Code::INVALID_ARGUMENT);
    assert_eq!(values(x.take_along_axis(&x.argsort(0, false).unwrap(), 0)), values(x.sort(0, false)));
    assert_eq!(places(lexsort(&[&integers(&[1, 0, 1, 0]), &integers(&[2, 2, 1, 1])], 0)), [3, 2, 1, 0]);
    assert_eq!(code(lexsort(&[], 0)), Code::INVALID_ARGUMENT);
}

#[test]
fn searches() {
    let x = integers(&[1, 2, 2, 4]);
    assert_eq!(places(x.searchsorted(integers(&[0, 2, 5]), false)), [0, 1, 4]);
    assert_eq!(places(x.searchsorted(2, true)), [3]);
    let mixed = integers(&[4, 1, 2, 2]);
    assert_eq!(places(mixed.searchsorted_by(2, false, &mixed.argsort(0, false).unwrap())), [1]);
    assert_eq!(places(numbers(&[0.5, 1.0, 9.0]).digitize(&integers(&[0, 1, 2]), false)), [1, 2, 3]);
    assert_eq!(places(x.bincount(0)), [0, 1, 2, 0, 1]);
    assert_eq!(values(x.bincount_weighted(&numbers(&[0.5, 1.0, 2.0, 3.0]), 6)), [0.0, 0.5, 3.0, 0.0, 3.0, 0.0]);
    let (counts, edges) = x.histogram(3, None, false).unwrap();
    assert_eq!(places(Ok(counts)), [1, 2, 1]);
    assert_eq!(values(Ok(edges)), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(values(Ok(x.histogram(2, Some((0.0, 4.0)), true).unwrap().0)), [0.125, 0.375]);
    assert_eq!(places(x.histogram_with(&integers(&[0, 2, 4]), false)), [1, 3]);
    assert_eq!(code(x.histogram(0, None, false)), Code::INVALID_ARGUMENT);
}

#[test]
fn sets() {
    let (x, y) = (integers(&[3, 1, 3, 2, 1]), integers(&[2, 3, 9]));
    assert_eq!(places(x.unique_values(false)), [1, 2, 3]);
    assert_eq!(numbers(&[f64::NAN, 1.0, f64::NAN]).unique_values(false).unwrap().shape(), [3]);
    assert_eq!(numbers(&[f64::NAN, 1.0, f64::NAN]).unique_values(true).unwrap().shape(), [2]);
    assert_eq!(places(Ok(x.unique_counts(false).unwrap().1)), [2, 1, 2]);
    assert_eq!(places(Ok(x.unique_inverse(false).unwrap().1)), [2, 0, 2, 1, 0]);
    let (distinct, first, inverse, counts) = x.unique_all(false).unwrap();
    assert_eq!(places(Ok(distinct)), [1, 2, 3]);
    assert_eq!(places(Ok(first)), [1, 3, 0]);
    assert_eq!(places(Ok(inverse)), [2, 0, 2, 1, 0]);
    assert_eq!(places(Ok(counts)), [2, 1, 2]);
    assert_eq!(x.isin(&y, false).unwrap().to_vec::<bool>().unwrap(), [true, false, true, true, false]);
    assert_eq!(x.isin(1, true).unwrap().to_vec::<bool>().unwrap(), [true, false, true, true, false]);
    assert_eq!(places(x.union1d(&y)), [1, 2, 3, 9]);
    assert_eq!(places(x.intersect1d(&y)), [2, 3]);
    assert_eq!(places(x.setdiff1d(&y)), [1]);
    assert_eq!(places(x.setxor1d(&y)), [1, 9]);
}

#[test]
fn quantiles() {
    let x = numbers(&[4.0, 1.0, 3.0, 2.0]);
    assert_eq!(values(x.median(Axes::all())), [2.5]);
    let missing = numbers(&[4.0, f64::NAN, 1.0]);
    assert!(values(missing.median(Axes::all()))[0].is_nan());
    assert_eq!(values(missing.nanmedian(Axes::all())), [2.5]);
    assert_eq!(values(x.quantile(numbers(&[0.0, 0.25, 1.0]), QuantileMethod::Linear, 0)), [1.0, 1.75, 4.0]);
    assert_eq!(values(x.quantile(0.25, QuantileMethod::Higher, 0)), [2.0]);
    assert_eq!(values(x.percentile(50, QuantileMethod::Lower, 0)), [2.0]);
    assert_eq!(values(missing.nanquantile(1, QuantileMethod::Linear, 0)), [4.0]);
    assert_eq!(values(missing.nanpercentile(0, QuantileMethod::Hazen, 0)), [1.0]);
    assert_eq!(code(x.quantile(2, QuantileMethod::Linear, 0)), Code::INVALID_ARGUMENT);
    let weights = numbers(&[1.0, 0.0, 2.0, 5.0]);
    assert_eq!(values(x.quantile_weighted(numbers(&[0.625, 0.75]), &weights, 0)), [2.0, 3.0]);
    assert_eq!(values(x.percentile_weighted(100, &weights, 0)), [4.0]);
    assert_eq!(values(missing.nanquantile_weighted(0.5, &numbers(&[1.0, 1.0, 1.0]), 0)), [1.0]);
    assert_eq!(values(missing.nanpercentile_weighted(51, &numbers(&[1.0, 1.0, 1.0]), 0)), [4.0]);
    assert_eq!(code(x.quantile_weighted(0.5, &numbers(&[1.0]), 0)), Code::SHAPE);
}

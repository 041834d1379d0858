// bindings/rust/gpuopt/tests/numbers.rs -- parts of numbers, polynomials, convolutions of several dimensions,
// histograms of points, normal vectors and functions of lines, whose answers are known.
use gpuopt::{
    Array, Code, ConvolveMethod, ConvolveMode, DType, Device, Generator, NormalMethod, PolyfitOptions, RandomState,
    Result,
};

fn device() -> Device {
    Device::open("cpu").unwrap()
}

fn floats(x: &Array) -> Vec<f64> {
    x.astype(DType::FLOAT64).unwrap().to_vec().unwrap()
}
fn near(x: &Array, expected: &[f64]) {
    let got = floats(x);
    assert_eq!(got.len(), expected.len(), "{got:?} instead of {expected:?}");
    for (a, b) in got.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-12, "{got:?} instead of {expected:?}");
    }
}
fn list(numbers: &[f64]) -> Array {
    device().array(numbers, &[numbers.len() as i64]).unwrap()
}

#[test]
fn numbers_have_parts() -> Result<()> {
    let x = list(&[6.0, -0.375]);
    let (mantissa, exponent) = x.frexp()?;
    assert_eq!(floats(&mantissa), [0.75, -0.75]);
    assert_eq!(exponent.to_vec::<i32>()?, [3, -1]);
    assert_eq!(floats(&mantissa.ldexp(&exponent)?), [6.0, -0.375]);
    assert_eq!(floats(&x.ldexp(1)?), [12.0, -0.75]);
    let (fraction, whole) = list(&[-2.25, 4.0]).modf()?;
    assert_eq!(floats(&fraction), [-0.25, 0.0]);
    assert_eq!(floats(&whole), [-2.0, 4.0]);
    let (quotient, remainder) = list(&[7.0, -7.0]).divmod(3)?;
    assert_eq!(floats(&quotient), [2.0, -3.0]);
    assert_eq!(floats(&remainder), [1.0, 2.0]);
    assert_eq!(floats(&list(&[1.0, -4.0]).spacing()?), [f64::EPSILON, -4.0 * f64::EPSILON]);
    assert_eq!(floats(&list(&[2.0]).float_power(-1)?), [0.5]);
    assert_eq!(floats(&list(&[0.0, 3.0]).xlogy(1.0)?), [0.0, 0.0]);
    assert_eq!(floats(&list(&[0.0, 1.0]).entr()?), [0.0, 0.0]);
    Ok(())
}

#[test]
fn polynomials_are_coefficients() -> Result<()> {
    let (p, one) = (list(&[1.0, -3.0, 2.0]), list(&[1.0, 1.0]));
    assert_eq!(floats(&p.polyval(&list(&[0.0, 5.0]))?), [2.0, 12.0]);
    assert_eq!(floats(&p.polyadd(&one)?), [1.0, -2.0, 3.0]);
    assert_eq!(floats(&p.polysub(&one)?), [1.0, -4.0, 1.0]);
    assert_eq!(floats(&p.polymul(&one)?), [1.0, -2.0, -1.0, 2.0]);
    let (quotient, remainder) = p.polydiv(&list(&[1.0, -1.0]))?;
    assert_eq!(floats(&quotient), [1.0, -2.0]);
    assert_eq!(floats(&remainder), [0.0]);
    assert_eq!(floats(&p.polyder(1)?), [2.0, -3.0]);
    assert_eq!(floats(&one.polyint(1)?), [0.5, 1.0, 0.0]);
    assert_eq!(floats(&one.polyint_with(1, 7)?), [0.5, 1.0, 7.0]);
    assert_eq!(p.roots()?.shape(), [2]);
    assert_eq!(floats(&list(&[1.0, 2.0]).poly()?), [1.0, -3.0, 2.0]);
    let (x, y) = (list(&[0.0, 1.0, 2.0, 3.0]), list(&[1.0, 3.0, 5.0, 7.0]));
    near(&x.polyfit(&y, 1, PolyfitOptions::default())?.x, &[2.0, 1.0]);
    let weighed = PolyfitOptions { weights: Some(&y), rcond: Some(1e-10) };
    near(&x.polyfit(&y, 1, weighed)?.x, &[2.0, 1.0]);
    assert_eq!(x.polyfit_cov(&y, 1, true, PolyfitOptions::default())?.1.shape(), [2, 2]);
    assert_eq!(x.polyfit(&y, -1, PolyfitOptions::default()).unwrap_err().code(), Code::INVALID_ARGUMENT);
    Ok(())
}

#[test]
fn convolutions_are_along_all_axes() -> Result<()> {
    let x = device().array(&[1.0, 2.0, 3.0, 4.0], &[2, 2])?;
    let y = device().array(&[0.0, 1.0], &[1, 2])?;
    for method in [ConvolveMethod::Auto, ConvolveMethod::Direct, ConvolveMethod::Fft] {
        near(&x.convolve_nd(&y, ConvolveMode::Full, method)?, &[0.0, 1.0, 2.0, 0.0, 3.0, 4.0]);
        near(&x.correlate_nd(&y, ConvolveMode::Valid, method)?, &[2.0, 4.0]);
    }
    assert_eq!(x.choose_conv_method(&y, ConvolveMode::Same)?, ConvolveMethod::Direct);
    Ok(())
}

#[test]
fn points_are_counted() -> Result<()> {
    let points = device().array(&[0.0, 0.0, 1.0, 2.0, 1.0, 2.0, 0.25, 1.5], &[4, 2])?;
    let (counts, edges) = points.histogramdd(&[2, 2], None, false)?;
    assert_eq!(floats(&counts), [1.0, 1.0, 0.0, 2.0]);
    assert_eq!(floats(&edges[1]), [0.0, 1.0, 2.0]);
    assert_eq!(floats(&points.histogramdd_with(&[&edges[0], &edges[1]], false)?), floats(&counts));
    let (counts, _) = points.histogramdd(&[1, 1], Some(&[(0.0, 0.5), (0.0, 3.0)]), false)?;
    assert_eq!(floats(&counts), [2.0]);
    assert_eq!(points.histogramdd(&[2, 2], Some(&[]), false).unwrap_err().code(), Code::SHAPE);
    Ok(())
}

#[test]
fn normal_vectors_have_covariances() -> Result<()> {
    let (mean, cov) = (list(&[1.0, 2.0]), device().array(&[2.0, 0.5, 0.5, 1.0], &[2, 2])?);
    let mut rng = Generator::pcg64(&device(), &[5])?;
    for method in [NormalMethod::Svd, NormalMethod::Eigh, NormalMethod::Cholesky] {
        assert_eq!(rng.multivariate_normal(&mean, &cov, method, Some(1e-8), &[3])?.shape(), [3, 2]);
    }
    let mut state = RandomState::new(&device(), 5)?;
    assert_eq!(state.multivariate_normal(&mean, &cov, None, &[])?.shape(), [2]);
    let negative = device().array(&[1.0, 0.0, 0.0, -1.0], &[2, 2])?;
    let refused = state.multivariate_normal(&mean, &negative, Some(1e-8), &[]).unwrap_err();
    assert_eq!(refused.code(), Code::INVALID_ARGUMENT);
    Ok(())
}

#[test]
fn integers_have_bounds_of_their_own() -> Result<()> {
    let (low, high) = (device().array(&[0_i64, 5], &[2])?, device().array(&[3_i64, 400], &[2])?);
    let drawn = Generator::pcg64(&device(), &[1])?.integers_between(&low, &high, false, None, None)?;
    assert_eq!(drawn.to_vec::<i64>()?, [1, 207]); // NumPy's
    let drawn = RandomState::new(&device(), 1)?.randint_between(&low, &high, None, None)?;
    assert_eq!(drawn.to_vec::<i64>()?, [1, 240]);
    let drawn = Generator::new(&device(), 1)?.integers_between(3, &high, true, &[4, 2][..], DType::INT16)?;
    assert_eq!((drawn.shape(), drawn.dtype()), (&[4, 2][..], DType::INT16));
    Ok(())
}

#[test]
fn functions_take_lines() -> Result<()> {
    let x = device().array(&[3.0, 1.0, 2.0, 4.0, 6.0, 5.0], &[2, 3])?;
    assert_eq!(floats(&x.apply_along_axis(-1, |line| line.sort(0, false))?), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(floats(&x.apply_along_axis(0, |line| line.sum(0))?), [7.0, 7.0, 7.0]);
    let fails = |_: &Array| list(&[1.0]).reshape(&[3]);
    assert_eq!(x.apply_along_axis(0, fails).unwrap_err().code(), Code::SHAPE);
    Ok(())
}

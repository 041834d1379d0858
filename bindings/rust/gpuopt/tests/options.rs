// bindings/rust/gpuopt/tests/options.rs -- options of reductions and operations, queries of streams and devices.
use gpuopt::ops::greater;
use gpuopt::{apply_with, apply_with_into, ApplyOptions, Attribute, Axes, Casting, Code, DType, Device};
use gpuopt::{Reduction, Result};

#[test]
fn reductions_take_a_mask_and_a_start() -> Result<()> {
    let xp = Device::open("cpu")?;
    let x = xp.array(&[1.0, 5.0, 3.0, 4.0, 2.0, 6.0], &[2, 3])?;
    let mask = greater(&x, 2)?;
    assert_eq!(x.sum(Axes::of([0]).only(&mask))?.to_vec::<f64>()?, [4.0, 5.0, 9.0]);
    assert_eq!(x.mean(Axes::of([1]).only(&mask))?.to_vec::<f64>()?, [4.0, 5.0]);
    assert_eq!(x.max(Axes::of([1]).only(&mask).initial(4.5))?.to_vec::<f64>()?, [5.0, 6.0]);
    assert_eq!(x.max(Axes::all().only(&mask)).unwrap_err().code(), Code::INVALID_ARGUMENT);
    assert_eq!(x.argmax(Axes::all().only(&mask)).unwrap_err().code(), Code::INVALID_ARGUMENT);
    assert_eq!(x.sum(Axes::all().only(&x)).unwrap_err().code(), Code::TYPE);
    Ok(())
}

#[test]
fn reductions_write_to_an_array() -> Result<()> {
    let xp = Device::open("cpu")?;
    let x = xp.array(&[1.0, 5.0, 3.0, 4.0], &[2, 2])?;
    let mut out = xp.zeros(&[2], DType::INT32)?;
    x.reduce_into(Reduction::Mean, 1, &mut out)?;
    assert_eq!(out.to_vec::<i32>()?, [3, 3]);
    x.reduce_into(Reduction::Sum, Axes::of([0]).initial(0.5), &mut out)?;
    assert_eq!(out.to_vec::<i32>()?, [4, 9]);
    assert_eq!(x.reduce_into(Reduction::Max, (), &mut out).unwrap_err().code(), Code::SHAPE);
    Ok(())
}

#[test]
fn operations_take_options() -> Result<()> {
    let xp = Device::open("cpu")?;
    let (x, mut out) = (xp.array(&[1.5, 2.5], &[2])?, xp.zeros(&[2, 2], DType::INT64)?);
    let plain = ApplyOptions::default();
    assert_eq!(apply_with_into("add", &[(&x).into(), 1.into()], &plain, &mut out).unwrap_err().code(), Code::TYPE);
    let mask = greater(&x, 2)?;
    let cast = ApplyOptions { mask: Some(&mask), casting: Casting::Unsafe, ..plain };
    apply_with_into("add", &[(&x).into(), 1.into()], &cast, &mut out)?;
    assert_eq!(out.to_vec::<i64>()?, [0, 3, 0, 3]);
    let narrow = ApplyOptions { dtype: Some(DType::FLOAT32), ..plain };
    assert_eq!(apply_with("multiply", &[(&x).into(), 2.into()], &narrow)?.to_vec::<f32>()?, [3.0, 5.0]);
    assert_eq!(apply_with("no such", &[x.into()], &plain).unwrap_err().code(), Code::INVALID_ARGUMENT);
    Ok(())
}

#[test]
fn devices_and_streams_answer_queries() -> Result<()> {
    let xp = Device::open("cpu")?;
    let stream = xp.stream()?;
    let event = stream.record()?;
    assert!(stream.done()? && event.done()? && stream.native()?.is_null());
    assert_eq!(xp.attribute(Attribute::Processors)?, i64::from(xp.info()?.processors));
    assert!(xp.attribute(Attribute::MemoryFree)? <= xp.attribute(Attribute::MemoryTotal)?);
    assert_eq!(xp.attribute(Attribute::WarpSize).unwrap_err().code(), Code::UNSUPPORTED);
    Ok(())
}

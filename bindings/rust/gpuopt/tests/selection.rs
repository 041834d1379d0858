// bindings/rust/gpuopt/tests/selection.rs -- selection and editing by conditions and indices, sequences, grids, and
// views of memory.
use gpuopt::{Array, Code, DType, Device, GridAxis, IndexMode, Operand, Result, Scalar, UpdateOp};

fn cpu() -> Device {
    Device::open("cpu").expect("the CPU")
}
fn counting(shape: &[i64]) -> Array {
    let size = shape.iter().product::<i64>();
    cpu().arange(0.0, size as f64, 1.0, None).unwrap().reshape(shape).unwrap()
}
fn wholes(numbers: &[i64]) -> Array {
    cpu().array(numbers, &[numbers.len() as i64]).unwrap()
}
fn floats(x: &Array) -> Vec<f64> {
    x.astype(DType::FLOAT64).unwrap().to_vec().unwrap()
}

#[test]
fn choosing() -> Result<()> {
    let (x, at) = (counting(&[2, 2]), wholes(&[0, 1]));
    let mask = x.greater(1)?;
    assert_eq!(floats(&at.choose(&[7.into(), (&x).into()], IndexMode::Raise)?), [7.0, 1.0, 7.0, 3.0]);
    let outside = wholes(&[2]).choose(&[7.into(), (&x).into()], IndexMode::Raise);
    assert_eq!(outside.unwrap_err().code(), Code::INVALID_ARGUMENT);
    assert_eq!(floats(&gpuopt::select(&[&mask], &[&x], Operand::from(-1))?), [-1.0, -1.0, 2.0, 3.0]);
    assert_eq!(floats(&x.piecewise(&[&mask], &[5.into(), 6.into()])?), [6.0, 6.0, 5.0, 5.0]);
    assert_eq!(floats(&x.compress(&at, 0)?), [2.0, 3.0]);
    assert_eq!(floats(&x.extract(&mask)?), [2.0, 3.0]);
    assert_eq!(floats(&x.flatnonzero()?), [1.0, 2.0, 3.0]);
    assert_eq!(floats(&wholes(&[0, 0, 4, 0]).trim_zeros(None)?), [4.0]);
    Ok(())
}

#[test]
fn editing() -> Result<()> {
    let (mut x, at) = (counting(&[2, 2]), wholes(&[0, 0, 1]));
    let mask = x.greater(1)?.copy()?;
    x.add_at(&[(&at).into(), 0.into()], 10)?;
    assert_eq!(floats(&x), [20.0, 1.0, 12.0, 3.0]);
    assert_eq!(x.add_at(&[(&wholes(&[2])).into()], 1).unwrap_err().code(), Code::INDEX);
    x.apply_at(UpdateOp::Minimum, &[(&at).into()], 12)?;
    x.copyto(0, Some(&mask))?;
    x.fill_diagonal(9, false)?;
    assert_eq!(floats(&x), [9.0, 1.0, 0.0, 9.0]);
    x.putmask(&mask, counting(&[4]))?;
    x.place(&mask, 5)?;
    assert_eq!(floats(&x), [9.0, 1.0, 5.0, 5.0]);
    x.put_along_axis(&wholes(&[1, 0]).reshape(&[2, 1])?, -1, 1)?;
    assert_eq!(floats(&x), [9.0, -1.0, -1.0, 5.0]);
    Ok(())
}

#[test]
fn indices_of_grids() -> Result<()> {
    let [rows, columns] = cpu().tril_indices(2, 0, None)?;
    assert_eq!((floats(&rows), floats(&columns)), (vec![0.0, 1.0, 1.0], vec![0.0, 0.0, 1.0]));
    let flat = gpuopt::ravel_multi_index(&[&wholes(&[1, 2]), &wholes(&[3, 0])], &[3, 4], IndexMode::Raise, false)?;
    assert_eq!(floats(&flat), [7.0, 8.0]);
    assert_eq!(floats(&flat.unravel_index(&[3, 4], false)?[1]), [3.0, 0.0]);
    assert_eq!(gpuopt::ix(&[&wholes(&[1]), &wholes(&[0, 2])])?[1].shape(), [1, 2]);
    assert_eq!(cpu().diag_indices(3, 2)?.len(), 2);
    Ok(())
}

#[test]
fn shapes_by_name() -> Result<()> {
    let x = counting(&[2, 2]);
    assert_eq!(floats(&gpuopt::hstack(&[&x, &x])?), [0.0, 1.0, 0.0, 1.0, 2.0, 3.0, 2.0, 3.0]);
    assert_eq!(gpuopt::vstack(&[&x, &x])?.shape(), [4, 2]);
    assert_eq!(gpuopt::block(&[&[&x, &x], &[&x, &x]])?.shape(), [4, 4]);
    assert_eq!(floats(&x.resize(&[5])?), [0.0, 1.0, 2.0, 3.0, 0.0]);
    assert_eq!(floats(&x.fliplr()?), [1.0, 0.0, 3.0, 2.0]);
    assert_eq!(floats(&x.hsplit(2)?[1]), [1.0, 3.0]);
    assert_eq!(floats(&x.ediff1d()?), [1.0, 1.0, 1.0]);
    assert!(x.array_equal(&x, false)?);
    assert!(!x.array_equiv(1)?);
    assert!(x.allclose(&x, 1e-5, 1e-8, false)?);
    Ok(())
}

#[test]
fn creation_by_rule() -> Result<()> {
    let (x, step) = cpu().linspace_step(0, 1, 5, true, None)?;
    assert_eq!((floats(&x)[1], step), (0.25, Scalar::Real(0.25)));
    assert_eq!(floats(&cpu().geomspace(1, 4, 2, true, None)?), [1.0, 4.0]);
    let ends = wholes(&[4, 9]);
    let (x, steps) = wholes(&[0, 1]).linspace_between(&ends, 3, true, -1, None)?;
    assert_eq!((floats(&x), floats(&steps)), (vec![0.0, 2.0, 4.0, 1.0, 5.0, 9.0], vec![2.0, 4.0]));
    assert_eq!(floats(&wholes(&[1]).logspace_between(2, 2, true, 3, 0, DType::INT64)?), [3.0, 9.0]);
    assert_eq!(floats(&wholes(&[1, 1]).geomspace_between(&ends, 3, true, 0, None)?), [1.0, 1.0, 2.0, 3.0, 4.0, 9.0]);
    let axis = GridAxis { start: 0.into(), stop: 4.into(), step: 2.into() };
    assert_eq!(floats(&cpu().mgrid(&[axis])?), [0.0, 2.0]);
    assert_eq!(floats(&cpu().ogrid(&[axis, axis])?[0]), [0.0, 2.0]);
    assert_eq!(floats(&cpu().indices(&[1, 2], None)?), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(floats(&cpu().bartlett(3)?), [0.0, 1.0, 0.0]);
    assert_eq!(floats(&cpu().frombuffer(&[1, 2, 3], DType::INT8, None, 1)?), [2.0, 3.0]);
    assert_eq!(floats(&wholes(&[2, 3]).vander(Some(2), true)?), [1.0, 2.0, 1.0, 3.0]);
    assert_eq!(floats(&wholes(&[14, 16]).round_decimals(-1)?), [10.0, 20.0]);
    assert_eq!(floats(&wholes(&[1, 2, 3]).as_strided(&[2, 2], &[8, 8])?), [1.0, 2.0, 2.0, 3.0]);
    assert_eq!(wholes(&[1]).as_strided(&[2], &[8]).unwrap_err().code(), Code::INDEX);
    assert_eq!(floats(&wholes(&[1, 2, 3]).sliding_window_view(&[2], None)?), [1.0, 2.0, 2.0, 3.0]);
    assert_eq!(wholes(&[1]).view_dtype(DType::INT8)?.shape(), [8]);
    assert_eq!(gpuopt::iinfo(DType::UINT64)?.max, u64::MAX);
    assert_eq!(gpuopt::finfo(DType::FLOAT64)?.max, f64::MAX);
    Ok(())
}

// bindings/rust/gpuopt/tests/joins.rs -- arrays joined, split, padded and rearranged.
use gpuopt::{broadcast_arrays, concat, einsum, meshgrid, stack, Array, Code, DType, Device, PadMode, Scalar};

fn counting(count: i64, shape: &[i64]) -> Array {
    Device::open("cpu").unwrap().arange(0, count, 1, DType::INT64).unwrap().reshape(shape).unwrap()
}
fn indices(data: &[i64]) -> Array {
    Device::open("cpu").unwrap().array(data, &[data.len() as i64]).unwrap()
}
fn numbers(x: gpuopt::Result<Array>) -> Vec<i64> {
    x.unwrap().to_vec().unwrap()
}
fn each(x: gpuopt::Result<Vec<Array>>) -> Vec<Vec<i64>> {
    x.unwrap().iter().map(|x| x.to_vec().unwrap()).collect()
}
fn shape(x: gpuopt::Result<Array>) -> Vec<i64> {
    x.unwrap().shape().to_vec()
}
fn code<T>(result: gpuopt::Result<T>) -> Code {
    result.err().expect("an error was expected").code()
}

#[test]
fn joined() {
    let (x, y) = (counting(4, &[2, 2]), counting(2, &[1, 2]));
    assert_eq!(numbers(concat(&[&x, &y], 0)), [0, 1, 2, 3, 0, 1]);
    assert_eq!(numbers(concat(&[&y, &x], None)), [0, 1, 0, 1, 2, 3]);
    assert_eq!(code(concat(&[&x, &y], 1)), Code::SHAPE);
    assert_eq!(code(concat(&[], 0)), Code::INVALID_ARGUMENT);
    assert_eq!(numbers(stack(&[&x, &x], 2)), [0, 0, 1, 1, 2, 2, 3, 3]);
    assert_eq!(numbers(x.append(7, None)), [0, 1, 2, 3, 7]);
    let (a, b) = (counting(2, &[2]), counting(3, &[3]));
    assert_eq!(each(meshgrid(&[&a, &b], true)), [[0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2]]);
    assert_eq!(each(broadcast_arrays(&[&x, &a])), [[0, 1, 2, 3], [0, 1, 0, 1]]);
}

#[test]
fn einstein_sums() {
    let (x, y) = (counting(6, &[2, 3]), counting(3, &[3]));
    assert_eq!(numbers(einsum("ij,j->i", &[&x, &y])), [5, 14]);
    assert_eq!(numbers(einsum("ij->ji", &[&x])), [0, 3, 1, 4, 2, 5]);
    assert_eq!(shape(einsum("i,j", &[&y, &y])), [3, 3]);
    assert_eq!(code(einsum("ij,j->k", &[&x, &y])), Code::INVALID_ARGUMENT);
    assert_eq!(code(einsum("i\0", &[&y])), Code::INVALID_ARGUMENT);
    assert_eq!(code(einsum("ij,i", &[&x, &y])), Code::SHAPE);
}

#[test]
fn split() {
    let mut x = counting(6, &[2, 3]);
    assert_eq!(each(x.unstack(-1)), [[0, 3], [1, 4], [2, 5]]);
    assert_eq!(each(x.split(3, 1)), [[0, 3], [1, 4], [2, 5]]);
    assert_eq!(each(x.array_split(2, 1)), [vec![0, 1, 3, 4], vec![2, 5]]);
    assert_eq!(each(x.split_at(&[1], 1)), [vec![0, 3], vec![1, 2, 4, 5]]);
    assert_eq!(code(x.split(2, 1)), Code::INVALID_ARGUMENT);
    assert_eq!(code(x.unstack(2)), Code::INDEX);
    // Parts have the elements of the whole, which are not written while they are lent.
    let parts = x.unstack(0).unwrap();
    let lent = parts[0].as_slice::<i64>().unwrap();
    assert_eq!(code(x.fill(1)), Code::INVALID_ARGUMENT);
    drop(lent);
    x.fill(1).unwrap();
    assert_eq!(parts[1].to_vec::<i64>().unwrap(), [1, 1, 1]);
}

#[test]
fn rearranged() {
    let x = counting(6, &[2, 3]);
    assert_eq!(numbers(x.roll(&[1], &[])), [5, 0, 1, 2, 3, 4]);
    assert_eq!(numbers(x.roll(&[1, 1], &[0, 1])), [5, 3, 4, 2, 0, 1]);
    assert_eq!(numbers(x.repeat(2, 0)), [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]);
    assert_eq!(numbers(x.repeat_each(&indices(&[0, 2]), 0)), [3, 4, 5, 3, 4, 5]);
    assert_eq!(numbers(counting(2, &[2]).tile(&[2])), [0, 1, 0, 1]);
    assert_eq!(numbers(counting(2, &[2]).pad(&[(1, 0)], PadMode::Constant(Scalar::Int(9)))), [9, 0, 1]);
    assert_eq!(numbers(counting(3, &[3]).pad(&[(2, 1)], PadMode::Reflect)), [2, 1, 0, 1, 2, 1]);
    assert_eq!(numbers(counting(3, &[3]).pad(&[(2, 1)], PadMode::Symmetric)), [1, 0, 0, 1, 2, 2]);
    assert_eq!(numbers(counting(3, &[3]).pad(&[(2, 1)], PadMode::Wrap)), [1, 2, 0, 1, 2, 0]);
    assert_eq!(numbers(counting(3, &[3]).pad(&[(2, 1)], PadMode::Edge)), [0, 0, 0, 1, 2, 2]);
    assert_eq!(code(x.pad(&[(1, 1)], PadMode::Edge)), Code::INVALID_ARGUMENT);
    assert_eq!(numbers(x.delete(&indices(&[0, -1]), 1)), [1, 4]);
    assert_eq!(numbers(x.insert(&indices(&[1]), 9, None)), [0, 9, 1, 2, 3, 4, 5]);
}

#[test]
fn with_other_axes() {
    let x = counting(24, &[2, 3, 4]);
    assert_eq!(shape(x.expand_dims_at(&[0, -1])), [1, 2, 3, 4, 1]);
    assert_eq!(shape(x.moveaxis(&[0], &[-1])), [3, 4, 2]);
    assert_eq!(shape(x.swapaxes(0, 2)), [4, 3, 2]);
    assert_eq!(numbers(counting(4, &[2, 2]).rot90(1, [0, 1])), [1, 3, 0, 2]);
    assert_eq!(numbers(counting(4, &[2, 2]).diagonal(0, 0, 1)), [0, 3]);
    assert_eq!(numbers(counting(2, &[2]).diag(1)), [0, 0, 0, 0, 0, 1, 0, 0, 0]);
    assert_eq!(shape(x.ravel()), [24]);
    assert_eq!(shape(counting(3, &[3]).at_least(3)), [1, 3, 1]);
    assert_eq!(code(x.moveaxis(&[0], &[])), Code::INVALID_ARGUMENT);
}

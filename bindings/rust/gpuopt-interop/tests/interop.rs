// bindings/rust/gpuopt-interop/tests/interop.rs -- arrays and elements of other crates, there and back.
#![cfg(all(feature = "ndarray", feature = "half", feature = "num-complex"))]
use gpuopt::{Array, Bf16, Code, DType, Device, Index, F16};
use gpuopt_interop::{from_element, to_element, ArrayInterop, DeviceInterop};
use half::{bf16, f16};
use ndarray::{array, s, Array2, Array3, Axis, Ix2, ShapeBuilder};
use num_complex::Complex;

fn cpu() -> Device {
    Device::open("cpu").unwrap()
}
fn counting(shape: &[i64]) -> Array {
    let count: i64 = shape.iter().product();
    cpu().arange(0, count, 1, DType::FLOAT64).unwrap().reshape(shape).unwrap()
}

#[test]
fn halves_and_complex_numbers_are_elements() {
    let halves = [f16::from_f32(1.5), f16::NEG_INFINITY, f16::MIN_POSITIVE_SUBNORMAL, f16::from_f32(-0.0)];
    let x = cpu().array_of(&halves, &[2, 2]).unwrap();
    assert_eq!(x.dtype(), DType::FLOAT16);
    assert_eq!(x.to_vec::<F16>().unwrap(), [0x3e00, 0xfc00, 0x0001, 0x8000].map(F16));
    assert_eq!(x.to_vec_of::<f16>().unwrap(), halves);
    assert_eq!(x.astype(DType::FLOAT32).unwrap().to_vec::<f32>().unwrap()[0], 1.5);
    let brains = vec![bf16::from_f32(3.0), bf16::MAX];
    let y = cpu().vec_of(brains.clone(), &[2]).unwrap();
    assert_eq!((y.dtype(), y.to_vec_of::<bf16>().unwrap()), (DType::BFLOAT16, brains));
    let z = cpu().vec_of(vec![Complex::new(1.0, 2.0), Complex::new(0.0, -1.0)], &[2]).unwrap();
    assert_eq!(z.dtype(), DType::COMPLEX128);
    let doubled = (z * to_element(Complex::new(0.0, 2.0))).get().unwrap();
    assert_eq!(doubled.to_vec_of::<Complex<f64>>().unwrap(), [Complex::new(-4.0, 2.0), Complex::new(2.0, 0.0)]);
    assert_eq!(doubled.to_vec_of::<Complex<f32>>().unwrap_err().code(), Code::TYPE);
    assert_eq!(from_element::<bf16>(Bf16(0x3f80)), bf16::ONE);
}

#[test]
fn vectors_are_taken_without_a_copy() {
    let data = vec![Complex::new(1.0f32, 2.0); 3];
    let address = data.as_ptr() as usize;
    let x = cpu().vec_of(data, &[3]).unwrap();
    assert_eq!(x.as_slice::<gpuopt::Complex<f32>>().unwrap().as_ptr() as usize, address);
}

#[test]
fn every_layout_is_copied_in_c_order() {
    let a = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as i32);
    let backwards = a.slice(s![.., ..;-1, 1..;2]);
    let x = cpu().copy_ndarray(&backwards).unwrap();
    assert_eq!((x.dtype(), x.shape()), (DType::INT32, &[2, 3, 2][..]));
    assert_eq!(x.to_ndarray::<i32>().unwrap(), backwards.to_owned().into_dyn());
    assert_eq!(cpu().copy_ndarray(&a).unwrap().to_ndarray::<i32>().unwrap(), a.clone().into_dyn());
    assert_eq!(cpu().copy_ndarray(&a.t()).unwrap().shape(), [4, 3, 2]);
    let none = cpu().copy_ndarray(&Array2::<f32>::zeros((0, 3))).unwrap();
    assert_eq!(none.to_ndarray::<f32>().unwrap().shape(), [0, 3]);
    let number = cpu().copy_ndarray(&ndarray::arr0(true)).unwrap();
    assert_eq!(number.to_ndarray::<bool>().unwrap(), ndarray::arr0(true).into_dyn());
    assert_eq!(number.to_ndarray::<u8>().unwrap_err().code(), Code::TYPE);
}

/// The address of the first element of an array of f64.
fn address(x: &Array) -> usize {
    x.as_ndarray::<f64>().unwrap().view().as_ptr() as usize
}

#[test]
fn arrays_are_taken_without_a_copy_where_they_have_no_gaps() {
    let a = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let at = a.as_ptr() as usize;
    let x = cpu().adopt_ndarray(a.clone()).unwrap();
    assert_ne!(address(&x), at);
    assert_eq!(x.to_ndarray::<f64>().unwrap(), a.clone().into_dyn());
    let x = cpu().adopt_ndarray(a).unwrap();
    assert_eq!(address(&x), at);
    let f = Array2::from_shape_fn((2, 3).f(), |(i, j)| (10 * i + j) as f64);
    let at = f.as_ptr() as usize;
    let y = cpu().adopt_ndarray(f.clone()).unwrap();
    assert_eq!(y.to_ndarray::<f64>().unwrap(), f.clone().into_dyn());
    let y = cpu().adopt_ndarray(f).unwrap();
    assert_eq!((address(&y), y.strides()), (at, &[8, 16][..]));
    let mut part = Array2::from_shape_fn((4, 3), |(i, j)| (10 * i + j) as f64);
    part.slice_collapse(s![1..3, ..]); // in C order, with elements around
    let want = part.clone().into_dyn();
    assert_eq!(cpu().adopt_ndarray(part).unwrap().to_ndarray::<f64>().unwrap(), want);
    let mut gaps = Array2::from_shape_fn((4, 3), |(i, j)| (10 * i + j) as f64);
    gaps.slice_collapse(s![..;-2, ..2]);
    let want = gaps.clone().into_dyn();
    assert_eq!(cpu().adopt_ndarray(gaps).unwrap().to_ndarray::<f64>().unwrap(), want);
}

#[test]
fn views_show_elements_where_they_lie() {
    let mut x = counting(&[3, 4]);
    let odd = x.view((Index::step(.., -1), Index::step(1.., 2))).unwrap();
    {
        let lent = odd.as_ndarray::<f64>().unwrap();
        let view = lent.view().into_dimensionality::<Ix2>().unwrap();
        assert_eq!(view, array![[9.0, 11.0], [5.0, 7.0], [1.0, 3.0]]);
        assert_eq!(view.sum_axis(Axis(0)), array![15.0, 21.0]);
        assert_eq!(x.fill(0).unwrap_err().code(), Code::INVALID_ARGUMENT);
    }
    let wide = x.broadcast_to(&[2, 3, 4]).unwrap();
    assert_eq!(wide.as_ndarray::<f64>().unwrap().view()[[1, 2, 3]], 11.0);
    x.set_item(&[2, 3], -1.5).unwrap();
    assert_eq!(odd.as_ndarray::<f64>().unwrap().view()[[0, 1]], -1.5);
    assert_eq!(counting(&[0, 2]).as_ndarray::<f64>().unwrap().view().shape(), [0, 2]);
    assert_eq!(counting(&[1]).reshape(&[]).unwrap().as_ndarray::<f64>().unwrap().view().into_owned().len(), 1);
    assert_eq!(x.as_ndarray::<f32>().err().unwrap().code(), Code::TYPE);
}

#[test]
fn views_write_elements_where_they_lie() {
    let mut x = counting(&[2, 3]);
    let clone = x.clone();
    {
        let mut lent = x.as_ndarray_mut::<f64>().unwrap();
        lent.view_mut().index_axis_mut(Axis(1), 1).fill(-1.0);
        assert!(clone.to_vec::<f64>().is_err());
    }
    assert_eq!(clone.to_vec::<f64>().unwrap(), [0.0, -1.0, 2.0, 3.0, -1.0, 5.0]);
    let mut halves = cpu().array_of(&[f16::ONE], &[1]).unwrap();
    halves.as_ndarray_mut::<f16>().unwrap().view_mut()[[0]] = f16::from_f32(0.5);
    assert_eq!(halves.to_vec::<F16>().unwrap(), [F16(0x3800)]);
    assert_eq!(x.t().unwrap().as_ndarray_mut::<f64>().err().unwrap().code(), Code::INVALID_ARGUMENT);
    assert_eq!(x.broadcast_to(&[1, 2, 3]).unwrap().as_ndarray_mut::<f64>().err().unwrap().code(), Code::READ_ONLY);
}

// bindings/rust/gpuopt/tests/arrays.rs -- arrays: ownership, slices without copies, who may write when, views,
// products, errors.
use gpuopt::{broadcast_shapes, promote_types, result_type, Array, Code, Complex, Copy, DType, Device, Element, F16};
use gpuopt::{Bf16, Index, PrintOptions, Scalar};
use std::sync::atomic::{AtomicUsize, Ordering};

fn cpu() -> Device {
    Device::open("cpu").unwrap()
}
fn code<T>(result: gpuopt::Result<T>) -> Code {
    result.err().expect("an error was expected").code()
}
fn counting(count: i64, shape: &[i64]) -> Array {
    cpu().arange(0, count, 1, DType::FLOAT64).unwrap().reshape(shape).unwrap()
}
fn numbers(x: &Array) -> Vec<f64> {
    x.to_vec().unwrap()
}

#[test]
fn memory_goes_with_the_last_reference() {
    // The tests beside this one hold far less.
    let bytes = 96 << 20;
    let in_use = || cpu().memory_stats().unwrap().in_use;
    let x = cpu().zeros(&[bytes / 8], None).unwrap();
    x.eval().unwrap();
    let with = in_use();
    assert!(with >= bytes as u64);
    let (clone, view) = (x.clone(), x.view(5..7).unwrap());
    drop(x);
    drop(clone);
    assert!(in_use() >= bytes as u64, "a view keeps the elements");
    assert_eq!(numbers(&view), [0.0, 0.0]);
    drop(view);
    assert!(in_use() < bytes as u64, "all references are gone");
}

#[test]
fn a_vector_is_dropped_once_after_the_last_array() {
    let data: Vec<i32> = (0..1000).collect();
    let address = data.as_ptr();
    let x = cpu().from_vec(data, &[10, 100]).unwrap();
    let row = x.view(9).unwrap();
    assert_eq!(x.as_slice::<i32>().unwrap().as_ptr(), address);
    drop(x);
    assert_eq!(row.as_slice::<i32>().unwrap()[99], 999);
    drop(row);
    assert_eq!(code(cpu().from_vec(vec![1, 2, 3], &[2, 2])), Code::SHAPE);
    assert_eq!(code(cpu().from_vec(Vec::<f32>::new(), &[-1])), Code::SHAPE);
    assert_eq!(cpu().from_vec(Vec::<f32>::new(), &[0, 3]).unwrap().as_slice::<f32>().unwrap().len(), 0);
}

fn there_and_back<T: Element + PartialEq + std::fmt::Debug>(data: &[T]) {
    let x = cpu().array(data, &[data.len() as i64]).unwrap();
    assert_eq!((x.dtype(), x.nbytes()), (T::DTYPE, std::mem::size_of_val(data)));
    assert_eq!(x.dtype().size(), std::mem::size_of::<T>());
    assert_eq!(x.to_vec::<T>().unwrap(), data);
    assert_eq!(*x.as_slice::<T>().unwrap(), *data);
    assert_eq!(x.flip(&[]).unwrap().as_view::<T>().unwrap()[[0]], data[data.len() - 1]);
}

#[test]
fn elements_of_every_dtype_go_in_and_out() {
    there_and_back(&[true, false, true]);
    there_and_back(&[i8::MIN, 0, i8::MAX]);
    there_and_back(&[i16::MIN, 0, i16::MAX]);
    there_and_back(&[i32::MIN, 0, i32::MAX]);
    there_and_back(&[i64::MIN, 0, i64::MAX]);
    there_and_back(&[0, u8::MAX]);
    there_and_back(&[0, u16::MAX]);
    there_and_back(&[0, u32::MAX]);
    there_and_back(&[0, u64::MAX]);
    there_and_back(&[F16(0x3c00), F16(0xc000)]);
    there_and_back(&[Bf16(0x3f80), Bf16(0xc000)]);
    there_and_back(&[f32::MIN, 0.5]);
    there_and_back(&[f64::MIN, 0.5]);
    there_and_back(&[Complex { re: 1.0f32, im: -2.0 }]);
    there_and_back(&[Complex { re: 1.0f64, im: -2.0 }]);
    let halves = cpu().array(&[F16(0x3c00), F16(0xc000)], &[2]).unwrap();
    assert_eq!(numbers(&halves.astype(DType::FLOAT64).unwrap()), [1.0, -2.0]);
}

#[test]
fn slices_are_the_elements_themselves() {
    let mut x = counting(6, &[2, 3]);
    let doubled = (&x * 2).get().unwrap(); // recorded, not yet run
    x.as_mut_slice::<f64>().unwrap()[1] = 10.0;
    assert_eq!(numbers(&doubled), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0], "what was recorded before sees the old values");
    assert_eq!(numbers(&x), [0.0, 10.0, 2.0, 3.0, 4.0, 5.0]);
    x.add_assign(1).unwrap();
    let lent = x.as_slice::<f64>().unwrap();
    assert_eq!(*lent, [1.0, 11.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(numbers(&(&x - &x).get().unwrap()), [0.0; 6], "reading beside a slice is allowed");
    drop(lent);

    let mut t = x.t().unwrap();
    assert_eq!(code(t.as_slice::<f64>()), Code::INVALID_ARGUMENT);
    assert_eq!(code(t.as_mut_slice::<f64>()), Code::INVALID_ARGUMENT);
    assert_eq!(t.as_view::<f64>().unwrap().as_slice(), None);
    assert_eq!(x.as_view::<f64>().unwrap().as_slice().unwrap()[5], 6.0);
    assert_eq!(t.as_view::<f64>().unwrap().shape(), [3, 2]);
    assert_eq!(code(x.as_slice::<f32>()), Code::TYPE);
    assert_eq!(code(x.to_vec::<i64>()), Code::TYPE);
    let mut spread = cpu().ones(&[1], None).unwrap().broadcast_to(&[1, 1]).unwrap();
    assert_eq!(code(spread.as_mut_slice::<f64>()), Code::READ_ONLY);
}

#[test]
fn nothing_writes_beside_a_slice_and_nothing_reads_beside_a_mutable_one() {
    let mut x = counting(4, &[2, 2]);
    let mut clone = x.clone();
    let mut row = x.view(1).unwrap();
    let mask = row.greater(0).unwrap();
    let first = cpu().array(&[0], &[1]).unwrap();
    let mut rng = gpuopt::RandomState::new(&cpu(), 1).unwrap();
    {
        let _lent = x.as_slice::<f64>().unwrap();
        assert_eq!(code(clone.fill(0)), Code::INVALID_ARGUMENT);
        assert_eq!(code(row.assign(1)), Code::INVALID_ARGUMENT);
        assert_eq!(code(row.set_item(&[0], 1)), Code::INVALID_ARGUMENT);
        assert_eq!(code(row.mask_assign(&mask, 1)), Code::INVALID_ARGUMENT);
        assert_eq!(code(row.put(&first, 0, 1)), Code::INVALID_ARGUMENT);
        assert_eq!(code(row.sqrt_assign()), Code::INVALID_ARGUMENT);
        assert_eq!(code(gpuopt::ops::add_into(1, row.clone(), &mut row)), Code::INVALID_ARGUMENT);
        assert_eq!(code(row.as_mut_slice::<f64>()), Code::INVALID_ARGUMENT);
        assert_eq!(code(rng.shuffle(&mut row)), Code::INVALID_ARGUMENT);
    }
    {
        let mut lent = x.as_mut_slice::<f64>().unwrap();
        lent[3] = -1.0;
        assert_eq!(code(clone.sum(())), Code::INVALID_ARGUMENT);
        assert_eq!(code((&clone + 1).get()), Code::INVALID_ARGUMENT);
        assert_eq!(code(row.as_slice::<f64>()), Code::INVALID_ARGUMENT);
        assert_eq!(code(row.copy()), Code::INVALID_ARGUMENT);
        assert_eq!(code(clone.matmul(&clone)), Code::INVALID_ARGUMENT);
        assert_eq!(code(clone.fill(0)), Code::INVALID_ARGUMENT);
        assert!(clone.to_string().starts_with('<'), "{clone}");
    }
    clone.fill(3).unwrap();
    assert_eq!(numbers(&x), [3.0; 4]);
    // Within one call an array may be input and output, as may its views.
    row.add_assign(x.view(0).unwrap()).unwrap();
    row.multiply_assign(row.clone()).unwrap();
    assert_eq!(numbers(&x), [3.0, 3.0, 36.0, 36.0]);
    // Copies are arrays of their own.
    let mut copy = x.astype(DType::FLOAT32).unwrap();
    let _lent = x.as_slice::<f64>().unwrap();
    copy.fill(0).unwrap();
    x.copy().unwrap().fill(0).unwrap();
    x.astype_copy(DType::FLOAT64, Copy::Always).unwrap().fill(0).unwrap();
    x.reshape_copy(&[4], Copy::Always).unwrap().fill(0).unwrap();
}

#[test]
fn threads_read_one_array_and_a_write_waits_for_nobody() {
    let x = counting(10_000, &[100, 100]);
    let total = (0..10_000).sum::<i64>() as f64;
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!((&x + 1).get().unwrap().sum(()).unwrap().item(&[]).unwrap().to_f64(), total + 10_000.0);
                }
            });
        }
    });
    // Writers of clones on several threads: each write happens whole, or is refused.
    let written = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let mut clone = x.clone();
            let written = &written;
            scope.spawn(move || {
                for _ in 0..50 {
                    match clone.add_assign(1) {
                        Ok(()) => _ = written.fetch_add(1, Ordering::Relaxed),
                        Err(error) => assert_eq!(error.code(), Code::INVALID_ARGUMENT),
                    }
                }
            });
        }
    });
    let sum = x.sum(()).unwrap().item(&[]).unwrap().to_f64();
    assert_eq!(sum, total + 10_000.0 * written.load(Ordering::Relaxed) as f64);
}

#[test]
fn a_thousand_threads_get_their_own_messages() {
    let xp = cpu();
    std::thread::scope(|scope| {
        for i in 0..1000i64 {
            let xp = &xp;
            std::thread::Builder::new()
                .stack_size(256 << 10)
                .spawn_scoped(scope, move || {
                    let (x, y) = (xp.zeros(&[i + 2], None).unwrap(), xp.zeros(&[2, i + 3], None).unwrap());
                    let error = (x + y).get().unwrap_err();
                    assert_eq!(error.code(), Code::SHAPE);
                    let shapes = (format!("({},)", i + 2), format!("(2, {})", i + 3));
                    assert!(error.message().contains(&shapes.0) && error.message().contains(&shapes.1), "{error}");
                })
                .unwrap();
        }
    });
}

#[test]
fn operators_take_arrays_and_numbers() {
    let x = cpu().array(&[1.0, 2.0, 4.0], &[3]).unwrap();
    let i = cpu().array(&[6, 5, -3], &[3]).unwrap();
    let real = |y: gpuopt::Expr| numbers(&y.get().unwrap());
    let whole = |y: gpuopt::Expr| y.get().unwrap().to_vec::<i32>().unwrap();
    assert_eq!(real(&x + &x), [2.0, 4.0, 8.0]);
    assert_eq!(real(x.clone() - 1), [0.0, 1.0, 3.0]);
    assert_eq!(real(&x * x.clone()), [1.0, 4.0, 16.0]);
    assert_eq!(real(8.0 / &x), [8.0, 4.0, 2.0]);
    assert_eq!(real(1 - x.clone()), [0.0, -1.0, -3.0]);
    assert_eq!(real(-&x), [-1.0, -2.0, -4.0]);
    assert_eq!(whole(&i % 4), [2, 1, 1]);
    assert_eq!(whole(&i & 3), [2, 1, 1]);
    assert_eq!(whole(&i | 1), [7, 5, -3]);
    assert_eq!(whole(&i ^ -1), [-7, -6, 2]);
    assert_eq!(whole(&i << 1), [12, 10, -6]);
    assert_eq!(whole(&i >> 1), [3, 2, -2]);
    assert_eq!(whole(!&i), [-7, -6, 2]);
    let z = (&x * Complex { re: 0.0, im: 1.0 }).get().unwrap();
    assert_eq!(z.to_vec::<Complex<f64>>().unwrap()[2], Complex { re: 0.0, im: 4.0 });
    assert_eq!(real((&x + 1) * 2 / 4), [1.0, 1.5, 2.5]);
    assert_eq!(code(gpuopt::ops::add(1, 2)), Code::INVALID_ARGUMENT);
    assert_eq!(code((&x & &x).get()), Code::TYPE);
}

#[test]
fn views_and_iterators() {
    let x = counting(24, &[2, 3, 4]);
    assert_eq!(x.t().unwrap().shape(), [4, 3, 2]);
    assert_eq!(x.permute_dims(&[1, 0, 2]).unwrap().shape(), [3, 2, 4]);
    assert_eq!(code(x.permute_dims(&[0])), Code::INVALID_ARGUMENT);
    assert_eq!(x.matrix_transpose().unwrap().shape(), [2, 4, 3]);
    assert_eq!(x.reshape(&[-1, 8]).unwrap().shape(), [3, 8]);
    assert_eq!(code(x.t().unwrap().reshape_copy(&[24], Copy::Never)), Code::INVALID_ARGUMENT);
    assert_eq!(x.expand_dims(-1).unwrap().squeeze(&[-1]).unwrap().shape(), [2, 3, 4]);
    assert_eq!(x.flip(&[1]).unwrap().strides(), [96, -32, 8]);
    assert!(x.broadcast_to(&[5, 2, 3, 4]).unwrap().is_read_only());
    assert_eq!(x.view((1, ..=1, 3)).unwrap().to_vec::<f64>().unwrap(), [15.0, 19.0]);
    assert_eq!(x.view((-1, Index::step(..=-1, 2), 1..=2)).unwrap().to_vec::<f64>().unwrap(), [13.0, 14.0, 21.0, 22.0]);
    assert_eq!(x.view(&[Index::At(0), Index::At(0)][..]).unwrap().shape(), [4]);
    assert_eq!(code(x.view(2)), Code::INDEX);
    let rows: Vec<Array> = x.view((0, ..)).unwrap().rows().unwrap().map(Result::unwrap).collect();
    assert_eq!(rows.iter().map(|r| r.item(&[0]).unwrap().to_f64()).collect::<Vec<_>>(), [0.0, 4.0, 8.0]);
    assert_eq!((x.rows().unwrap().len(), x.rows().unwrap().rev().count()), (2, 2));
    assert_eq!(code(x.sum(()).unwrap().rows()), Code::INDEX);
    assert_eq!((x.indices().count(), cpu().zeros(&[2, 0], None).unwrap().indices().count()), (24, 0));
    assert_eq!((x.ndim(), x.size(), x.is_contiguous()), (3, 24, true));
    assert_eq!(broadcast_shapes(&[&[3, 1], &[4]]).unwrap(), [3, 4]);
    assert_eq!(code(broadcast_shapes(&[&[3], &[4]])), Code::SHAPE);
}

#[test]
fn items_and_selections() {
    let mut x = counting(6, &[2, 3]);
    x.set_item(&[-1, -1], 50).unwrap();
    assert_eq!(x.item(&[1, 2]).unwrap(), Scalar::Real(50.0));
    assert_eq!(
        (code(x.item(&[0])), code(x.item(&[2, 0])), code(x.set_item(&[0], 1))),
        (Code::INDEX, Code::INDEX, Code::INDEX)
    );
    let mask = x.greater(2).unwrap();
    assert_eq!(numbers(&x.mask_select(&mask).unwrap()), [3.0, 4.0, 50.0]);
    x.mask_assign(&mask, -1).unwrap();
    assert_eq!(numbers(&x), [0.0, 1.0, 2.0, -1.0, -1.0, -1.0]);
    let at = cpu().array(&[2i64, 0], &[2]).unwrap();
    assert_eq!(numbers(&x.take(&at, 1).unwrap()), [2.0, 0.0, -1.0, -1.0]);
    x.put(&at, 1, 9).unwrap();
    assert_eq!(numbers(&x), [9.0, 1.0, 9.0, 9.0, -1.0, 9.0]);
    assert_eq!(x.equal(9).unwrap().argwhere().unwrap().to_vec::<i64>().unwrap(), [0, 0, 0, 2, 1, 0, 1, 2]);
    let y = cpu().array(&[f64::NAN, f64::INFINITY, 1.0], &[3]).unwrap();
    assert_eq!(numbers(&y.nan_to_num(0.5, Some(2.0), None).unwrap()), [0.5, 2.0, 1.0]);
    assert_eq!(y.isclose(1.000001, 1e-5, 0.0, true).unwrap().to_vec::<bool>().unwrap(), [false, false, true]);
    assert_eq!(
        (Scalar::Real(3.0).to_i64(), Scalar::Real(0.5).to_i64(), Scalar::Uint(u64::MAX).to_i64()),
        (Some(3), None, None)
    );
    assert_eq!(
        (Scalar::from(true).to_f64(), Scalar::from(0).to_bool(), Scalar::Real(f64::NAN).to_i64()),
        (1.0, false, None)
    );
}

#[test]
fn products_and_norms() {
    let (x, y) = (counting(6, &[2, 3]), counting(3, &[3]));
    assert_eq!(numbers(&x.matmul(&y).unwrap()), [5.0, 14.0]);
    assert_eq!(numbers(&y.dot(&y).unwrap()), [5.0]);
    assert_eq!(numbers(&y.outer(&y).unwrap())[4..], [1.0, 2.0, 0.0, 2.0, 4.0]);
    assert_eq!(numbers(&x.vecdot(&y, -1).unwrap()), [5.0, 14.0]);
    assert_eq!(numbers(&x.tensordot(&y, 1).unwrap()), [5.0, 14.0]);
    assert_eq!(numbers(&x.tensordot_axes(&x, &[0, 1], &[0, 1]).unwrap()), [55.0]);
    assert_eq!(code(x.tensordot_axes(&x, &[0, 1], &[0])), Code::SHAPE);
    assert_eq!(numbers(&x.norm().unwrap()), [f64::sqrt(55.0)]);
    assert_eq!(numbers(&x.matrix_norm(Some(1.0), false).unwrap()), [7.0]);
    assert_eq!(x.matrix_norm(None, true).unwrap().shape(), [1, 1]);
    let error = x.matmul(&x).unwrap_err();
    assert_eq!(error.code(), Code::SHAPE);
    assert_eq!(error.message().matches("(2, 3)").count(), 2, "{error}");
}

#[test]
fn creation() {
    let xp = cpu();
    assert_eq!(numbers(&xp.linspace(0.0, 1.0, 3, true, None).unwrap()), [0.0, 0.5, 1.0]);
    assert_eq!(numbers(&xp.eye(2, Some(3), 1, None).unwrap()), [0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(xp.tri(2, None, 0, DType::INT8).unwrap().to_vec::<i8>().unwrap(), [1, 0, 1, 1]);
    assert_eq!(xp.arange(5, 0, -2, None).unwrap().to_vec::<i64>().unwrap(), [5, 3, 1]);
    assert_eq!(xp.full(&[2], 7u8, None).unwrap().dtype(), DType::INT64);
    assert_eq!(code(xp.full(&[2], 300, DType::UINT8)), Code::OVERFLOW);
    assert_eq!(xp.scalar(2.5, None).unwrap().shape(), [0i64; 0]);
    assert_eq!(xp.empty(&[3, 4], DType::FLOAT32).unwrap().nbytes(), 48);
    let x = counting(4, &[2, 2]);
    assert_eq!(numbers(&x.tril(0).unwrap()), [0.0, 0.0, 2.0, 3.0]);
    assert_eq!(numbers(&x.triu(1).unwrap()), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(x.ones_like(DType::BOOL).unwrap().to_vec::<bool>().unwrap(), [true; 4]);
    assert_eq!(numbers(&x.full_like(3, None).unwrap()), [3.0; 4]);
    assert_eq!(x.empty_like(None).unwrap().dtype(), DType::FLOAT64);
}

#[test]
fn dtypes() {
    assert_eq!(DType::from_name("<f4").unwrap(), DType::FLOAT32);
    assert_eq!((DType::INT16.name(), DType::INT16.size(), DType::COMPLEX64.kind()), ("int16", 2, 'c'));
    assert!(DType::from_name("float7").unwrap_err().message().contains("float64"));
    assert_eq!(promote_types(DType::INT64, DType::UINT64).unwrap(), DType::FLOAT64);
    let x = cpu().zeros(&[1], DType::FLOAT32).unwrap();
    assert_eq!(result_type(&[&x, &x.astype(DType::INT32).unwrap()]).unwrap(), DType::FLOAT64);
    assert!(DType::INT8.can_cast(DType::INT16, false).unwrap() && !DType::INT16.can_cast(DType::INT8, false).unwrap());
    assert!(DType::INT16.can_cast(DType::INT8, true).unwrap());
}

#[test]
fn text_is_numpys() {
    let x = cpu().array(&[0.5f32, 1.0], &[2]).unwrap();
    assert_eq!((format!("{x}"), format!("{x:?}").contains("cpu:0")), ("[0.5 1. ]".into(), true));
    let options = PrintOptions { repr: true, ..PrintOptions::default() };
    assert_eq!(x.to_text(options).unwrap(), "array([0.5, 1. ], dtype=float32)");
    let third = (cpu().ones(&[1], None).unwrap() / 3).get().unwrap();
    assert_eq!(third.to_text(PrintOptions { precision: 2, ..PrintOptions::default() }).unwrap(), "[0.33]");
}

/// The lending of elements counts on it: what is no view has elements of its own.
#[test]
fn results_have_elements_of_their_own() {
    let x = cpu().array(&[1i64, 2, 3, 4], &[2, 2]).unwrap();
    let mask = x.greater(0).unwrap();
    let all = cpu().array(&[0i64, 1], &[2]).unwrap();
    let none = || gpuopt::Axes::of([]);
    let results = [
        x.positive(),
        x.real(),
        x.conj(),
        x.round(),
        x.abs(),
        x.floor(),
        x.bitwise_and(-1),
        x.maximum(i64::MIN),
        x.clip(0, 9),
        gpuopt::ops::where_(&mask, &x, 0),
        x.sum(none()),
        x.prod(none()),
        x.min(none()),
        x.nanmax(none()),
        x.nansum(none()),
        x.nanprod(none()),
        x.cumulative_sum(0, None, false),
        x.cumulative_prod(-1, None, false),
        x.nan_to_num(0.0, None, None),
        x.tril(5),
        x.triu(-5),
        x.mask_select(&mask),
        x.take(&all, 0),
        x.matmul(&cpu().eye(2, None, 0, DType::INT64).unwrap()),
        x.outer(&cpu().ones(&[1], DType::INT64).unwrap()),
        x.copy(),
        x.to_device(&cpu()).unwrap().astype_copy(DType::INT64, Copy::Always),
    ];
    let first = |y: &Array| y.as_view::<i64>().unwrap().get(&vec![0; y.ndim()]).unwrap() as *const i64 as usize;
    for (i, result) in results.iter().enumerate() {
        let result = result.as_ref().unwrap();
        let distance = first(result).wrapping_sub(first(&x)) as isize;
        assert!(distance.unsigned_abs() >= x.nbytes(), "result {i}: {result:?}");
    }
    assert_eq!(first(&x.astype(DType::INT64).unwrap()), first(&x), "this one is a view");
}

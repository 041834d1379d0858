// bindings/rust/gpuopt/tests/exchange.rs -- DLPack and Arrow: what is shared, what is copied, and who gives it back.
//
// The other library's structs are written here from the specifications.
use gpuopt::{Array, Arrow, ArrowArray, ArrowSchema, Code, Copy, DType, Device, DlpackTensor};
use std::os::raw::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

fn cpu() -> Device {
    Device::open("cpu").unwrap()
}
fn counting(shape: &[i64]) -> Array {
    let numbers: Vec<f64> = (0..shape.iter().product()).map(|i: i64| i as f64).collect();
    cpu().from_vec(numbers, shape).unwrap()
}

/// `DLManagedTensorVersioned` of DLPack 1.
#[repr(C)]
struct Managed {
    version: [u32; 2],
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
    flags: u64,
    data: *mut c_void,
    device: [i32; 2],
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}
/// What a tensor of this file owns.
struct Owned {
    numbers: Vec<f64>,
    sizes: [i64; 4],
    deleted: Arc<AtomicUsize>,
}
unsafe extern "C" fn delete(tensor: *mut Managed) {
    // SAFETY: both are boxes of `tensor`.
    let (tensor, owned) = unsafe { (Box::from_raw(tensor), Box::from_raw((*tensor).context.cast::<Owned>())) };
    owned.deleted.fetch_add(1, Ordering::SeqCst);
    drop((tensor, owned));
}
/// 0, 1, ... of 2 rows and 3 columns, transposed, in a tensor of this version, flags and code of the dtype.
fn tensor(deleted: &Arc<AtomicUsize>, major: u32, flags: u64, code: u8) -> DlpackTensor {
    let mut owned =
        Box::new(Owned { numbers: (0..6).map(f64::from).collect(), sizes: [3, 2, 1, 3], deleted: Arc::clone(deleted) });
    let (data, shape) = (owned.numbers.as_mut_ptr().cast(), owned.sizes.as_mut_ptr());
    let managed = Box::new(Managed {
        version: [major, 0],
        context: Box::into_raw(owned).cast(),
        deleter: Some(delete),
        flags,
        data,
        device: [1, 0],
        ndim: 2,
        code,
        bits: 64,
        lanes: 1,
        shape,
        strides: shape.wrapping_add(2),
        byte_offset: 0,
    });
    // SAFETY: a valid tensor that nobody else has.
    unsafe { DlpackTensor::from_raw(Box::into_raw(managed).cast()) }.unwrap()
}

#[test]
fn tensors_share_an_arrays_elements() {
    let mut x = counting(&[2, 3]);
    let tensor = x.t().unwrap().to_dlpack(0, Copy::Never).unwrap();
    // SAFETY: DLPack's own struct, which lives as long as the tensor.
    let seen = unsafe { &*tensor.as_ptr().cast::<Managed>() };
    assert_eq!((seen.version[0], seen.flags, seen.ndim, seen.code, seen.bits), (1, 0, 2, 2, 64));
    // SAFETY: as many numbers as dimensions, and an element inside.
    let (shape, strides, last) = unsafe {
        let last = seen.data.cast::<f64>().add(5);
        (*seen.shape.cast::<[i64; 2]>(), *seen.strides.cast::<[i64; 2]>(), last)
    };
    assert_eq!((shape, strides), ([3, 2], [1, 3]));
    x.set_item(&[1, 2], 7.5).unwrap();
    // SAFETY: nobody writes it now.
    assert_eq!(unsafe { *last }, 7.5);
    let read_only = x.broadcast_to(&[4, 2, 3]).unwrap().to_dlpack(-1, Copy::IfNeeded).unwrap();
    // SAFETY: as above.
    assert_eq!(unsafe { &*read_only.as_ptr().cast::<Managed>() }.flags & 1, 1);
    drop(x);
    // SAFETY: the tensor keeps the elements.
    assert_eq!(unsafe { *last }, 7.5);
    let given = tensor.into_raw();
    // SAFETY: it was given away by the line above.
    drop(unsafe { DlpackTensor::from_raw(given) });
    // SAFETY: null is allowed.
    assert!(unsafe { DlpackTensor::from_raw(std::ptr::null_mut()) }.is_none());
}

#[test]
fn arrays_take_tensors_over() {
    let deleted = Arc::new(AtomicUsize::new(0));
    let count = || deleted.load(Ordering::SeqCst);
    let mut x = cpu().from_dlpack(tensor(&deleted, 1, 0, 2), Copy::Never).unwrap();
    assert_eq!(x.to_vec::<f64>().unwrap(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    x.fill(1).unwrap();
    assert_eq!(count(), 0);
    drop(x);
    assert_eq!(count(), 1);
    let copied = cpu().from_dlpack(tensor(&deleted, 1, 0, 2), Copy::Always).unwrap();
    assert_eq!(count(), 2);
    assert_eq!(copied.to_vec::<f64>().unwrap()[1], 3.0);
    let mut constant = cpu().from_dlpack(tensor(&deleted, 1, 1, 2), Copy::IfNeeded).unwrap();
    assert_eq!(constant.fill(1).unwrap_err().code(), Code::READ_ONLY);
    drop(constant);
    assert_eq!(count(), 3);
    drop(tensor(&deleted, 1, 0, 2));
    assert_eq!(count(), 4);
}

#[test]
fn tensors_are_deleted_once_whatever_fails() {
    let deleted = Arc::new(AtomicUsize::new(0));
    let code = |tensor| cpu().from_dlpack(tensor, Copy::IfNeeded).unwrap_err().code();
    assert_eq!(code(tensor(&deleted, 1, 0, 77)), Code::TYPE);
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
    assert_eq!(code(tensor(&deleted, 2, 0, 2)), Code::UNSUPPORTED);
    assert_eq!(deleted.load(Ordering::SeqCst), 2);
}

#[test]
fn elements_that_come_back_are_counted_as_lent() {
    let mut x = counting(&[4]);
    let y = cpu().from_dlpack(x.to_dlpack(0, Copy::Never).unwrap(), Copy::Never).unwrap();
    let z = cpu().from_arrow(x.to_arrow(Copy::Never).unwrap(), Copy::Never).unwrap();
    for back in [&y, &z] {
        let lent = back.as_slice::<f64>().unwrap();
        assert_eq!(x.fill(0).unwrap_err().code(), Code::INVALID_ARGUMENT);
        assert_eq!(lent[3], 3.0);
    }
    x.fill(0).unwrap();
    assert_eq!(y.to_vec::<f64>().unwrap(), [0.0; 4]);
    assert_eq!(z.to_vec::<f64>().unwrap(), [0.0; 4]);
    let copied = cpu().from_dlpack(x.to_dlpack(0, Copy::Always).unwrap(), Copy::IfNeeded).unwrap();
    let _lent = copied.as_slice::<f64>().unwrap();
    x.fill(1).unwrap();
}

#[test]
fn every_dtype_comes_back() {
    use DType as D;
    for dtype in [D::BOOL, D::INT8, D::UINT64, D::FLOAT16, D::BFLOAT16, D::FLOAT32, D::COMPLEX64, D::COMPLEX128] {
        let x = cpu().ones(&[2, 3], dtype).unwrap();
        let y = cpu().from_dlpack(x.to_dlpack(0, Copy::Never).unwrap(), Copy::Never).unwrap();
        assert_eq!((y.dtype(), y.shape()), (dtype, x.shape()));
        assert!(y.equal(&x).unwrap().all(()).unwrap().to_vec::<bool>().unwrap()[0]);
    }
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: the producer's own struct, released once.
    unsafe {
        drop(Arc::from_raw((*schema).private_data.cast::<AtomicUsize>()));
        (*schema).release = None;
    }
}
/// What a column of this file owns.
struct Column {
    _numbers: Vec<i32>,
    _valid: Box<u64>,
    buffers: [*const c_void; 2],
    released: Arc<AtomicUsize>,
}
unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: as above.
    unsafe {
        let column = Box::from_raw((*array).private_data.cast::<Column>());
        column.released.fetch_add(1, Ordering::SeqCst);
        (*array).release = None;
    }
}
/// The int32 numbers 10, 11, 12 behind an offset of one; of `nulls` the second one is null.
fn column(released: &Arc<AtomicUsize>, format: &'static [u8], nulls: bool) -> Arrow {
    let (numbers, valid) = (vec![9, 10, 11, 12], Box::new(!4u64));
    let bits: *const u64 = if nulls { &*valid } else { std::ptr::null() };
    let buffers = [bits.cast(), numbers.as_ptr().cast()];
    let mut own = Box::new(Column { _numbers: numbers, _valid: valid, buffers, released: Arc::clone(released) });
    let mut array = ArrowArray { length: 3, null_count: nulls.into(), offset: 1, n_buffers: 2, ..ArrowArray::new() };
    array.buffers = own.buffers.as_mut_ptr();
    array.private_data = Box::into_raw(own).cast();
    array.release = Some(release_array);
    let mut schema = ArrowSchema { format: format.as_ptr().cast(), flags: 2, ..ArrowSchema::new() };
    schema.private_data = Arc::into_raw(Arc::clone(released)) as *mut c_void;
    schema.release = Some(release_schema);
    // SAFETY: valid structs, which are left as moved.
    let moved = unsafe { Arrow::from_raw(&mut schema, &mut array) };
    assert!(schema.release.is_none() && array.release.is_none());
    moved
}

#[test]
fn columns_share_an_arrays_elements() {
    let mut x = counting(&[4]);
    let column = x.to_arrow(Copy::Never).unwrap();
    // SAFETY: a text of C's, and an element inside; nobody writes it now.
    let element = |i| unsafe { *(*column.array().buffers.add(1)).cast::<f64>().add(i) };
    assert_eq!(unsafe { std::ffi::CStr::from_ptr(column.schema().format) }.to_bytes(), b"g");
    assert_eq!((column.array().length, column.array().null_count), (4, 0));
    x.set_item(&[3], -1).unwrap();
    assert_eq!(element(3), -1.0);
    let wide = x.reshape(&[2, 2]).unwrap().to_arrow(Copy::IfNeeded).unwrap();
    // SAFETY: as above.
    assert_eq!(unsafe { std::ffi::CStr::from_ptr(wide.schema().format) }.to_bytes(), b"+w:2");
    let mut back = cpu().from_arrow(wide, Copy::Never).unwrap();
    drop(x);
    assert_eq!((back.shape(), back.to_vec::<f64>().unwrap()), (&[2, 2][..], vec![0.0, 1.0, 2.0, -1.0]));
    assert_eq!(back.fill(0).unwrap_err().code(), Code::READ_ONLY);
    let code = |x: &Array, copy| x.to_arrow(copy).err().unwrap().code();
    assert_eq!(code(&counting(&[4]).flip(&[]).unwrap(), Copy::Never), Code::INVALID_ARGUMENT);
    assert_eq!(code(&cpu().ones(&[2], DType::COMPLEX64).unwrap(), Copy::IfNeeded), Code::TYPE);
    assert_eq!(code(&cpu().ones(&[], None).unwrap(), Copy::IfNeeded), Code::SHAPE);
}

#[test]
fn arrays_take_columns_over() {
    let released = Arc::new(AtomicUsize::new(0));
    let count = || (released.load(Ordering::SeqCst), Arc::strong_count(&released));
    let x = cpu().from_arrow(column(&released, b"i\0", false), Copy::Never).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [10, 11, 12]);
    assert_eq!(count(), (0, 2)); // the schema has been released
    drop(x);
    assert_eq!(count(), (1, 1));
    let refused = cpu().from_arrow(column(&released, b"i\0", true), Copy::IfNeeded).unwrap_err();
    assert_eq!((refused.code(), count()), (Code::INVALID_ARGUMENT, (2, 1)));
    let (y, valid) = cpu().from_arrow_valid(column(&released, b"i\0", true), Copy::Always).unwrap();
    assert_eq!(valid.unwrap().to_vec::<bool>().unwrap(), [true, false, true]);
    assert_eq!((y.to_vec::<i32>().unwrap()[2], count()), (12, (3, 1)));
    assert!(cpu().from_arrow_valid(column(&released, b"i\0", false), Copy::IfNeeded).unwrap().1.is_none());
    let refused = cpu().from_arrow(column(&released, b"u\0", false), Copy::IfNeeded).unwrap_err();
    assert_eq!((refused.code(), count()), (Code::TYPE, (5, 1)));
    assert_eq!(cpu().from_arrow(Arrow::new(), Copy::IfNeeded).unwrap_err().code(), Code::INVALID_ARGUMENT);
}

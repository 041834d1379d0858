// bindings/rust/gpuopt/tests/device_memory.rs -- elements the host cannot see; tests/bindings/check.sh has a device for
// it.
use gpuopt::{Code, Copy, Device, ElementwiseKernel};

#[test]
#[ignore = "needs a device with memory of its own"]
fn elements_on_a_device_of_its_own_are_copied_not_lent() {
    let (xp, cpu) = (Device::open("cuda!").unwrap(), Device::open("cpu").unwrap());
    assert!(!xp.info().unwrap().host_memory && xp != cpu);
    let mut x = xp.from_vec(vec![1.0, 4.0, 9.0], &[3]).unwrap();
    assert_eq!(x.device(), xp);
    assert_eq!(x.sqrt().unwrap().to_vec::<f64>().unwrap(), [1.0, 2.0, 3.0]);
    assert_eq!(x.as_slice::<f64>().err().unwrap().code(), Code::UNSUPPORTED);
    assert_eq!(x.as_view::<f64>().err().unwrap().code(), Code::UNSUPPORTED);
    assert_eq!(x.as_mut_slice::<f64>().err().unwrap().code(), Code::UNSUPPORTED);
    let here = x.to_device(&cpu).unwrap();
    let lent = here.as_slice::<f64>().unwrap();
    x.fill(0).unwrap(); // other elements than those that are lent
    assert_eq!(*lent, [1.0, 4.0, 9.0]);
    let error = (&x + &here).get().unwrap_err();
    assert_eq!(error.code(), Code::DEVICE_MISMATCH);
    // SAFETY: the text touches nothing but its parameters, at `i`.
    let line = unsafe { ElementwiseKernel::new("T x, T y", "T z", "z = x * 3 + y + i", "line") }.unwrap();
    let z = line.call((&here.to_device(&xp).unwrap(), 0.5)).unwrap();
    assert_eq!((z.device() == xp, z.to_vec::<f64>().unwrap()), (true, vec![3.5, 13.5, 29.5]));
    assert_eq!(line.call((&x, &here)).unwrap_err().code(), Code::DEVICE_MISMATCH);
    assert!(error.message().contains("cuda:0") && error.message().contains("cpu:0"), "{error}");
}

#[test]
#[ignore = "needs a device with memory of its own"]
fn elements_on_a_device_of_its_own_are_exchanged_there() {
    let (xp, cpu) = (Device::open("cuda!").unwrap(), Device::open("cpu").unwrap());
    let mut x = xp.array(&[1.0, 4.0, 9.0], &[3]).unwrap();
    let here = x.to_device(&cpu).unwrap();
    let y = xp.from_dlpack(x.to_dlpack(0, Copy::Never).unwrap(), Copy::Never).unwrap();
    x.fill(2).unwrap();
    assert_eq!((y.device() == xp, y.to_vec::<f64>().unwrap()), (true, vec![2.0; 3]));
    let tensor = |from: &gpuopt::Array| from.to_dlpack(0, Copy::IfNeeded).unwrap();
    assert_eq!(cpu.from_dlpack(tensor(&x), Copy::IfNeeded).unwrap_err().code(), Code::DEVICE_MISMATCH);
    assert_eq!(xp.from_dlpack(tensor(&here), Copy::Never).unwrap_err().code(), Code::INVALID_ARGUMENT);
    let there = xp.from_dlpack(tensor(&here), Copy::IfNeeded).unwrap();
    assert_eq!((there.device() == xp, there.to_vec::<f64>().unwrap()), (true, vec![1.0, 4.0, 9.0]));
    assert_eq!(x.to_arrow(Copy::Never).err().unwrap().code(), Code::INVALID_ARGUMENT);
    let back = xp.from_arrow(there.to_arrow(Copy::IfNeeded).unwrap(), Copy::IfNeeded).unwrap();
    assert_eq!((back.device() == xp, back.to_vec::<f64>().unwrap()), (true, vec![1.0, 4.0, 9.0]));
}

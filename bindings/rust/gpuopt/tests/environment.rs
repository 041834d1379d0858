// bindings/rust/gpuopt/tests/environment.rs -- what the environment says about devices. One test, so that no other
// thread reads variables while they are set.
use gpuopt::{Code, Device, ElementwiseKernel, OpenOptions, Reason};

#[test]
fn the_environment_chooses_and_forbids() {
    // What is switched off is unavailable for a reason, which has a cure.
    std::env::set_var("GPUOPT_DISABLE", "cuda");
    let error = Device::open("cuda!").unwrap_err();
    assert_eq!((error.code(), error.reason()), (Code::UNAVAILABLE, Reason::DISABLED));
    assert_eq!((error.reason().name(), error.code().name()), ("DISABLED", "GPUOPT_ERR_UNAVAILABLE"));
    assert!(error.reason().hint().contains("GPUOPT_DISABLE") && !error.reason().message().is_empty());
    let (xp, reason) = OpenOptions::new().plugin_path("/nowhere").open_report("cuda").unwrap();
    assert_eq!((xp.backend(), reason), ("cpu", Reason::DISABLED));
    std::env::set_var("GPUOPT_BACKEND", "cpu:0");
    assert_eq!(Device::from_environment().unwrap(), xp);
    std::env::remove_var("GPUOPT_BACKEND");
    // Without a compiler of kernels there are still all other operations.
    std::env::set_var("GPUOPT_JIT_POLICY", "off");
    // SAFETY: the text touches nothing but `x` and `y`, at `i`.
    let kernel = unsafe { ElementwiseKernel::new("T x", "T y", "y = x", "copy") }.unwrap();
    let error = kernel.call(xp.ones(&[3], None).unwrap()).unwrap_err();
    assert_eq!(error.code(), Code::JIT_UNAVAILABLE, "{error}");
    assert!(error.message().contains("copy"), "{error}");
}

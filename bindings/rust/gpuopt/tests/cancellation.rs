// bindings/rust/gpuopt/tests/cancellation.rs -- in a program of its own, because a cancellation is for every thread of
// the process that compiles. What is in `compiled` needs a compiler, which tests/bindings/check.sh looks for.
#[allow(dead_code)] // of its functions two are used here
mod common;

mod compiled {
    use super::common::{counting, numbers};
    use gpuopt::RawKernel;

    #[test]
    fn what_is_compiled_later_is_not_meant() {
        let twice = "extern \"C\" __global__ void twice(double *x) { x[threadIdx.x] *= 2; }";
        let (kernel, mut x) = (RawKernel::new(twice, "twice").unwrap(), counting(3, &[3]));
        gpuopt::cancel_compilations();
        // SAFETY: there is an element for each thread.
        unsafe { kernel.launch(1, 3, &mut x) }.unwrap();
        assert_eq!(numbers(&x), [0.0, 2.0, 4.0]);
    }
}

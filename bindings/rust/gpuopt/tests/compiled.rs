// bindings/rust/gpuopt/tests/compiled.rs -- native functions and bundles. What is in `compiled` needs a compiler, which
// tests/bindings/check.sh looks for.
#[allow(dead_code)] // of its functions one is used here
mod common;
use common::expect;
use gpuopt::{build_bundle, load_bundle, load_bundle_bytes, Cfunc, Code};

#[test]
fn what_is_malformed_is_an_error_at_once() {
    expect(Cfunc::new("", "f", "float64"), Code::INVALID_ARGUMENT, &["f", "Syntax error"]);
    expect(Cfunc::new("", "f", "real->real"), Code::INVALID_ARGUMENT, &["Wrong type real"]);
    expect(Cfunc::new("", "f\0", "->void"), Code::INVALID_ARGUMENT, &["name has a NUL"]);
    // SAFETY: nothing of these is run.
    unsafe {
        expect(load_bundle_bytes(b"no bundle"), Code::FORMAT, &["bundle"]);
        expect(load_bundle("/nonexistent/bundle"), Code::IO, &["/nonexistent/bundle"]);
    }
    expect(build_bundle("/nonexistent/record", "/nonexistent/bundle"), Code::IO, &["/nonexistent/record"]);
}

mod compiled {
    use super::*;

    #[test]
    fn a_native_function_lives_as_long_as_a_reference() {
        fn both<T: Send + Sync + Clone>() {}
        both::<Cfunc>();
        let text = "double total(const double *x, int64_t n) { double t = 0; while (n--) t += *x++; return t; }";
        let first = Cfunc::new(text, "total", "const float64*,int64->float64").unwrap();
        let second = first.clone();
        assert_eq!((format!("{first:?}"), first.address()), ("Cfunc(total)".into(), second.address()));
        drop(first);
        // SAFETY: that is its signature, and `second` lives.
        let total: extern "C" fn(*const f64, i64) -> f64 = unsafe { std::mem::transmute(second.address()) };
        let x = [0.5, 1.25, -4.0];
        let threads = [1i64, 2, 3].map(|n| std::thread::spawn(move || total(x.as_ptr(), n)));
        assert_eq!(threads.map(|thread| thread.join().unwrap()), [0.5, 1.75, -2.25]);
        expect(Cfunc::new("double f() {\n  return y;\n}", "f", "->float64"), Code::COMPILE, &["f:2:"]);
    }
}

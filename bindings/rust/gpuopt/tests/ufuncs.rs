// bindings/rust/gpuopt/tests/ufuncs.rs -- functions of one's own. What is in `compiled` needs a compiler, which
// tests/bindings/check.sh looks for.
mod common;
use common::{counting, cpu, expect, numbers};
use gpuopt::{Axes, Code, DType, Gufunc, Operand, Stencil, StencilMode, StencilOptions, Ufunc};

/// Three times one number less another, which is neither associative nor commutative.
fn affine(identity: &str) -> Ufunc {
    let text = "template <class T> T affine(T x, T y) { return 3 * x - y; }";
    // SAFETY: the text touches its arguments only.
    unsafe { Ufunc::new(text, "affine", "int64,int64->int64; float64,float64->float64", identity) }.unwrap()
}

#[test]
fn functions_may_cross_threads_and_say_what_they_are() {
    fn both<T: Send + Sync + Clone>() {}
    both::<Ufunc>();
    both::<Gufunc>();
    both::<Stencil>();
    assert_eq!((affine("").nin(), affine("").nout(), format!("{:?}", affine(""))), (2, 1, "Ufunc(affine)".into()));
}

#[test]
fn what_is_malformed_is_an_error_at_once() {
    // SAFETY: nothing is run.
    let ufunc = |types: &str| unsafe { Ufunc::new("", "f", types, "") };
    expect(ufunc(""), Code::INVALID_ARGUMENT, &["f", "no types"]);
    expect(ufunc("real->real"), Code::INVALID_ARGUMENT, &["Wrong type real"]);
    expect(ufunc("int8->int8\0"), Code::INVALID_ARGUMENT, &["types has a NUL"]);
    // SAFETY: as above.
    expect(unsafe { Gufunc::new("", "g", "int8->int8", "(n)->(k)") }, Code::INVALID_ARGUMENT, &["dimension k"]);
    let stencil = |options: StencilOptions<'_>, body: &str| {
        // SAFETY: as above.
        unsafe { options.stencil("T a, int64 k", "T out", body, "s") }
    };
    expect(stencil(StencilOptions::new(), "return a[k];"), Code::INVALID_ARGUMENT, &["s", "neighborhood"]);
    let crossed = StencilOptions::new().neighborhood(&[(1, -1)]);
    expect(stencil(crossed, "return a[k];"), Code::INVALID_ARGUMENT, &["from 1 to -1"]);
    let nul = StencilOptions::new().preamble("\0");
    expect(stencil(nul, "return a[0];"), Code::INVALID_ARGUMENT, &["preamble has a NUL"]);
}

#[test]
fn arguments_are_checked() {
    let (x, mut y) = (counting(3, &[3]), counting(3, &[3]));
    expect(affine("").call(&x), Code::INVALID_ARGUMENT, &["affine: Wrong number of inputs: 1, but it has 2"]);
    expect(affine("").reduce(&x, Axes::all().correction(1.0)), Code::INVALID_ARGUMENT, &["correction"]);
    expect(affine("").reduce(&counting(4, &[2, 2]), Axes::all()), Code::INVALID_ARGUMENT, &["not reorderable"]);
    let far = cpu().array(&[3i64], &[1]).unwrap();
    expect(affine("").at(&mut y, &far, Some(1.into())), Code::INDEX, &["index 3", "size 3"]);
    expect(affine("").at(&mut y, &far, None), Code::INVALID_ARGUMENT, &["values"]);
    let complex = x.astype(DType::COMPLEX64).unwrap();
    expect(affine("").call((&complex, 1)), Code::TYPE, &["complex64"]);
}

mod compiled {
    use super::*;

    #[test]
    fn types_are_chosen_and_methods_are_in_order() {
        let x = counting(4, &[2, 2]);
        assert_eq!(numbers(&affine("").call((&x, 1)).unwrap()), [-1.0, 2.0, 5.0, 8.0]);
        let whole = cpu().array(&[1i32, 2], &[2]).unwrap();
        assert_eq!(affine("").call((&whole, &whole)).unwrap().dtype(), DType::INT64);
        assert_eq!(numbers(&affine("").reduce(&x, 0).unwrap()), [-2.0, 0.0]);
        assert_eq!(affine("").reduce(&x, Axes::from(1).keepdims()).unwrap().shape(), [2, 1]);
        assert_eq!(numbers(&affine("").accumulate(&x, 1).unwrap()), [0.0, -1.0, 2.0, 3.0]);
        assert_eq!(affine("").outer(&x, &whole).unwrap().shape(), [2, 2, 2]);
    }

    #[test]
    fn at_counts_an_index_as_often_as_it_comes() {
        let mut x = cpu().array(&[1.0, 2.0, 3.0], &[3]).unwrap();
        let places = cpu().array(&[0i64, -1, 0], &[3]).unwrap();
        affine("").at(&mut x, &places, Some(Operand::from(1))).unwrap();
        assert_eq!(numbers(&x), [5.0, 2.0, 8.0]);
        // SAFETY: the text touches its argument only.
        let negate = unsafe { Ufunc::new("double negate(double x) { return -x; }", "negate", "float64->float64", "") };
        negate.unwrap().at(&mut x, &places, None).unwrap();
        assert_eq!(numbers(&x), [5.0, 2.0, -8.0]);
    }

    #[test]
    fn sub_arrays() {
        let text = "template <class T> void dot(array<const T, 1> x, array<const T, 1> y, array<T, 0> z) {
                      z[0] = 0;
                      for (int k = 0; k < x.size(); k++) z[0] += x[k] * y[k];
                    }";
        // SAFETY: the text stays within its arrays.
        let dot = unsafe { Gufunc::new(text, "dot", "float64,float64->float64", "(n),(n)->()") }.unwrap();
        assert_eq!(numbers(&dot.call((&counting(6, &[2, 3]), &counting(3, &[3]))).unwrap()), [5.0, 14.0]);
        expect(dot.call((&counting(6, &[2, 3]), &counting(2, &[2]))), Code::SHAPE, &["core dimension 0", "size 2"]);
    }

    #[test]
    fn neighborhoods() {
        let x = cpu().array(&[1i64, 4, 9, 16], &[4]).unwrap();
        let slope = |options: StencilOptions<'_>| {
            // SAFETY: offsets are literals.
            unsafe { options.stencil("T a", "T out", "return a[1] - a[-1];", "slope") }.unwrap()
        };
        let of = |options: StencilOptions<'_>| slope(options).call(&x).unwrap().to_vec::<i64>().unwrap();
        assert_eq!(of(StencilOptions::new()), [0, 8, 12, 0]);
        assert_eq!(of(StencilOptions::new().cval(-7)), [-7, 8, 12, -7]);
        assert_eq!(of(StencilOptions::new().mode(StencilMode::Reflect)), [3, 8, 12, 7]);
        assert_eq!(of(StencilOptions::new().mode(StencilMode::Nearest)), [3, 8, 12, 7]);
        assert_eq!(of(StencilOptions::new().mode(StencilMode::Wrap)), [-12, 8, 12, -8]);
        let sum = StencilOptions::new().neighborhood(&[(-1, 0)]).preamble("long long none() { return 0; }");
        let body = "T s = none(); for (int k = -1; k <= 0; k++) s += a[k]; return s;";
        // SAFETY: offsets stay within the neighborhood.
        let sum = unsafe { sum.stencil("T a", "T out", body, "sum") }.unwrap();
        assert_eq!(sum.call(&x).unwrap().to_vec::<i64>().unwrap(), [0, 5, 13, 25]);
    }
}

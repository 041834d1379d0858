// bindings/rust/gpuopt/tests/kernels.rs -- kernels of one's own. What is in `compiled` needs a compiler, which
// tests/bindings/check.sh looks for.
mod common;
use common::{counting, cpu, expect, numbers};
use gpuopt::{Code, DType, ElementwiseKernel, KernelOptions, Launch, Operand, ReductionKernel};

/// The texts of these tests write their outputs at `i`, and read within the arrays they are called with.
fn elementwise(inputs: &str, outputs: &str, text: &str, name: &str) -> ElementwiseKernel {
    // SAFETY: as said above.
    unsafe { ElementwiseKernel::new(inputs, outputs, text, name) }.unwrap()
}
fn total() -> ReductionKernel {
    // SAFETY: the texts read and write nothing else.
    unsafe { ReductionKernel::new("T x", "T y", "x", "a + b", "y = a", "0", "total") }.unwrap()
}

#[test]
fn kernels_may_cross_threads() {
    fn both<T: Send + Sync + Clone>() {}
    both::<ElementwiseKernel>();
    both::<ReductionKernel>();
    both::<Launch<'_>>();
}

#[test]
fn a_kernel_says_what_it_is() {
    let plus = elementwise("T x, T y", "T z", "z = x + y", "plus");
    assert_eq!((plus.nin(), plus.nout(), format!("{plus:?}")), (2, 1, "ElementwiseKernel(plus)".into()));
    let clone = total().clone();
    assert_eq!((clone.nin(), clone.nout(), format!("{clone:?}")), (1, 1, "ReductionKernel(total)".into()));
}

#[test]
fn lists_and_names_that_are_none_are_errors_at_once() {
    // SAFETY: nothing is run.
    let made = |inputs: &str, outputs: &str, name: &str| unsafe { ElementwiseKernel::new(inputs, outputs, "", name) };
    expect(made("float32", "T y", "k"), Code::INVALID_ARGUMENT, &["k", "Syntax error", "\"float32\""]);
    expect(made("float x", "T y", "k"), Code::INVALID_ARGUMENT, &["Wrong type float"]);
    expect(made("T x", "T x", "k"), Code::INVALID_ARGUMENT, &["two parameters are named \"x\""]);
    expect(made("T x", "T y", "my kernel"), Code::INVALID_ARGUMENT, &["\"my kernel\""]);
    expect(made("T x\0", "T y", "k"), Code::INVALID_ARGUMENT, &["in_params has a NUL"]);
    // SAFETY: as above.
    let preamble = unsafe { KernelOptions::new().preamble("\0").elementwise("T x", "T y", "", "k") };
    expect(preamble, Code::INVALID_ARGUMENT, &["preamble has a NUL"]);
    // SAFETY: as above.
    let reduction = unsafe { ReductionKernel::new("T x", "T y", "x", "", "y = a", "0", "empty") };
    expect(reduction, Code::INVALID_ARGUMENT, &["empty: ", "cannot be empty"]);
}

#[test]
fn arguments_are_counted() {
    let (plus, x, mut z) = (elementwise("T x, T y", "T z", "z = x + y", "plus"), counting(3, &[3]), counting(3, &[3]));
    expect(plus.call(&x), Code::INVALID_ARGUMENT, &["plus: Wrong number of inputs: 1, but it has 2"]);
    // An output is not written through `&`.
    expect(plus.call((&x, &x, &z)), Code::INVALID_ARGUMENT, &["Wrong number of inputs: 3"]);
    expect(plus.call_into((&x, &x), &mut []), Code::INVALID_ARGUMENT, &["Wrong number of outputs: 0, but it has 1"]);
    expect(plus.call_into(&x, &mut [&mut z, &mut x.clone()]), Code::INVALID_ARGUMENT, &["Wrong number of inputs: 1"]);
    let mut read_only = x.broadcast_to(&[2, 3]).unwrap();
    expect(plus.call_into((&x, 1), &mut [&mut read_only]), Code::READ_ONLY, &["plus", "output z"]);
}

#[test]
fn options_of_calls_are_checked() {
    let (square, x) = (elementwise("raw T x", "T y", "y = x[i] * x[i]", "square"), counting(3, &[3]));
    expect(square.call(&x), Code::INVALID_ARGUMENT, &["square", "Loop size is undecided"]);
    expect(square.sized(3).block_size(33).call(&x), Code::INVALID_ARGUMENT, &["block_size is 33"]);
    let count = elementwise("int64 n", "int64 y", "y = n * i", "count");
    expect(count.sized(3).call(2), Code::INVALID_ARGUMENT, &["count", "no argument is an array"]);
    expect(total().over(2).call(&x), Code::INDEX, &["total"]);
    let wide = gpuopt::Axes::all().dtype(DType::FLOAT64);
    expect(total().over(wide).call(&x), Code::INVALID_ARGUMENT, &["total", "without dtype"]);
    expect(total().over(gpuopt::Axes::all().correction(1.0)).call(&x), Code::INVALID_ARGUMENT, &["correction"]);
}

#[test]
fn nothing_is_written_beside_a_slice() {
    let (copy, x) = (elementwise("T x", "T y", "y = x", "copy"), counting(4, &[2, 2]));
    let (mut row, other) = (x.view(0).unwrap(), counting(2, &[2]));
    let lent = x.as_slice::<f64>().unwrap();
    expect(copy.call_into(&other, &mut [&mut row]), Code::INVALID_ARGUMENT, &["in use"]);
    drop(lent);
    let mut clone = x.clone();
    let _lent = clone.as_mut_slice::<f64>().unwrap();
    expect(copy.call(&x), Code::INVALID_ARGUMENT, &["being written"]);
}

mod compiled {
    use super::*;

    #[test]
    fn arrays_and_numbers_broadcast() {
        let squared = elementwise("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff");
        let x = counting(6, &[2, 3]);
        let z = squared.call((&x, counting(3, &[3]))).unwrap();
        assert_eq!((z.shape(), numbers(&z)), (&[2i64, 3][..], vec![0.0, 0.0, 0.0, 9.0, 9.0, 9.0]));
        assert_eq!(numbers(&squared.call((&x, 2)).unwrap()), [4.0, 1.0, 0.0, 1.0, 4.0, 9.0]);
        let many: Vec<Operand<'_>> = vec![2.5.into(), (&x).into()];
        assert_eq!(numbers(&squared.call(many).unwrap())[..2], [6.25, 2.25]);
        let mixed = elementwise("T x, U y", "U z", "z = U(x) + y", "mixed");
        let ints = cpu().array(&[1i32, 2], &[2]).unwrap();
        let sum = mixed.call((&ints, cpu().array(&[0.5f32, 0.25], &[2]).unwrap())).unwrap();
        assert_eq!(sum.to_vec::<f32>().unwrap(), [1.5, 2.25]);
        expect(squared.call((&ints, &x)), Code::TYPE, &["squared_diff", "Type is mismatched", "float64", "int32"]);
        expect(squared.call((&x, counting(2, &[2]))), Code::SHAPE, &["squared_diff", "(2, 3)", "(2,)"]);
    }

    #[test]
    fn outputs_are_given_or_made() {
        let split = elementwise("T x", "T whole, T rest", "whole = floor(x); rest = x - whole", "split");
        let mut x = cpu().array(&[1.25, -1.25, 7.5], &[3]).unwrap();
        let parts = split.outputs(&x).unwrap();
        let (whole, rest) = (vec![1.0, -2.0, 7.0], vec![0.25, 0.75, 0.5]);
        assert_eq!(parts.iter().map(numbers).collect::<Vec<_>>(), [whole.clone(), rest.clone()]);
        let both = cpu().zeros(&[2, 3], None).unwrap();
        split.call_into(&x, &mut [&mut both.view(0).unwrap(), &mut both.view(1).unwrap()]).unwrap();
        assert_eq!(numbers(&both), [whole, rest.clone()].concat());
        // In place, and from a view that lies otherwise.
        split.call_into(x.clone(), &mut [&mut both.view(0).unwrap(), &mut x]).unwrap();
        assert_eq!(numbers(&x), rest);
        let shift = elementwise("T x", "T y", "y = x", "shift");
        shift.call_into(x.view(..2).unwrap(), &mut [&mut x.view(1..).unwrap()]).unwrap();
        assert_eq!(numbers(&x), [0.25, 0.25, 0.75]);
        x.fill(1).unwrap(); // nothing is held after a call
        expect(shift.call_into(&both, &mut [&mut x]), Code::SHAPE, &["Out shape is mismatched", "(3,)", "(2, 3)"]);
    }

    #[test]
    fn raw_arrays_and_sizes() {
        let reversed = elementwise("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse");
        assert_eq!(numbers(&reversed.call((counting(4, &[4]), counting(4, &[4]))).unwrap()), [3.0; 4]);
        let flat = elementwise("raw T a", "T z", "z = a[i]", "flatten");
        let matrix = counting(6, &[2, 3]).t().unwrap();
        let launch = flat.sized(6).block_size(64);
        assert_eq!(numbers(&launch.call(&matrix).unwrap()), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
        let line = elementwise("int64 slope", "int64 y", "y = slope * i", "line");
        assert_eq!(line.sized(4).on(&cpu()).call(3).unwrap().to_vec::<i64>().unwrap(), [0, 3, 6, 9]);
        let rank = elementwise("", "int32 y", "y = i", "rank");
        assert_eq!(rank.sized(2).on(&cpu()).call(()).unwrap().to_vec::<i32>().unwrap(), [0, 1]);
        let nothing = elementwise("T x", "", "(void)x", "nothing");
        assert_eq!(nothing.outputs(&matrix).unwrap().len(), 0);
        expect(nothing.call(&matrix), Code::INVALID_ARGUMENT, &["nothing: it has no output"]);
    }

    #[test]
    fn reductions_take_axes_and_options() {
        let x = counting(12, &[3, 4]);
        // SAFETY: the texts read and write nothing else.
        let l2norm =
            unsafe { ReductionKernel::new("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm") }.unwrap();
        let rows: Vec<f64> = [14.0, 126.0, 366.0].iter().map(|x: &f64| x.sqrt()).collect();
        assert_eq!(numbers(&l2norm.over(-1).call(&x).unwrap()), rows);
        assert_eq!(numbers(&l2norm.call(&x).unwrap()), [506f64.sqrt()]);
        assert_eq!(l2norm.over(gpuopt::Axes::of([1]).keepdims()).call(&x).unwrap().shape(), [3, 1]);
        assert_eq!(numbers(&l2norm.over([]).call(&x).unwrap()), numbers(&x), "no axis at all");
        assert_eq!(numbers(&l2norm.call(counting(0, &[0])).unwrap()), [0.0]);
        let mut out = cpu().zeros(&[3], None).unwrap();
        l2norm.over(1).call_into(&x, &mut [&mut out]).unwrap();
        assert_eq!(numbers(&out), rows);

        let least = "struct Least { T value; long long at; Least() = default;\n\
                     __device__ Least(T v, long long k) : value(v), at(k) {} };\n\
                     __device__ Least first(const Least &a, const Least &b) { return b.value < a.value ? b : a; }";
        let options = KernelOptions::new().preamble(least).reduce_type("Least");
        // SAFETY: as above.
        let argmin =
            unsafe { options.reduction("T x", "int64 y", "Least(x, _J)", "first(a, b)", "y = a.at", "my_argmin") };
        let y = cpu().array(&[3.0, 1.0, 2.0, 5.0, 9.0, -4.0], &[2, 3]).unwrap();
        assert_eq!(argmin.as_ref().unwrap().over(1).call(&y).unwrap().to_vec::<i64>().unwrap(), [1, 2]);
        expect(argmin.unwrap().call(counting(0, &[0])), Code::INVALID_ARGUMENT, &["my_argmin", "no identity"]);
    }

    #[test]
    fn texts_stand_around_the_loop() {
        let text = KernelOptions::new()
            .preamble("__device__ int twice(int v) { return 2 * v; }")
            .loop_prep("int bonus = twice(4);")
            .after_loop("bonus = 0;");
        // SAFETY: the text reads and writes nothing else.
        let kernel = unsafe { text.elementwise("int32 x", "int32 z", "z = twice(x) + bonus", "parts") }.unwrap();
        assert_eq!(kernel.call(cpu().array(&[0, 1, 2], &[3]).unwrap()).unwrap().to_vec::<i32>().unwrap(), [8, 10, 12]);
        // SAFETY: as above.
        let bad =
            unsafe { text.after_loop("no_such = 1;").elementwise("int32 x", "int32 z", "z = x", "parts") }.unwrap();
        expect(bad.call(cpu().array(&[0], &[1]).unwrap()), Code::COMPILE, &["parts", "no_such"]);
    }

    #[test]
    fn what_does_not_compile_has_the_authors_lines() {
        let typo = elementwise("T x", "T y", "y = x;\ny = twice(x)", "typo");
        for _ in 0..2 {
            expect(typo.call(counting(3, &[3])), Code::COMPILE, &["typo:2:", "twice"]);
        }
    }

    #[test]
    fn threads_share_a_kernel() {
        let kernel = elementwise("T x, T y", "T z", "z = x * y + 1", "shared");
        std::thread::scope(|scope| {
            for t in 0..8i64 {
                let kernel = kernel.clone();
                scope.spawn(move || {
                    let dtype = if t % 2 == 0 { DType::FLOAT32 } else { DType::INT64 };
                    let x = cpu().full(&[1000], t, dtype).unwrap();
                    let z = kernel.call((&x, t)).unwrap().astype(DType::FLOAT64).unwrap();
                    assert_eq!(numbers(&z), [(t * t + 1) as f64; 1000]);
                });
            }
        });
        let clone = kernel.clone();
        drop(kernel);
        assert_eq!(numbers(&clone.call((counting(2, &[2]), 3)).unwrap()), [1.0, 4.0]);
    }
}

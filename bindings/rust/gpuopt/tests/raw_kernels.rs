// bindings/rust/gpuopt/tests/raw_kernels.rs -- raw kernels and modules. What is in `compiled` needs a compiler, which
// tests/bindings/check.sh looks for.
mod common;
use common::{counting, cpu, expect, numbers};
use gpuopt::{ByValue, Code, DType, Dim3, RawArgument, RawKernel, RawLaunch, Reinterpret};

const SAXPY: &str = "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];
}";
const BLOCK_SUM: &str = "extern \"C\" __global__ void block_sum(const double *x, double *sums, int n) {
  extern __shared__ double part[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}";
const MODULE: &str = "__constant__ double factors[3] = {1, 10, 100};
namespace mine { __device__ int calls = 0; }
__global__ void count() { atomicAdd(&mine::calls, 1); }
template <class T> __global__ void scale(T *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factors[i % 3];
}";

fn raw(code: &str, name: &str) -> RawKernel {
    RawKernel::new(code, name).unwrap()
}

#[test]
fn raw_kernels_may_cross_threads_and_say_what_they_are() {
    fn both<T: Send + Sync + Clone>() {}
    both::<RawKernel>();
    both::<RawLaunch<'_>>();
    assert_eq!(format!("{:?}", raw(SAXPY, "saxpy").clone()), "RawKernel(saxpy)");
    assert_eq!(Dim3::from((2, 3)), Dim3 { x: 2, y: 3, z: 1 });
    assert_eq!(Dim3::from((2, 3, 4)), Dim3 { x: 2, y: 3, z: 4 });
}

#[test]
fn names_that_are_none_are_errors_at_once() {
    expect(RawKernel::new("", "a b"), Code::INVALID_ARGUMENT, &["names no function"]);
    expect(RawKernel::new("\0", "k"), Code::INVALID_ARGUMENT, &["code has a NUL"]);
    expect(RawKernel::module("", &["k", "k;"]), Code::INVALID_ARGUMENT, &["names no function"]);
    expect(RawKernel::module("", &["k", "\0"]), Code::INVALID_ARGUMENT, &["a name has a NUL"]);
    expect(RawKernel::module("", &[]), Code::INVALID_ARGUMENT, &["0 names"]);
}

#[test]
fn nothing_is_launched_beside_another_use() {
    let (twice, mut x) = (raw("", "twice"), counting(4, &[4]));
    let mut part = x.view(1..).unwrap();
    let lent = x.as_slice::<f64>().unwrap();
    // SAFETY: nothing is run, in this and each launch below.
    expect(unsafe { twice.launch(1, 1, &mut part) }, Code::INVALID_ARGUMENT, &["in use"]);
    drop(lent);
    let clone = x.clone();
    let lent = x.as_mut_slice::<f64>().unwrap();
    // SAFETY: as above.
    expect(unsafe { twice.launch(1, 1, &clone) }, Code::INVALID_ARGUMENT, &["being written"]);
    drop(lent);
    let mut read_only = x.broadcast_to(&[2, 4]).unwrap();
    // SAFETY: as above.
    expect(unsafe { twice.launch(1, 1, &mut read_only) }, Code::READ_ONLY, &["twice", "&mut"]);
    // SAFETY: as above.
    expect(unsafe { twice.launch(1, 1, 1.5f32) }, Code::INVALID_ARGUMENT, &["no argument is an array"]);
    // SAFETY: as above.
    expect(unsafe { twice.launch(0, 1, &x) }, Code::INVALID_ARGUMENT, &["grid is 0 x 1 x 1"]);
    // SAFETY: as above.
    expect(unsafe { twice.launch(1, (1, 0), &x) }, Code::INVALID_ARGUMENT, &["block is 1 x 0 x 1"]);
}

mod compiled {
    use super::*;

    #[test]
    fn a_grid_stride_loop() {
        let (saxpy, n) = (raw(SAXPY, "saxpy"), 1000);
        let x = counting(n, &[n]).astype(DType::FLOAT32).unwrap();
        let mut y = cpu().ones(&[n], DType::FLOAT32).unwrap();
        // SAFETY: the types are those of the parameters; threads write elements of their own, of n.
        let launch =
            |x: &gpuopt::Array, y: &mut gpuopt::Array| unsafe { saxpy.launch(3, 64, (0.5f32, x, y, n as i32)) };
        launch(&x, &mut y).unwrap();
        let wanted: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * i as f64).collect();
        assert_eq!(numbers(&y.astype(DType::FLOAT64).unwrap()), wanted);
        // What is read may be a view of what is written, and recorded operations come before and after.
        let mut z = (&x * 2).get().unwrap();
        let same = z.clone();
        launch(&same, &mut z).unwrap();
        let sum = (&z + 1).get().unwrap();
        assert_eq!(numbers(&sum.astype(DType::FLOAT64).unwrap())[..3], [1.0, 4.0, 7.0]);
        launch(&x.broadcast_to(&[2, n]).unwrap(), &mut z).unwrap(); // read-only arrays are read
        assert_eq!(z.item(&[2]).unwrap().to_f64(), 7.0);
    }

    #[test]
    fn blocks_share_memory() {
        let (block_sum, x, mut sums) = (raw(BLOCK_SUM, "block_sum"), counting(1000, &[1000]), counting(8, &[8]));
        let stream = cpu().stream().unwrap();
        let launch = block_sum.configure(8, 128).shared_bytes(128 * 8).stream(&stream);
        // SAFETY: there are 8 blocks and sums, 128 numbers of shared memory, and n elements.
        unsafe { launch.launch((&x, &mut sums, 1000)) }.unwrap();
        let wanted: Vec<f64> = (0..8i64).map(|b| (128 * b..(128 * b + 128).min(1000)).sum::<i64>() as f64).collect();
        assert_eq!(numbers(&sums), wanted);
    }

    #[test]
    fn kernels_of_a_module_share_its_variables() {
        let (kernels, xp) = (RawKernel::module(MODULE, &["count", "scale<double>"]).unwrap(), cpu());
        let (count, scale) = (&kernels[0], &kernels[1]);
        // SAFETY: the text touches nothing but its variable.
        unsafe { count.configure(2, 3).on(&xp).launch(()) }.unwrap();
        assert_eq!(scale.get_global::<i32>(&xp, "mine::calls", 0..1).unwrap(), [6]);
        scale.set_global(&xp, "factors", 1, &[-10.0, 0.5]).unwrap();
        assert_eq!(count.get_global::<f64>(&xp, "factors", 0..3).unwrap(), [1.0, -10.0, 0.5]);
        assert_eq!(count.get_global::<f64>(&xp, "factors", 2..3).unwrap(), [0.5]);
        let mut x = counting(6, &[6]);
        // SAFETY: x has n elements, and each thread has its own.
        unsafe { scale.launch(1, 32, (&mut x, 5)) }.unwrap();
        assert_eq!(numbers(&x), [0.0, -10.0, 1.0, 3.0, -40.0, 5.0]);
        let get = |variable: &str, to: usize| scale.get_global::<f64>(&xp, variable, 0..to);
        expect(get("factors", 4), Code::INVALID_ARGUMENT, &["32 bytes from byte 0", "factors, which has 24"]);
        expect(get("none", 1), Code::INVALID_ARGUMENT, &["has no __device__ or __constant__ variable \"none\""]);
        expect(get("factors", usize::MAX), Code::OUT_OF_MEMORY, &["no room"]);
        expect(scale.set_global(&xp, "factors", usize::MAX, &[1.0]), Code::INVALID_ARGUMENT, &["factors"]);
    }

    #[test]
    fn structs_by_value_and_any_number_of_arguments() {
        #[derive(Clone, Copy)]
        #[repr(C)]
        struct Line {
            flip: bool,
            slope: f64,
            offset: i16,
        }
        let text = "struct Line { bool flip; double slope; short offset; };
                    __global__ void along(const double *x, double *y, Line line) {
                      double v = line.slope * x[threadIdx.x] + line.offset;
                      y[threadIdx.x] = line.flip ? -v : v;
                    }";
        let (along, x, mut y) = (raw(text, "along"), counting(3, &[3]), counting(3, &[3]));
        let line = ByValue(Line { flip: true, slope: 0.5, offset: -3 });
        let arguments: [&dyn RawArgument; 3] = [&&x, &&mut y, &line];
        // SAFETY: the structs have the same members; x and y have an element for each thread.
        unsafe { along.launch(1, 3, &arguments[..]) }.unwrap();
        assert_eq!(numbers(&y), [3.0, 2.5, 2.0]);
    }

    #[test]
    fn arguments_are_compared_with_parameters() {
        let (saxpy, mut x) = (raw(SAXPY, "saxpy"), counting(3, &[3]));
        // SAFETY: nothing is run, in both.
        expect(unsafe { saxpy.launch(1, 32, &mut x) }, Code::INVALID_ARGUMENT, &["1 arguments for 4 parameters"]);
        // SAFETY: as above.
        let wide = unsafe { saxpy.launch(1, 32, (1.0, &x.copy().unwrap(), &mut x, 3)) };
        expect(wide, Code::INVALID_ARGUMENT, &["saxpy: argument 0 has 8 bytes, its parameter 4"]);
    }

    #[test]
    fn types_are_those_of_the_parameters() {
        let saxpy = raw(SAXPY, "saxpy");
        let (x, mut y) = (cpu().ones(&[4], DType::FLOAT32).unwrap(), cpu().ones(&[4], DType::FLOAT32).unwrap());
        let wide = cpu().ones(&[4], DType::FLOAT64).unwrap();
        // SAFETY: nothing runs.
        let launched = unsafe { saxpy.launch(1, 4, (0.5f32, &wide, &mut y, 4)) };
        expect(launched, Code::TYPE, &["parameter 1 (x) is const float *", "an array of float64"]);
        // SAFETY: nothing runs.
        expect(unsafe { saxpy.launch(1, 4, (1, &x, &mut y, 4)) }, Code::TYPE, &["is float", "a value of int32"]);
        // SAFETY: four floats are read of an array of eight.
        unsafe { saxpy.launch(1, 4, (0.5f32, Reinterpret(&wide), &mut y, 4)) }.unwrap();
    }

    #[test]
    fn the_compiler_is_heard_out() {
        let names: Vec<String> = (0..15).map(|i| format!("missing_{i}")).collect();
        let kernel = raw(&format!("__global__ void k(float *x) {{ x[0] = {}; }}", names.join(" + ")), "k");
        assert_eq!(kernel.build_log().unwrap(), "");
        // SAFETY: nothing runs.
        expect(unsafe { kernel.launch(1, 1, &mut counting(1, &[1])) }, Code::COMPILE, &["missing_0"]);
        let log = kernel.build_log().unwrap();
        assert!(names.iter().all(|name| log.contains(name)), "{log}");
    }

    #[test]
    fn what_does_not_compile_has_the_authors_lines() {
        let (typo, x) = (raw("__global__ void typo(double *x) {\n  x[0] = nothing;\n}", "typo"), counting(3, &[3]));
        // SAFETY: nothing is run, in both.
        expect(unsafe { typo.launch(1, 1, &x) }, Code::COMPILE, &["typo:2:", "nothing"]);
        // SAFETY: as above.
        expect(unsafe { raw(SAXPY, "other").launch(1, 1, &x) }, Code::COMPILE, &["other"]);
    }

    #[test]
    fn attributes_are_the_compilers() {
        let text = "__global__ void tile(float *x) {
                      __shared__ float part[64];
                      part[threadIdx.x] = x[threadIdx.x];
                      __syncthreads();
                      x[threadIdx.x] = part[63 - threadIdx.x];
                    }";
        let found = raw(text, "tile").attributes(&cpu()).unwrap();
        assert_eq!((found.shared_bytes, found.registers), (Some(256), None)); // the CPU's have no number of registers
        assert!((64..=1024).contains(&found.max_threads_per_block.unwrap()), "{found:?}");
        expect(raw("nonsense", "k").attributes(&cpu()), Code::COMPILE, &["nonsense"]);
    }

    #[test]
    fn threads_read_one_array_at_once() {
        let (saxpy, x) = (raw(SAXPY, "saxpy"), cpu().full(&[1000], 2, DType::FLOAT32).unwrap());
        std::thread::scope(|scope| {
            for t in 0..8i64 {
                let (saxpy, x) = (&saxpy, &x);
                scope.spawn(move || {
                    let mut y = cpu().full(&[1000], t, DType::FLOAT32).unwrap();
                    // SAFETY: y is this thread's own.
                    unsafe { saxpy.launch(2, 64, (3.0f32, x, &mut y, 1000)) }.unwrap();
                    assert_eq!(y.to_vec::<f32>().unwrap(), [(t + 6) as f32; 1000]);
                });
            }
        });
    }
}

// bindings/rust/gpuopt/tests/stores.rs -- lines of operators run as one program that stores its result alone. The
// counters are the device's, so that this is the only test in its process.
use gpuopt::{Array, DType, Device};

const SIZE: i64 = 10_000; // too many for operations that run without being recorded

fn cpu() -> Device {
    Device::open("cpu").unwrap()
}
fn ramp(from: f64, step: f64) -> Array {
    let x = cpu().arange(0, SIZE, 1, DType::FLOAT64).unwrap();
    (x * step + from).eval().unwrap()
}

/// How many programs ran, and how often memory was allocated.
fn spent<T>(line: impl FnOnce() -> gpuopt::Result<T>) -> (u64, u64) {
    let (programs, allocations) = (cpu().engine_stats().unwrap().programs, cpu().memory_stats().unwrap().allocations);
    let result = line().unwrap();
    let (programs_now, allocations_now) =
        (cpu().engine_stats().unwrap().programs, cpu().memory_stats().unwrap().allocations);
    drop(result);
    (programs_now - programs, allocations_now - allocations)
}

#[test]
fn a_line_is_one_program_that_stores_its_result() {
    let (x, y) = (ramp(1.0, 0.5), ramp(2.0, 0.25));
    assert_eq!(spent(|| ((&x - &y) * (&x - &y)).mean(()).item()), (1, 1));
    assert_eq!(spent(|| (&x * &y).sum(()).item()), (1, 1));
    assert_eq!(spent(|| (&x - &y).abs().max(()).item()), (1, 1));
    assert_eq!(spent(|| (&x * &x + &y * &y).sqrt().eval()), (1, 1));
    assert_eq!(spent(|| (2_i64 * &x - &y / 3 + 1).eval()), (1, 1));
    assert_eq!(spent(|| (1_i64 - -(&x + 1) % 7).eval()), (1, 1));
    assert_eq!(spent(|| (&x + &y).maximum(3).astype(DType::FLOAT32).eval()), (1, 1));
    assert_eq!(spent(|| (&x - &y).square().sum(()).sqrt().item()), (1, 1));
    assert_eq!(spent(|| (&x - 1).greater(&y - 1).all(()).item()), (1, 1));
    assert_eq!(spent(|| (&x * 3).map(|z| z.clip(0, 9)).eval()), (1, 1));
    assert_eq!(spent(|| (x.clone() + y.clone()).eval()), (1, 1));
    assert_eq!(spent(|| (&x * 2 + &y * 3 - 1).eval()), (1, 1));
    assert_eq!(spent(|| (1_i64 / (1_i64 + &x) / (2_i64 + &y)).eval()), (1, 1));
    assert_eq!(spent(|| (-(&x - &y).abs()).exp().eval()), (1, 1));
    assert_eq!(spent(|| ((&x + 1) * (&y - 1)).min(()).item()), (1, 1));
    assert_eq!(spent(|| (&x - &y).greater(0).any(()).item()), (1, 1));
    assert_eq!(spent(|| (&x * &y).sqrt().less(&y + 100).astype(DType::INT8).eval()), (1, 1));
    assert_eq!(spent(|| (&x - &y).square().mean(()).sqrt().item()), (1, 1));
    assert_eq!(spent(|| ((&x + &y) / (&x + 2_i64 * &y)).log1p().sum(()).item()), (1, 1));
    assert_eq!(spent(|| ((&x - 3) * (&x - 3) * (&x - 3)).eval()), (1, 1));
    // In contrast: an array that has a name stays, and is stored.
    let named = spent(|| {
        let difference = (&x - &y).get()?;
        difference.multiply(&difference)?.mean(())?.item(&[])
    });
    assert!(named.1 > 1, "{named:?}");
}

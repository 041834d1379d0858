// bindings/rust/gpuopt/tests/common/mod.rs -- what the tests of kernels and functions share.
use gpuopt::{Array, Code, DType, Device, Error};

/// The CPU backend.
pub fn cpu() -> Device {
    Device::open("cpu").unwrap()
}

/// 0 and on, as float64.
pub fn counting(count: i64, shape: &[i64]) -> Array {
    cpu().arange(0, count, 1, DType::FLOAT64).unwrap().reshape(shape).unwrap()
}

/// The elements as float64.
pub fn numbers(x: &Array) -> Vec<f64> {
    x.to_vec().unwrap()
}

/// Wants an error of this code, whose message has these words.
pub fn expect<T>(result: gpuopt::Result<T>, code: Code, words: &[&str]) {
    let error: Error = result.err().expect("an error was expected");
    assert_eq!(error.code(), code, "{error}");
    for word in words {
        assert!(error.message().contains(word), "{error} has no {word}");
    }
}

// bindings/rust/gpuopt/tests/transforms.rs -- discrete Fourier transforms.
use gpuopt::{Array, Code, Complex, DType, Device, FftNorm};

fn cpu() -> Device {
    Device::open("cpu").unwrap()
}
fn signal() -> Array {
    cpu().array(&[1.0, 2.0, 3.0, 4.0], &[4]).unwrap()
}
fn complex(x: gpuopt::Result<Array>) -> Vec<(f64, f64)> {
    x.unwrap().to_vec::<Complex<f64>>().unwrap().iter().map(|z| (z.re, z.im)).collect()
}
fn real(x: gpuopt::Result<Array>) -> Vec<f64> {
    x.unwrap().to_vec().unwrap()
}

const FULL: [(f64, f64); 4] = [(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0), (-2.0, -2.0)];

#[test]
fn along_an_axis() {
    let (x, norm) = (signal(), FftNorm::Backward);
    let spectrum = x.fft(None, 0, norm).unwrap();
    assert_eq!(complex(Ok(spectrum.clone())), FULL);
    assert_eq!(complex(spectrum.ifft(None, -1, norm)), [(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0)]);
    let half = x.rfft(None, 0, norm).unwrap();
    assert_eq!(complex(Ok(half.clone())), FULL[..3]);
    assert_eq!(real(half.irfft(4, 0, norm)), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(real(x.hfft(4, 0, norm)), [8.0, -2.0, 0.0, -2.0]);
    assert_eq!(complex(x.ihfft(2, 0, norm)), [(1.5, 0.0), (-0.5, 0.0)]);
    assert_eq!(complex(x.fft(2, 0, FftNorm::Forward)), [(1.5, 0.0), (-0.5, 0.0)]);
    assert_eq!(x.rfft(0, 0, norm).err().unwrap().code(), Code::INVALID_ARGUMENT);
    assert_eq!(spectrum.rfft(None, 0, norm).err().unwrap().code(), Code::TYPE);
    assert_eq!(x.fft(None, 1, norm).err().unwrap().code(), Code::INDEX);
}

#[test]
fn along_axes() {
    let x = signal().reshape(&[2, 2]).unwrap();
    let spectrum = x.fftn(&[], &[], FftNorm::Forward).unwrap();
    assert_eq!(complex(Ok(spectrum.clone())), [(2.5, 0.0), (-0.5, 0.0), (-1.0, 0.0), (0.0, 0.0)]);
    assert_eq!(complex(spectrum.ifftn(&[1], &[-1], FftNorm::Backward)), [(2.5, 0.0), (-1.0, 0.0)]);
    let half = x.rfftn(&[2, 2], &[], FftNorm::Backward).unwrap();
    assert_eq!(real(half.irfftn(&[2, 2], &[0, 1], FftNorm::Backward)), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(x.fftn(&[2], &[0, 1], FftNorm::Backward).err().unwrap().code(), Code::INVALID_ARGUMENT);
}

#[test]
fn frequencies() {
    let shifted = cpu().fftfreq(4, 0.25, None).unwrap().fftshift(&[]).unwrap();
    assert_eq!(real(Ok(shifted.clone())), [-2.0, -1.0, 0.0, 1.0]);
    assert_eq!(real(shifted.ifftshift(&[0])), [0.0, 1.0, -2.0, -1.0]);
    assert_eq!(cpu().rfftfreq(4, 0.25, DType::FLOAT32).unwrap().to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0]);
    assert_eq!(cpu().fftfreq(0, 1.0, None).err().unwrap().code(), Code::INVALID_ARGUMENT);
}

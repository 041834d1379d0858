// bindings/rust/gpuopt/tests/expressions.rs -- operators: one `?` in a line, and errors that are carried.
use gpuopt::{Code, Device};

fn cpu() -> Device {
    Device::open("cpu").unwrap()
}

#[test]
fn an_error_is_carried_to_where_it_is_read() {
    let x = cpu().array(&[1.0, 2.0], &[2]).unwrap();
    let three = cpu().array(&[1.0, 2.0, 3.0], &[3]).unwrap();
    let code = |y: gpuopt::Expr| y.get().unwrap_err().code();
    assert_eq!(code((&x + &three) * 2), Code::SHAPE);
    assert_eq!(code(2_i64 - (&x + &three)), Code::SHAPE);
    assert_eq!(code(&x * (&x + &three)), Code::SHAPE);
    assert_eq!(code(-(&x + &three).sqrt().sum(())), Code::SHAPE);
    assert_eq!(code((&x + 1).maximum(&x + &three)), Code::SHAPE);
    assert_eq!((&x + &three).item().unwrap_err().code(), Code::SHAPE);
    assert_eq!((&x + &three).to_vec::<f64>().unwrap_err().code(), Code::SHAPE);
    assert_eq!(gpuopt::ops::sqrt(&x + &three).unwrap_err().code(), Code::SHAPE);
    assert_eq!(code(&x & 1), Code::TYPE);
    let mut sum = &x + 1;
    sum += &three;
    sum += 1; // the first error stays
    assert_eq!(code(sum), Code::SHAPE);
}

#[test]
fn compound_assignment_writes_in_place() {
    let mut x = cpu().array(&[1.0, 2.0, 4.0], &[3]).unwrap();
    let same = x.clone();
    x += 1;
    x -= &cpu().array(&[1.0, 1.0, 1.0], &[3]).unwrap();
    x *= &same * 2;
    x /= 2.0;
    x %= 10;
    assert_eq!(same.to_vec::<f64>().unwrap(), [1.0, 4.0, 6.0]);
    let mut bits = cpu().array(&[6, 5], &[2]).unwrap();
    bits &= 3;
    bits |= 8;
    bits ^= 1;
    bits <<= 2;
    bits >>= 1;
    assert_eq!(bits.to_vec::<i32>().unwrap(), [22, 16]);
}

#[test]
fn a_failed_assignment_stays_until_it_is_taken() {
    let mut x = cpu().array(&[1.0, 2.0], &[2]).unwrap();
    x += &cpu().array(&[1.0, 2.0, 3.0], &[3]).unwrap();
    x += 1; // not done either
    assert_eq!(x.to_vec::<f64>().unwrap_err().code(), Code::SHAPE);
    assert_eq!((&x + 1).get().unwrap_err().code(), Code::SHAPE);
    assert_eq!(x.fill(0).unwrap_err().code(), Code::SHAPE);
    assert_eq!(x.clone().sum(()).unwrap_err().code(), Code::SHAPE);
    assert_eq!(x.take_error().unwrap_err().code(), Code::SHAPE);
    assert!(x.take_error().is_ok());
    assert_eq!(x.to_vec::<f64>().unwrap(), [1.0, 2.0]);
    let mut sum = x.sum(()).unwrap();
    sum += &x + &cpu().array(&[1.0, 2.0, 3.0], &[3]).unwrap(); // an operand that failed
    assert_eq!(sum.take_error().unwrap_err().code(), Code::SHAPE);
}

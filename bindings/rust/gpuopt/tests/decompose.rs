// bindings/rust/gpuopt/tests/decompose.rs -- factorizations, systems of equations, eigenvalues and singular values of
// matrices whose answers are known.
use gpuopt::{Array, Code, Complex, Device, Trans};

fn matrix(values: &[f64], rows: i64) -> Array {
    let columns = values.len() as i64 / rows;
    Device::open("cpu").unwrap().array(values, &[rows, columns]).unwrap()
}
fn vector(values: &[f64]) -> Array {
    Device::open("cpu").unwrap().array(values, &[values.len() as i64]).unwrap()
}
fn near(x: gpuopt::Result<Array>, want: &[f64]) {
    let got: Vec<f64> = x.unwrap().to_vec().unwrap();
    assert_eq!(got.len(), want.len());
    assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-13), "{got:?} is not near {want:?}");
}
fn code(x: gpuopt::Result<Array>) -> Code {
    x.err().unwrap().code()
}

#[test]
fn factors() {
    let positive = matrix(&[4.0, 2.0, 2.0, 5.0], 2);
    near(positive.cholesky(false), &[2.0, 0.0, 1.0, 2.0]);
    near(positive.cholesky(true), &[2.0, 1.0, 0.0, 2.0]);
    assert_eq!(code(matrix(&[1.0, 2.0, 2.0, 1.0], 2).cholesky(false)), Code::LINALG);
    let tall = matrix(&[3.0, 4.0, 0.0], 3);
    let (q, r) = tall.qr().unwrap();
    near(Ok(r), &[-5.0]);
    near(q.matmul(&tall.qr_r().unwrap()), &[3.0, 4.0, 0.0]);
    let (q, r) = tall.qr_complete().unwrap();
    assert_eq!((q.shape(), r.shape()), (&[3, 3][..], &[3, 1][..]));
    let (p, l, u) = matrix(&[1.0, 2.0, 4.0, 4.0], 2).lu().unwrap();
    near(Ok(p), &[0.0, 1.0, 1.0, 0.0]);
    near(Ok(l), &[1.0, 0.0, 0.25, 1.0]);
    near(Ok(u), &[4.0, 4.0, 0.0, 1.0]);
}

#[test]
fn systems_of_equations() {
    let (a, b) = (matrix(&[1.0, 2.0, 4.0, 4.0], 2), vector(&[5.0, 12.0]));
    near(a.solve(&b), &[1.0, 2.0]);
    let (lu, pivots) = a.lu_factor().unwrap();
    near(lu.lu_solve(&pivots, &b, Trans::None), &[1.0, 2.0]);
    near(lu.lu_solve(&pivots, &vector(&[9.0, 10.0]), Trans::Transpose), &[1.0, 2.0]);
    near(a.solve_triangular(&vector(&[1.0, 8.0]), true, false, Trans::None), &[1.0, 1.0]);
    near(a.solve_triangular(&vector(&[1.0, 8.0]), true, true, Trans::Conjugate), &[-31.0, 8.0]);
    near(a.inv(), &[-1.0, 0.5, 1.0, -0.25]);
    near(a.det(), &[-4.0]);
    let (sign, log) = a.slogdet().unwrap();
    near(Ok(sign), &[-1.0]);
    near(Ok(log), &[4f64.ln()]);
    near(a.matrix_power(-1), &[-1.0, 0.5, 1.0, -0.25]);
    near(matrix(&[0.0, 3.0, 0.0, 0.0], 2).expm(), &[1.0, 3.0, 0.0, 1.0]);
    assert_eq!(code(matrix(&[1.0, 1.0, 1.0, 1.0], 2).inv()), Code::LINALG);
    near(gpuopt::multi_dot(&[&a, &a, &b]), &[165.0, 388.0]);
}

#[test]
fn least_squares() {
    let a = matrix(&[1.0, 0.0, 1.0, 1.0, 1.0, 2.0], 3);
    let found = a.lstsq(&vector(&[1.0, 3.0, 5.0]), None).unwrap();
    near(Ok(found.x), &[1.0, 2.0]);
    near(Ok(found.residuals), &[0.0]);
    assert_eq!(found.rank.to_vec::<i64>().unwrap(), [2]);
    assert_eq!(found.singular_values.shape(), [2]);
    near(a.pinv(None).unwrap().matmul(&a), &[1.0, 0.0, 0.0, 1.0]);
    assert_eq!(a.matrix_rank(None).unwrap().to_vec::<i64>().unwrap(), [2]);
    assert_eq!(a.matrix_rank(Some(0.9)).unwrap().to_vec::<i64>().unwrap(), [1]);
    let identity = matrix(&[1.0, 0.0, 0.0, 1.0], 2);
    near(identity.tensorsolve(&vector(&[7.0, 8.0]), &[]), &[7.0, 8.0]);
    near(identity.tensorinv(1), &[1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn values_and_vectors() {
    let x = matrix(&[2.0, 1.0, 1.0, 2.0], 2);
    let (w, v) = x.eigh(false).unwrap();
    near(Ok(w), &[1.0, 3.0]);
    assert_eq!(v.shape(), [2, 2]);
    near(x.eigvalsh(true), &[1.0, 3.0]);
    let turn = matrix(&[0.0, -1.0, 1.0, 0.0], 2);
    let mut found: Vec<f64> = turn.eigvals().unwrap().to_vec::<Complex<f64>>().unwrap().iter().map(|z| z.im).collect();
    found.sort_by(f64::total_cmp);
    assert_eq!(found, [-1.0, 1.0]);
    assert_eq!(turn.eig().unwrap().1.shape(), [2, 2]);
    let (u, s, vh) = matrix(&[0.0, 3.0, 4.0, 0.0, 0.0, 0.0], 3).svd(true).unwrap();
    near(Ok(s), &[4.0, 3.0]);
    assert_eq!((u.shape(), vh.shape()), (&[3, 3][..], &[2, 2][..]));
    near(x.svdvals(), &[3.0, 1.0]);
    near(x.cond(2.0), &[3.0]);
}

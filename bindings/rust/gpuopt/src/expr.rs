// bindings/rust/gpuopt/src/expr.rs -- what operators give: an array or the error of the first operation that failed.
use crate::operand::apply;
use crate::{Array, Axes, Complex, DType, Element, Operand, Result, Scalar};
use gpuopt_sys as sys;
use std::ops;

/// What an operator gives: the array, or the error of the first operation that failed. It goes into further operators
/// and methods as it is, so that a line has one `?`, where the result is read.
///
/// Operators and the methods here take their expression by value, and its reference ends with the call: intermediate
/// results of a line are recorded and never get memory of their own.
///
/// A number in front of a longer line needs a type, since several have these operators: `2.0_f64 * &x + 1`.
///
/// ```
/// use gpuopt::{Code, Device};
/// # fn main() -> gpuopt::Result<()> {
/// let xp = Device::open("cpu")?;
/// let (x, y) = (xp.array(&[1.0, 2.0], &[2])?, xp.array(&[3.0, 5.0], &[2])?);
/// assert_eq!(((&x - &y) * (&x - &y)).mean(()).item()?.to_f64(), 6.5);
/// let z = (2.0_f64 * &x + &y / 2).get()?; // an array
/// assert_eq!(z.to_vec::<f64>()?, [3.5, 6.5]);
/// let three = xp.array(&[1.0, 2.0, 3.0], &[3])?;
/// let failed = (&x + &three) * 2 - &y; // carries the error of the sum
/// assert_eq!(failed.get().unwrap_err().code(), Code::SHAPE);
/// # Ok(()) }
/// ```
#[must_use = "an expression may carry an error: `get()?` it"]
#[derive(Clone, Debug)]
pub struct Expr(Result<Array>);

impl Expr {
    /// The array, or the error of the first operation that failed.
    pub fn get(self) -> Result<Array> {
        self.0
    }
    /// What `function` makes of the array: any method of [`Array`] that makes another one. The reference of this
    /// expression ends with the call.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let x = gpuopt::Device::open("cpu")?.array(&[1.0, 2.0], &[2])?;
    /// assert_eq!((&x * 2).map(|y| y.pow(2)).to_vec::<f64>()?, [4.0, 16.0]);
    /// # Ok(()) }
    /// ```
    pub fn map(self, function: impl FnOnce(&Array) -> Result<Array>) -> Expr {
        Expr(self.0.and_then(|x| function(&x)))
    }
    /// Another dtype; see [`Array::astype`].
    pub fn astype(self, dtype: DType) -> Expr {
        self.map(|x| x.astype(dtype))
    }
    /// Runs what the array waits for, and gives it.
    pub fn eval(self) -> Result<Array> {
        let x = self.0?;
        x.eval()?;
        Ok(x)
    }
    /// The element of an array without dimensions, such as a sum over all axes. Waits.
    pub fn item(self) -> Result<Scalar> {
        self.0?.item(&[])
    }
    /// All elements in C order; see [`Array::to_vec`]. Waits.
    pub fn to_vec<T: Element>(self) -> Result<Vec<T>> {
        self.0?.to_vec()
    }
}
impl From<Array> for Expr {
    fn from(x: Array) -> Expr {
        Expr(Ok(x))
    }
}
impl From<&Array> for Expr {
    fn from(x: &Array) -> Expr {
        Expr(Ok(x.clone()))
    }
}
impl From<Result<Array>> for Expr {
    fn from(x: Result<Array>) -> Expr {
        Expr(x)
    }
}
impl From<Expr> for Result<Array> {
    fn from(x: Expr) -> Result<Array> {
        x.0
    }
}
impl From<Expr> for Operand<'_> {
    fn from(x: Expr) -> Self {
        match x.0 {
            Ok(x) => Operand::Owned(x),
            Err(error) => Operand::Failed(Box::new(error)),
        }
    }
}

macro_rules! reductions {
    ($($name:ident)*) => {
        /// Reductions: see the methods of [`Array`] of these names.
        impl Expr {$(
            #[doc = concat!("See [`Array::", stringify!($name), "`].")]
            pub fn $name(self, axes: impl Into<Axes>) -> Expr {
                self.map(|x| x.$name(axes))
            }
        )*}
    };
}
reductions! {
    sum prod min max nanmin nanmax all any argmin argmax count_nonzero mean var std ptp nansum nanprod nanmean
    nanvar nanstd
}
macro_rules! unary {
    ($($name:ident)*) => {
        /// Elementwise functions: see the methods of [`Array`] of these names.
        impl Expr {$(
            #[doc = concat!("See [`Array::", stringify!($name), "`].")]
            pub fn $name(self) -> Expr {
                self.map(|x| x.$name())
            }
        )*}
    };
}
unary! {
    abs sign square reciprocal sqrt cbrt ceil floor trunc round real imag conj exp exp2 expm1 log log2 log10 log1p
    sin cos tan sinh cosh tanh isnan isinf isfinite logical_not expit
}
macro_rules! binary {
    ($($name:ident)*) => {
        /// Elementwise functions of two operands: see the methods of [`Array`] of these names.
        impl Expr {$(
            #[doc = concat!("See [`Array::", stringify!($name), "`].")]
            pub fn $name<'a>(self, x2: impl Into<Operand<'a>>) -> Expr {
                let x2 = x2.into();
                self.map(|x| x.$name(x2))
            }
        )*}
    };
}
binary! {
    pow maximum minimum equal not_equal less less_equal greater greater_equal logical_and logical_or floor_divide hypot
}

macro_rules! operators {
    ($($trait:ident $method:ident $assign:ident $assigns:ident $op:ident;)*) => {$(
        impl<'a, R: Into<Operand<'a>>> ops::$trait<R> for &'a Array {
            type Output = Expr;
            fn $method(self, rhs: R) -> Expr {
                Expr(apply(sys::$op, [self.into(), rhs.into()]))
            }
        }
        operators!(owned $trait $method $op: Array, Expr);
        operators!(numbers $trait $method $op: bool, i32, i64, u64, f32, f64, Complex<f64>);
        impl<'a, R: Into<Operand<'a>>> ops::$assign<R> for Expr {
            fn $assigns(&mut self, rhs: R) {
                if let Ok(x) = &self.0 {
                    self.0 = apply(sys::$op, [x.into(), rhs.into()]);
                }
            }
        }
        /// In place. A failure leaves the elements as they are and stays with the array: whatever reads or writes it
        /// next gives the error, until [`Array::take_error`] takes it.
        impl<'a, R: Into<Operand<'a>>> ops::$assign<R> for Array {
            fn $assigns(&mut self, rhs: R) {
                self.update(sys::$op, rhs.into());
            }
        }
    )*};
    (owned $trait:ident $method:ident $op:ident: $($left:ty),*) => {$(
        impl<'a, R: Into<Operand<'a>>> ops::$trait<R> for $left {
            type Output = Expr;
            fn $method(self, rhs: R) -> Expr {
                Expr(apply(sys::$op, [self.into(), rhs.into()]))
            }
        }
    )*};
    (numbers $trait:ident $method:ident $op:ident: $($number:ty),*) => {$(
        impl<'a> ops::$trait<&'a Array> for $number {
            type Output = Expr;
            fn $method(self, rhs: &'a Array) -> Expr {
                Expr(apply(sys::$op, [self.into(), rhs.into()]))
            }
        }
        operators!(number $trait $method $op $number: Array, Expr);
    )*};
    (number $trait:ident $method:ident $op:ident $number:ty: $($right:ty),*) => {$(
        impl ops::$trait<$right> for $number {
            type Output = Expr;
            fn $method(self, rhs: $right) -> Expr {
                Expr(apply(sys::$op, [self.into(), rhs.into()]))
            }
        }
    )*};
}
operators! {
    Add add AddAssign add_assign GPUOPT_OP_add;
    Sub sub SubAssign sub_assign GPUOPT_OP_subtract;
    Mul mul MulAssign mul_assign GPUOPT_OP_multiply;
    Div div DivAssign div_assign GPUOPT_OP_divide;
    Rem rem RemAssign rem_assign GPUOPT_OP_remainder;
    BitAnd bitand BitAndAssign bitand_assign GPUOPT_OP_bitwise_and;
    BitOr bitor BitOrAssign bitor_assign GPUOPT_OP_bitwise_or;
    BitXor bitxor BitXorAssign bitxor_assign GPUOPT_OP_bitwise_xor;
    Shl shl ShlAssign shl_assign GPUOPT_OP_bitwise_left_shift;
    Shr shr ShrAssign shr_assign GPUOPT_OP_bitwise_right_shift;
}
macro_rules! prefix_operators {
    ($($trait:ident $method:ident $op:ident: $($of:ty),*;)*) => {$($(
        impl ops::$trait for $of {
            type Output = Expr;
            fn $method(self) -> Expr {
                Expr(apply(sys::$op, [self.into()]))
            }
        }
    )*)*};
}
prefix_operators! {
    Neg neg GPUOPT_OP_negative: &Array, Array, Expr;
    Not not GPUOPT_OP_bitwise_invert: &Array, Array, Expr;
}

// bindings/go/expr.go -- expressions whose intermediate results are closed as they are used.

package gpuopt

// #include <gpuopt/gpuopt.h>
import "C"

// An Expr is an array on the way through a line of operations, or the error of the first one that failed:
//
//	mse, err := gpuopt.Of(x).Subtract(y).Square().Mean().Float()
//	z, err := gpuopt.Of(x).Multiply(gpuopt.Num(2)).Add(gpuopt.Of(y).Exp()).Eval()
//
// Each method takes its expression, and those among its operands, over: the array between two operations is closed as
// soon as the second one is recorded, not when the garbage collector finds it. So nobody can ask for it any more, it
// never gets memory, and the line runs as one program where its operations fit one. An expression is used once; using
// it again is an error of code [ErrInvalidArgument]. One goroutine uses it.
//
// An expression is an [Operand], and thus goes into every function: Where(Of(x).Greater(Num(0)), x, y). Its end is
// Array, Eval, Item, Float or Discard; one that is dropped goes with the garbage collector.
type Expr struct {
	x     *Array
	owned bool // x is closed when it has been used
	used  bool
	err   error
}

// Of begins an expression with an array, which stays the caller's.
func Of(x *Array) *Expr { return &Expr{x: x} }

// take ends the expression and gives its array, and whether the caller has to close it.
func (t *Expr) take() (*Array, bool, error) {
	if t == nil {
		return nil, false, fail(ErrInvalidArgument, "an expression is nil")
	}
	if t.err != nil {
		return nil, false, t.err
	}
	if t.used {
		return nil, false, fail(ErrInvalidArgument, "the expression has been used already")
	}
	t.used = true
	return t.x, t.owned, nil
}

func (t *Expr) holdOperand() (C.gpuopt_array, func(), error) {
	x, owned, err := t.take()
	if err != nil {
		return nil, nil, err
	}
	raw, err := x.hold()
	if err != nil {
		return nil, nil, err
	}
	return raw, func() {
		x.h.done()
		if owned {
			x.Close()
		}
	}, nil
}

// Discard ends the expression without a result.
func (t *Expr) Discard() {
	if x, owned, err := t.take(); err == nil && owned {
		x.Close()
	}
}

// discardAll ends those expressions among operands that a failed call did not come to.
func discardAll(operands ...Operand) {
	for _, operand := range operands {
		if t, ok := operand.(*Expr); ok && t != nil {
			t.Discard()
		}
	}
}

// made is the expression of a call's result, whose operands have been used.
func made(x *Array, err error, operands ...Operand) *Expr {
	if err != nil {
		discardAll(operands...)
		return &Expr{err: err}
	}
	return &Expr{x: x, owned: true}
}

// Then gives what a function of one operand makes of the array: Of(x).Then(gpuopt.Tanh).
func (t *Expr) Then(function func(x Operand) (*Array, error)) *Expr {
	x, err := function(t)
	return made(x, err, t)
}

// With gives what a function makes of the array, which is closed behind it: any method of [Array] that gives an array,
// such as With(func(x *Array) (*Array, error) { return x.Reshape(2, -1) }). The function must not keep the array.
func (t *Expr) With(function func(x *Array) (*Array, error)) *Expr {
	x, owned, err := t.take()
	if err != nil {
		return &Expr{err: err}
	}
	result, err := function(x)
	if owned && result != x {
		x.Close()
	}
	if err == nil && result == x {
		return &Expr{x: x, owned: owned}
	}
	return made(result, err)
}

func (t *Expr) binary(function func(x1, x2 Operand) (*Array, error), x2 Operand) *Expr {
	x, err := function(t, x2)
	return made(x, err, t, x2)
}

func (t *Expr) reduced(function func(x *Array, options ...ReduceOption) (*Array, error), options []ReduceOption) *Expr {
	return t.With(func(x *Array) (*Array, error) { return function(x, options...) })
}

// Add gives the sum with x2; see [Add].
func (t *Expr) Add(x2 Operand) *Expr { return t.binary(Add, x2) }

// Subtract gives the difference to x2; see [Subtract].
func (t *Expr) Subtract(x2 Operand) *Expr { return t.binary(Subtract, x2) }

// Multiply gives the product with x2; see [Multiply].
func (t *Expr) Multiply(x2 Operand) *Expr { return t.binary(Multiply, x2) }

// Divide gives the true quotient by x2; see [Divide].
func (t *Expr) Divide(x2 Operand) *Expr { return t.binary(Divide, x2) }

// Remainder gives the remainder with the divisor's sign; see [Remainder].
func (t *Expr) Remainder(x2 Operand) *Expr { return t.binary(Remainder, x2) }

// Pow gives the power of exponent x2; see [Pow].
func (t *Expr) Pow(x2 Operand) *Expr { return t.binary(Pow, x2) }

// Maximum gives the greater one; see [Maximum].
func (t *Expr) Maximum(x2 Operand) *Expr { return t.binary(Maximum, x2) }

// Minimum gives the lesser one; see [Minimum].
func (t *Expr) Minimum(x2 Operand) *Expr { return t.binary(Minimum, x2) }

// Equal reports where both are equal; see [Equal].
func (t *Expr) Equal(x2 Operand) *Expr { return t.binary(Equal, x2) }

// Less reports where x2 is greater; see [Less].
func (t *Expr) Less(x2 Operand) *Expr { return t.binary(Less, x2) }

// Greater reports where x2 is less; see [Greater].
func (t *Expr) Greater(x2 Operand) *Expr { return t.binary(Greater, x2) }

// Negative changes the sign; see [Negative].
func (t *Expr) Negative() *Expr { return t.Then(Negative) }

// Abs gives the magnitude; see [Abs].
func (t *Expr) Abs() *Expr { return t.Then(Abs) }

// Square gives x * x; see [Square].
func (t *Expr) Square() *Expr { return t.Then(Square) }

// Sqrt gives the square root; see [Sqrt].
func (t *Expr) Sqrt() *Expr { return t.Then(Sqrt) }

// Exp gives e to the power x; see [Exp].
func (t *Expr) Exp() *Expr { return t.Then(Exp) }

// Log gives the natural logarithm; see [Log].
func (t *Expr) Log() *Expr { return t.Then(Log) }

// AsType gives another dtype; see [Array.AsType].
func (t *Expr) AsType(dtype DType) *Expr {
	return t.With(func(x *Array) (*Array, error) { return x.AsType(dtype) })
}

// Sum gives the sum along axes; see [Sum].
func (t *Expr) Sum(options ...ReduceOption) *Expr { return t.reduced(Sum, options) }

// Prod gives the product along axes; see [Prod].
func (t *Expr) Prod(options ...ReduceOption) *Expr { return t.reduced(Prod, options) }

// Min gives the least element; see [Min].
func (t *Expr) Min(options ...ReduceOption) *Expr { return t.reduced(Min, options) }

// Max gives the greatest element; see [Max].
func (t *Expr) Max(options ...ReduceOption) *Expr { return t.reduced(Max, options) }

// Any reports whether any element is nonzero; see [Any].
func (t *Expr) Any(options ...ReduceOption) *Expr { return t.reduced(Any, options) }

// All reports whether all elements are nonzero; see [All].
func (t *Expr) All(options ...ReduceOption) *Expr { return t.reduced(All, options) }

// Mean gives the mean along axes; see [Mean].
func (t *Expr) Mean(options ...ReduceOption) *Expr { return t.reduced(Mean, options) }

// Var gives the variance along axes; see [Var].
func (t *Expr) Var(options ...ReduceOption) *Expr { return t.reduced(Var, options) }

// Std gives the standard deviation along axes; see [Std].
func (t *Expr) Std(options ...ReduceOption) *Expr { return t.reduced(Std, options) }

// Array ends the expression with its array, which the caller closes; it is still recorded.
func (t *Expr) Array() (*Array, error) {
	x, owned, err := t.take()
	if err != nil || owned {
		return x, err
	}
	return x.same()
}

// Eval ends the expression with its array, which the caller closes, after running what it waits for.
func (t *Expr) Eval() (*Array, error) {
	x, err := t.Array()
	if err != nil {
		return nil, err
	}
	if err := Eval(x); err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// Item ends the expression with its only element, that of an array without dimensions such as a sum. Waits.
func (t *Expr) Item() (Scalar, error) {
	x, owned, err := t.take()
	if err != nil {
		return Scalar{}, err
	}
	value, err := x.Item()
	if owned {
		x.Close()
	}
	return value, err
}

// Float ends the expression with its only element as a float64; see [Scalar.Float]. Waits.
func (t *Expr) Float() (float64, error) {
	value, err := t.Item()
	if err != nil {
		return 0, err
	}
	return value.Float(), nil
}

// same gives another reference to the array.
func (x *Array) same() (*Array, error) {
	raw, err := x.hold()
	if err != nil {
		return nil, err
	}
	defer x.h.done()
	return newArray(C.gpuopt_array_retain(raw)), nil
}

// bindings/go/operand.go -- what operations take, and how they are called.

package gpuopt

// #include <gpuopt/gpuopt.h>
import "C"

import (
	"math"
	"unsafe"
)

// A Scalar is one number. As an operand it takes the dtype of the arrays beside it (NEP 50).
type Scalar struct{ raw C.gpuopt_scalar }

// A Number is what [Num] takes.
type Number interface {
	bool | int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 |
		float32 | float64 | complex64 | complex128
}

// Num makes a scalar of a number: Add(x, Num(2)).
func Num[T Number](value T) Scalar {
	switch v := any(value).(type) {
	case bool:
		return Scalar{C.gpuopt_scalar_bool(C.int(flag(v)))}
	case int:
		return signed(int64(v))
	case int8:
		return signed(int64(v))
	case int16:
		return signed(int64(v))
	case int32:
		return signed(int64(v))
	case int64:
		return signed(v)
	case uint8:
		return signed(int64(v))
	case uint16:
		return signed(int64(v))
	case uint32:
		return signed(int64(v))
	case uint:
		return Scalar{C.gpuopt_scalar_uint(C.uint64_t(v))}
	case uint64:
		return Scalar{C.gpuopt_scalar_uint(C.uint64_t(v))}
	case float32:
		return Scalar{C.gpuopt_scalar_real(C.double(v))}
	case float64:
		return Scalar{C.gpuopt_scalar_real(C.double(v))}
	case complex64:
		return Scalar{C.gpuopt_scalar_complex(C.double(real(v)), C.double(imag(v)))}
	default:
		z := any(value).(complex128)
		return Scalar{C.gpuopt_scalar_complex(C.double(real(z)), C.double(imag(z)))}
	}
}

func signed(value int64) Scalar { return Scalar{C.gpuopt_scalar_int(C.int64_t(value))} }

// Value gives the number: a bool, int64, uint64, float64 or complex128.
func (s Scalar) Value() any {
	bits := *(*uint64)(unsafe.Pointer(&s.raw.value))
	switch s.raw.kind {
	case '?':
		return bits != 0
	case 'i':
		return int64(bits)
	case 'u':
		return bits
	case 'f':
		return math.Float64frombits(bits)
	default:
		return complex(math.Float64frombits(bits), float64(s.raw.imag))
	}
}

// Float gives the number as a float64: rounded where it has more digits, the real component of a complex number.
func (s Scalar) Float() float64 {
	switch v := s.Value().(type) {
	case bool:
		return float64(flag(v))
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	case float64:
		return v
	default:
		return real(v.(complex128))
	}
}

// An Operand is what an operation takes: an *[Array] or a [Scalar].
type Operand interface {
	// holdOperand gives the operand's handle, and what ends its use.
	holdOperand() (C.gpuopt_array, func(), error)
}

func (x *Array) holdOperand() (C.gpuopt_array, func(), error) {
	raw, err := x.hold()
	if err != nil {
		return nil, nil, err
	}
	return raw, x.h.done, nil
}

func (s Scalar) holdOperand() (C.gpuopt_array, func(), error) {
	var raw C.gpuopt_array
	err := check(func(e *C.gpuopt_error) C.gpuopt_status { return C.gpuopt_weak(s.raw, &raw, e) })
	return raw, func() { C.gpuopt_array_release(raw) }, err
}

// withOperands makes a C call with operands, which are held while it runs.
func withOperands(operands []Operand, call func(raws []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status) error {
	raws := make([]C.gpuopt_array, len(operands))
	for i, operand := range operands {
		if operand == nil {
			return fail(ErrInvalidArgument, "operand %d is nil", i+1)
		}
		raw, done, err := operand.holdOperand()
		if err != nil {
			return err
		}
		defer done()
		raws[i] = raw
	}
	return check(func(e *C.gpuopt_error) C.gpuopt_status { return call(raws, e) })
}

// giveOf makes a C call with operands that gives an array out.
func giveOf(operands []Operand, call func(raws []C.gpuopt_array, r *C.gpuopt_array,
	e *C.gpuopt_error) C.gpuopt_status) (*Array, error) {
	var result C.gpuopt_array
	err := withOperands(operands, func(raws []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return call(raws, &result, e)
	})
	if err != nil {
		return nil, err
	}
	return newArray(result), nil
}

// apply calls an elementwise operation.
func apply(op C.gpuopt_op, operands ...Operand) (*Array, error) {
	return giveOf(operands, func(raws []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_apply(op, C.int32_t(len(raws)), first(raws), nil, r, e)
	})
}

// applyInto calls one that writes to out.
func applyInto(op C.gpuopt_op, out *Array, operands ...Operand) error {
	all := append([]Operand{out}, operands...)
	return withOperands(all, func(raws []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_apply(op, C.int32_t(len(operands)), &raws[1], raws[0], nil, e)
	})
}

// NanToNum makes NaN nan, and the infinities posinf and neginf, where nil is the dtype's extreme.
func NanToNum(x *Array, nan float64, posinf, neginf *float64) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_nan_to_num(raw, C.double(nan), (*C.double)(posinf), (*C.double)(neginf), r, e)
	})
}

// IsClose reports where |x1 - x2| <= atol + rtol * |x2|; equal infinities are close, and NaN to NaN if equalNaN.
// NumPy's tolerances are 1e-5 and 1e-8.
func IsClose(x1, x2 Operand, rtol, atol float64, equalNaN bool) (*Array, error) {
	return giveOf([]Operand{x1, x2}, func(raws []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_isclose(raws[0], raws[1], C.double(rtol), C.double(atol), flag(equalNaN), r, e)
	})
}

// bindings/go/apply.go -- elementwise operations with the options of NumPy's ufuncs.

package gpuopt

// #include "shim.h"
import "C"

// A Casting says which casts are allowed, as NumPy names them.
type Casting int32

const (
	CastSameKind Casting = C.GPUOPT_CASTING_DEFAULT // those that lose no value, and those within a kind
	CastNo       Casting = C.GPUOPT_CASTING_NO      // none
	CastSafe     Casting = C.GPUOPT_CASTING_SAFE    // those that lose no value
	CastUnsafe   Casting = C.GPUOPT_CASTING_UNSAFE  // all
)

// ApplyOptions say how [ApplyWith] computes.
type ApplyOptions struct {
	Out      *Array  // that the result broadcasts to and is written to; nil: a new array
	Where    *Array  // bool: which elements are written; nil: all. Others are 0 in a new array.
	Casting  Casting // of operands to DType, and of the result to the dtype of Out
	DType    DType   // that operands are cast to first; 0: none
	Standard bool    // the array API standard's special cases of floor_divide, tanh and expm1
}

// operationNamed finds the row of the table of operations with a name.
func operationNamed(name string) (C.gpuopt_op, error) {
	for op := C.gpuopt_op(0); op < C.GPUOPT_OP_COUNT; op++ {
		if C.GoString(C.gpuopt_op_name(op)) == name {
			return op, nil
		}
	}
	return 0, fail(ErrInvalidArgument, "there is no elementwise operation %q", name)
}

// holdOptional holds an array that may be nil.
func holdOptional(x *Array) (C.gpuopt_array, func(), error) {
	if x == nil {
		return nil, func() {}, nil
	}
	return x.holdOperand()
}

// ApplyWith calls an elementwise operation by its name, "add", with options. The result is another reference to
// options.Out where there is one.
func ApplyWith(name string, options ApplyOptions, operands ...Operand) (*Array, error) {
	op, err := operationNamed(name)
	if err != nil {
		return nil, err
	}
	out, done, err := holdOptional(options.Out)
	if err != nil {
		return nil, err
	}
	defer done()
	where, done, err := holdOptional(options.Where)
	if err != nil {
		return nil, err
	}
	defer done()
	how := C.gpuopt_go_apply{out: out, where: where, casting: C.gpuopt_casting(options.Casting),
		dtype: C.int32_t(options.DType), standard: flag(options.Standard)}
	return giveOf(operands, func(raws []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_apply_with(op, C.int32_t(len(raws)), first(raws), how, r, e)
	})
}

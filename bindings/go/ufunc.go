// bindings/go/ufunc.go -- functions of your own as array functions: universal, generalized, and stencils.

package gpuopt

// #include "shim.h"
import "C"

// A Ufunc is a function of one element of each input, as NumPy's universal functions are: Numba's vectorize. It is
// called as a [Kernel]: a call takes the first of its types that the arguments can be cast to safely, [ErrType] if
// there is none.
type Ufunc struct{ *Kernel }

// NewUfunc makes a function of CUDA C++ that has a function name of one element of each input, of the types it is for,
// as "float32,float32->float32; float64,float64->float64", and of an expression that is the result of reducing nothing,
// or "". Types that are none are [ErrInvalidArgument]; the text is looked at by the first call.
func NewUfunc(code, name, types, identity string) (*Ufunc, error) {
	k, err := newKernel(name, []string{code, name, types, identity}, nil,
		func(own **C.char, _ C.gpuopt_go_texts, k *C.gpuopt_kernel, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_go_vectorize(own, k, e)
		})
	if err != nil {
		return nil, err
	}
	return &Ufunc{k}, nil
}

// method makes a C call with the function and operands.
func (u *Ufunc) method(operands []Operand,
	call func(u C.gpuopt_kernel, raws []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status) error {
	if u == nil {
		return fail(ErrInvalidArgument, "the ufunc is nil")
	}
	raw, err := u.hold()
	if err != nil {
		return err
	}
	defer u.h.done()
	return withOperands(operands, func(raws []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return call(raw, raws, e)
	})
}

// make is method for calls that give an array out.
func (u *Ufunc) make(operands []Operand, call func(u C.gpuopt_kernel, raws []C.gpuopt_array, r *C.gpuopt_array,
	e *C.gpuopt_error) C.gpuopt_status) (*Array, error) {
	var result C.gpuopt_array
	err := u.method(operands, func(u C.gpuopt_kernel, raws []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return call(u, raws, &result, e)
	})
	if err != nil {
		return nil, err
	}
	return newArray(result), nil
}

// Reduce is NumPy's reduce: in order along one axis, or, with an identity, in a fixed shape over any. It takes [Axes]
// and [KeepDims]; others are errors.
func (u *Ufunc) Reduce(x *Array, options ...ReduceOption) (*Array, error) {
	axes, how, err := collectAxes("a ufunc", options)
	if err != nil {
		return nil, err
	}
	return u.make([]Operand{x}, func(u C.gpuopt_kernel, raws []C.gpuopt_array, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_ufunc_reduce(u, raws[0], axes, how, r, e)
	})
}

// Accumulate is NumPy's accumulate, in order along the axis.
func (u *Ufunc) Accumulate(x *Array, axis int) (*Array, error) {
	return u.make([]Operand{x}, func(u C.gpuopt_kernel, raws []C.gpuopt_array, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_ufunc_accumulate(u, raws[0], C.int64_t(axis), r, e)
	})
}

// Outer is NumPy's outer: the function of each element of a with each of b.
func (u *Ufunc) Outer(a, b *Array) (*Array, error) {
	return u.make([]Operand{a, b}, func(u C.gpuopt_kernel, raws []C.gpuopt_array, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_ufunc_outer(u, raws[0], raws[1], r, e)
	})
}

// At is NumPy's at: x[indices[k]] = f(x[indices[k]], values[k]) in order, in place; without values for functions of one
// input. Where an index is out of range ([ErrIndex]), nothing is written.
func (u *Ufunc) At(x, indices *Array, values ...Operand) error {
	if len(values) > 1 {
		return fail(ErrInvalidArgument, "At takes values, or none")
	}
	return u.method(append([]Operand{x, indices}, values...),
		func(u C.gpuopt_kernel, raws []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
			var given C.gpuopt_array
			if len(raws) > 2 {
				given = raws[2]
			}
			return C.gpuopt_ufunc_at(u, raws[0], raws[1], given, e)
		})
}

// NewGufunc makes a function of sub-arrays, Numba's guvectorize, of types as in [NewUfunc] and a signature of core
// dimensions, "(m,n),(n,p)->(m,p)". The function name of the text takes array<const T, k> for inputs of k core
// dimensions, T for none, and array<T, k> for outputs. All dimensions in front of those are looped over, and broadcast.
func NewGufunc(code, name, types, signature string) (*Kernel, error) {
	return newKernel(name, []string{code, name, types, signature}, nil,
		func(own **C.char, _ C.gpuopt_go_texts, k *C.gpuopt_kernel, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_go_guvectorize(own, k, e)
		})
}

// A StencilMode says what an index means that leaves an array, as in scipy.ndimage.
type StencilMode int

const (
	// Nothing is read there: the result is EdgeValue where the neighborhood leaves the array.
	EdgeConstant StencilMode = iota
	EdgeReflect              // b a | a b c | c b
	EdgeNearest              // a a | a b c | c c
	EdgeWrap                 // b c | a b c | a b
)

type stencilOptions struct {
	c        C.gpuopt_go_stencil
	offsets  []C.int64_t
	preamble string
}

// A StencilOption is what a stencil has beside its text: [Edge], [EdgeValue], [Neighborhood], [StencilPreamble].
type StencilOption func(*stencilOptions)

// Edge says what lies outside of arrays; [EdgeConstant] unless given.
func Edge(mode StencilMode) StencilOption {
	return func(o *stencilOptions) { o.c.mode = C.int32_t(mode) }
}

// EdgeValue is the result where the neighborhood leaves the array, of mode [EdgeConstant]; zero unless given.
func EdgeValue(value Scalar) StencilOption { return func(o *stencilOptions) { o.c.cval = value.raw } }

// Neighborhood gives the least and the greatest offset along each axis, for texts whose offsets are no literals.
func Neighborhood(axes ...[2]int) StencilOption {
	return func(o *stencilOptions) {
		o.offsets = nil
		for _, axis := range axes {
			o.offsets = append(o.offsets, C.int64_t(axis[0]), C.int64_t(axis[1]))
		}
	}
}

// StencilPreamble has declarations of functions and types, in front of the text.
func StencilPreamble(text string) StencilOption {
	return func(o *stencilOptions) { o.preamble = text }
}

// NewStencil makes Numba's stencil, of parameters as in [NewElementwiseKernel] and of the body of a function, which
// returns the output at a place and reads the inputs it indexes relative to it, a(-1, 0), or a[-1]. Every element of
// the output is written.
func NewStencil(inParams, outParams, body, name string, options ...StencilOption) (*Kernel, error) {
	var more stencilOptions
	for _, option := range options {
		option(&more)
	}
	more.c.ndim = C.int32_t(len(more.offsets) / 2)
	own := []string{inParams, outParams, body, name, more.preamble}
	return newKernel(name, own, nil, func(own **C.char, _ C.gpuopt_go_texts, k *C.gpuopt_kernel,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_stencil_kernel(own, more.c, first(more.offsets), k, e)
	})
}

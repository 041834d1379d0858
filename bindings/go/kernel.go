// bindings/go/kernel.go -- kernels of your own: CUDA C++ given as text, run on any device.

package gpuopt

// #include "shim.h"
import "C"

import "strings"

// A Kernel is an operation or a reduction of your own. It may be called from any goroutines at once.
//
// The text is compiled when it is first called with some dtypes on a device. What does not compile is an error of code
// [ErrCompile] with the compiler's words and the lines of the text, a device without a compiler [ErrJITUnavailable].
//
// The text is run as it is: what it reads and writes outside of its arrays' elements is not found.
type Kernel struct {
	h         *handle[C.gpuopt_kernel]
	name      string
	nin, nout int
}

// kernelTexts are what the options of a kernel add up to.
type kernelTexts struct{ preamble, loopPrep, afterLoop, reduceType string }

// A KernelOption is a text beside a kernel's own: [Preamble], [LoopPrep], [AfterLoop], [ReduceType].
type KernelOption func(*kernelTexts)

// Preamble has declarations of functions and types, in front of the kernel.
func Preamble(text string) KernelOption { return func(t *kernelTexts) { t.preamble = text } }

// LoopPrep has statements of each thread before its loop.
func LoopPrep(text string) KernelOption { return func(t *kernelTexts) { t.loopPrep = text } }

// AfterLoop has statements of each thread after its loop.
func AfterLoop(text string) KernelOption { return func(t *kernelTexts) { t.afterLoop = text } }

// ReduceType names, for reductions, the type of partial results, at most 32 bytes; that of the first output unless
// given.
func ReduceType(text string) KernelOption { return func(t *kernelTexts) { t.reduceType = text } }

// NewElementwiseKernel makes CuPy's ElementwiseKernel. inParams and outParams are comma lists of "[raw] TYPE NAME",
// where a type of one letter is generic and others are dtype names; operation has statements that are run for each
// index i. A raw array is indexed by the text itself. A list or name that is none is [ErrInvalidArgument]; the
// statements are looked at by the first call.
func NewElementwiseKernel(inParams, outParams, operation, name string, options ...KernelOption) (*Kernel, error) {
	return newKernel(name, []string{inParams, outParams, operation, name}, options,
		func(own **C.char, texts C.gpuopt_go_texts, k *C.gpuopt_kernel, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_go_elementwise(own, texts, k, e)
		})
}

// NewReductionKernel makes CuPy's ReductionKernel, of parameters as in [NewElementwiseKernel], of what an element
// contributes, of how two contributions a and b become one, and of a statement that writes the outputs from the whole,
// a. _J is an element's place along the reduced axes. identity is the result of nothing; where it is empty, reducing
// nothing is [ErrInvalidArgument]. The bits of results are the same on every device.
func NewReductionKernel(inParams, outParams, mapExpr, reduceExpr, postMapExpr, identity, name string,
	options ...KernelOption) (*Kernel, error) {
	own := []string{inParams, outParams, mapExpr, reduceExpr, postMapExpr, identity, name}
	return newKernel(name, own, options, func(own **C.char, texts C.gpuopt_go_texts, k *C.gpuopt_kernel,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_reduction_kernel(own, texts, k, e)
	})
}

// newKernel makes a C call with a kernel's own texts and those of its options.
func newKernel(name string, own []string, options []KernelOption, call func(own **C.char, texts C.gpuopt_go_texts,
	k *C.gpuopt_kernel, e *C.gpuopt_error) C.gpuopt_status) (*Kernel, error) {
	var more kernelTexts
	for _, option := range options {
		option(&more)
	}
	all := append(own, more.preamble, more.loopPrep, more.afterLoop, more.reduceType)
	for _, text := range all {
		if strings.ContainsRune(text, 0) { // C would see what is before it
			return nil, fail(ErrInvalidArgument, "%q: a text has a NUL in it: %q", name, text)
		}
	}
	list, free := cTexts(all)
	defer free()
	rest := list[len(own):]
	texts := C.gpuopt_go_texts{preamble: rest[0], loop_prep: rest[1], after_loop: rest[2], reduce_type: rest[3]}
	var raw C.gpuopt_kernel
	if err := check(func(e *C.gpuopt_error) C.gpuopt_status { return call(&list[0], texts, &raw, e) }); err != nil {
		return nil, err
	}
	nin, nout := int(C.gpuopt_kernel_nin(raw)), int(C.gpuopt_kernel_nout(raw))
	return &Kernel{newHandle(raw, "kernel", func(k C.gpuopt_kernel) { C.gpuopt_kernel_release(k) }), name, nin,
		nout}, nil
}

// hold begins a use of the kernel, which k.h.done ends; nil is an error.
func (k *Kernel) hold() (C.gpuopt_kernel, error) {
	if k == nil {
		return nil, fail(ErrInvalidArgument, "the kernel is nil")
	}
	return k.h.hold()
}

// Close gives the reference back.
func (k *Kernel) Close() { k.h.close() }

// BuildLog gives all that the compiler said when it last refused the kernel's text, of which an [Error] has the
// beginning; "" if it never did.
func (k *Kernel) BuildLog() (string, error) { return buildLog(k.hold, k.h) }

// NIn gives the number of inputs.
func (k *Kernel) NIn() int { return k.nin }

// NOut gives the number of outputs.
func (k *Kernel) NOut() int { return k.nout }

// Call calls the kernel with its inputs and gives the first output. Arrays that are not raw broadcast. Arrays bind
// generic types and must agree exactly ([ErrType]); a number takes the type of its parameter. Of a reduction, all axes
// are reduced.
func (k *Kernel) Call(inputs ...Operand) (*Array, error) { return Launch{kernel: k}.Call(inputs...) }

// Outputs is [Kernel.Call] for kernels of several outputs.
func (k *Kernel) Outputs(inputs ...Operand) ([]*Array, error) {
	return Launch{kernel: k}.Outputs(inputs...)
}

// CallInto calls the kernel and writes all of its outputs to outs, which have the shape of the loop, of a reduction
// that of its results ([ErrShape]). They may be inputs, or share elements with them: those are read before.
func (k *Kernel) CallInto(outs []*Array, inputs ...Operand) error {
	return Launch{kernel: k}.CallInto(outs, inputs...)
}

// A Launch is a call of a kernel with options.
type Launch struct {
	kernel    *Kernel
	device    *Device
	options   C.gpuopt_go_launch
	reduction []ReduceOption
}

// Sized gives a call of this length, for elementwise kernels whose arrays are all raw: i runs from 0 to size, which is
// the length of the outputs.
func (k *Kernel) Sized(size int) Launch {
	return Launch{kernel: k, options: C.gpuopt_go_launch{size: C.int64_t(size), has_size: 1}}
}

// Over gives a call of a reduction that reduces what the options say: [Axes], [KeepDims]. [Accumulate] and [Correction]
// are errors.
func (k *Kernel) Over(options ...ReduceOption) Launch { return Launch{kernel: k, reduction: options} }

// BlockSize gives a call with this many threads per block on a GPU, a multiple of 32 up to 1024; 0 means 128.
func (k *Kernel) BlockSize(threads int) Launch { return Launch{kernel: k}.BlockSize(threads) }

// Over is [Kernel.Over] beside other options.
func (l Launch) Over(options ...ReduceOption) Launch {
	l.reduction = options
	return l
}

// BlockSize is [Kernel.BlockSize] beside other options.
func (l Launch) BlockSize(threads int) Launch {
	l.options.block_size = C.int32_t(threads)
	return l
}

// On says where the kernel runs if no argument is an array; those have their device.
func (l Launch) On(device *Device) Launch {
	l.device = device
	return l
}

// Call is [Kernel.Call] with the options.
func (l Launch) Call(inputs ...Operand) (*Array, error) {
	outputs, err := l.Outputs(inputs...)
	if err != nil {
		return nil, err
	}
	if len(outputs) == 0 {
		return nil, fail(ErrInvalidArgument, "%s: it has no output to give", l.kernel.name)
	}
	for _, other := range outputs[1:] {
		other.Close()
	}
	return outputs[0], nil
}

// Outputs is [Kernel.Outputs] with the options.
func (l Launch) Outputs(inputs ...Operand) ([]*Array, error) {
	if l.kernel == nil {
		return nil, fail(ErrInvalidArgument, "the kernel is nil")
	}
	if err := l.kernel.checkCount("inputs", len(inputs), l.kernel.nin); err != nil {
		return nil, err
	}
	raws := make([]C.gpuopt_array, l.kernel.nout)
	if err := l.run(inputs, first(raws)); err != nil {
		return nil, err
	}
	outputs := make([]*Array, len(raws))
	for i, raw := range raws {
		outputs[i] = newArray(raw)
	}
	return outputs, nil
}

// CallInto is [Kernel.CallInto] with the options.
func (l Launch) CallInto(outs []*Array, inputs ...Operand) error {
	if l.kernel == nil {
		return fail(ErrInvalidArgument, "the kernel is nil")
	}
	if err := l.kernel.checkCount("inputs", len(inputs), l.kernel.nin); err != nil {
		return err
	}
	if err := l.kernel.checkCount("outputs", len(outs), l.kernel.nout); err != nil {
		return err
	}
	all := append([]Operand{}, inputs...)
	for _, out := range outs {
		all = append(all, out)
	}
	return l.run(all, nil)
}

func (k *Kernel) checkCount(what string, given, wanted int) error {
	if given == wanted {
		return nil
	}
	return fail(ErrInvalidArgument, "%s: Wrong number of %s: %d, but it has %d", k.name, what, given, wanted)
}

// run makes the C call, into as many results as the kernel has outputs, or nil.
func (l Launch) run(arguments []Operand, results *C.gpuopt_array) error {
	kernel, err := l.kernel.hold()
	if err != nil {
		return err
	}
	defer l.kernel.h.done()
	if l.device != nil {
		if l.options.device, err = l.device.hold(); err != nil {
			return err
		}
		defer l.device.h.done()
	}
	axes, how, err := collectAxes(l.kernel.name+": a kernel", l.reduction)
	if err != nil {
		return err
	}
	return withOperands(arguments, func(raws []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_kernel_call(kernel, C.int32_t(len(raws)), first(raws), l.options, axes, how, results, e)
	})
}

// bindings/go/compiled.go -- native functions for C to call, and kernels compiled ahead of time.

package gpuopt

// #include "shim.h"
import "C"

import (
	"strings"
	"unsafe"
)

// A Cfunc is a function of CUDA C++ compiled for the CPU, with the calling convention of C: Numba's cfunc.
type Cfunc struct {
	h       *handle[C.gpuopt_cfunc]
	address unsafe.Pointer
}

// NewCfunc makes one of a text with a function name, and of that function's C type: dtype names, * behind one for an
// address, void*, ->void, as "const float64*,int64->float64". A signature that is none is [ErrInvalidArgument]; what
// does not compile is [ErrCompile], and no compiler [ErrJITUnavailable].
func NewCfunc(code, name, signature string) (*Cfunc, error) {
	texts := []string{code, name, signature}
	for _, text := range texts {
		if strings.ContainsRune(text, 0) { // C would see what is before it
			return nil, fail(ErrInvalidArgument, "%q: a text has a NUL in it: %q", name, text)
		}
	}
	list, free := cTexts(texts)
	defer free()
	var raw C.gpuopt_cfunc
	err := check(func(e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_compile_cfunc(list[0], list[1], list[2], &raw, e)
	})
	if err != nil {
		return nil, err
	}
	h := newHandle(raw, "function", func(f C.gpuopt_cfunc) { C.gpuopt_cfunc_release(f) })
	return &Cfunc{h, C.gpuopt_cfunc_address(raw)}, nil
}

// Address gives where the function begins, to be handed to C. It is valid until [Cfunc.Close], which must come after
// its last call; nil when that was.
func (f *Cfunc) Address() unsafe.Pointer {
	if _, err := f.h.hold(); err != nil {
		return nil
	}
	defer f.h.done()
	return f.address
}

// Close gives the reference back.
func (f *Cfunc) Close() { f.h.close() }

// LoadBundle loads a bundle of kernels that gpuopt-aot compiled ahead of time, for the whole process: kernels found in
// it need no compiler. A file that others may write to is [ErrIO]; one that is damaged, or of another release,
// [ErrFormat].
func LoadBundle(path string) error {
	text, free := cText(path)
	defer free()
	return check(func(e *C.gpuopt_error) C.gpuopt_status { return C.gpuopt_bundle_load(text, e) })
}

// LoadBundleBytes is [LoadBundle] for a bundle that is part of the program.
func LoadBundleBytes(bundle []byte) error {
	return check(func(e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_bundle_load_memory(unsafe.Pointer(first(bundle)), C.uint64_t(len(bundle)), e)
	})
}

// BuildBundle compiles the kernels that were recorded in a file (GPUOPT_RECORD_KERNELS) for every processor that the
// compilers installed here can, and makes a bundle of them.
func BuildBundle(recorded, bundle string) error {
	list, free := cTexts([]string{recorded, bundle})
	defer free()
	return check(func(e *C.gpuopt_error) C.gpuopt_status { return C.gpuopt_bundle_build(list[0], list[1], e) })
}

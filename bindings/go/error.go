// bindings/go/error.go -- errors: the C error whole, fetched by the call that failed.

package gpuopt

// #cgo pkg-config: gpuopt
// #include <gpuopt/gpuopt.h>
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"unsafe"
)

// A Code says what went wrong; the constants Err... name them.
type Code int32

// A Reason says why a backend could not be used; the constants Reason... name them.
type Reason int32

// Message gives the sentence of the code.
func (c Code) Message() string { return C.GoString(C.gpuopt_status_message(C.gpuopt_status(c))) }

// Error gives "GPUOPT_ERR_SHAPE". It makes a code a target of errors.Is: errors.Is(err, gpuopt.ErrShape).
func (c Code) Error() string { return C.GoString(C.gpuopt_status_name(C.gpuopt_status(c))) }

// String gives "DRIVER_MISSING".
func (r Reason) String() string { return C.GoString(C.gpuopt_reason_name(C.gpuopt_reason(r))) }

// Message gives the sentence of the reason.
func (r Reason) Message() string { return C.GoString(C.gpuopt_reason_message(C.gpuopt_reason(r))) }

// Hint says what a person does about it.
func (r Reason) Hint() string { return C.GoString(C.gpuopt_reason_hint(C.gpuopt_reason(r))) }

// An Error is a failed call. Every array is as it was before.
type Error struct {
	Code        Code
	Reason      Reason // ReasonNone where no backend was the matter
	BackendCode int    // the vendor's own error number, 0 if none
	Message     string // names the operation, dtypes, shapes and devices
}

// Error gives the message and the name of the code.
func (e *Error) Error() string { return fmt.Sprintf("%s (%v)", e.Message, e.Code) }

// Is reports whether target is the error's code.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == e.Code
}

// fail makes an error of the binding itself.
func fail(code Code, format string, arguments ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, arguments...)}
}

// check makes a C call with an error of its own.
func check(call func(e *C.gpuopt_error) C.gpuopt_status) error {
	e := C.gpuopt_error{struct_size: C.sizeof_gpuopt_error}
	status := call(&e)
	if status == C.GPUOPT_OK {
		return nil
	}
	return &Error{Code(status), Reason(e.reason), int(e.backend_code), C.GoString(&e.message[0])}
}

// cText gives a copy of a string for C, and what frees it.
func cText(text string) (*C.char, func()) {
	c := C.CString(text)
	return c, func() { C.free(unsafe.Pointer(c)) }
}

// cTexts does so with several.
func cTexts(texts []string) ([]*C.char, func()) {
	list := make([]*C.char, len(texts))
	for i, text := range texts {
		list[i] = C.CString(text)
	}
	return list, func() {
		for _, c := range list {
			C.free(unsafe.Pointer(c))
		}
	}
}

// givenText is the string a C call gives out.
func givenText(call func(text **C.char, e *C.gpuopt_error) C.gpuopt_status) (string, error) {
	var text *C.char
	if err := check(func(e *C.gpuopt_error) C.gpuopt_status { return call(&text, e) }); err != nil {
		return "", err
	}
	defer C.gpuopt_string_free(text)
	return C.GoString(text), nil
}

// Version gives the version of the loaded library.
func Version() (major, minor, patch int) {
	v := int(C.gpuopt_version())
	return v / 1000000, v / 1000 % 1000, v % 1000
}

// names are those of a table of the library.
func names(name func(row C.int32_t) *C.char) []string {
	var list []string
	for row := C.int32_t(0); name(row) != nil; row++ {
		list = append(list, C.GoString(name(row)))
	}
	return list
}

// OpNames gives the names of the elementwise operations the library has, [Add] to [Where], as in C.
func OpNames() []string { return names(func(row C.int32_t) *C.char { return C.gpuopt_op_name(row) }) }

// ReductionNames gives the names of the reductions of the table, [Sum] to [CountNonzero].
func ReductionNames() []string {
	return names(func(row C.int32_t) *C.char { return C.gpuopt_reduction_name(row) })
}

// ScanNames gives the names of the scans.
func ScanNames() []string {
	return names(func(row C.int32_t) *C.char { return C.gpuopt_scan_name(row) })
}

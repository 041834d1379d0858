// bindings/go/export_test.go -- what the tests look at that the package does not give out.

package gpuopt

import "unsafe"

// boolsOver gives the bytes of elements as bools, whatever they hold.
func boolsOver(elements []Half) []bool {
	return unsafe.Slice((*bool)(unsafe.Pointer(&elements[0])), 2*len(elements))
}

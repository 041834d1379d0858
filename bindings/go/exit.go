// bindings/go/exit.go -- the end of a process as libraries of C know it.

package gpuopt

// #include <stdlib.h>
import "C"

// Exit ends the process as C's exit does, with what libraries of C do then. Go's own ends, os.Exit and the return from
// main, leave that out. A program whose groups send their messages by MPI ends so, with all groups closed: MPI is
// finalized then, and its launcher takes a process that has not done so for one that has failed. Deferred functions do
// not run, as with os.Exit.
func Exit(code int) { C.exit(C.int(code)) }

// bindings/go/doc.go -- the package: what is where, and the rules.

// Package gpuopt has arrays on any processor, with NumPy's semantics. A program asks for a device by name; where that
// backend cannot work here it gets the CPU, one warning, and the same numbers.
//
//	xp, err := gpuopt.Open("cuda") // the CPU where CUDA cannot work
//	x, err := gpuopt.FromSlice(xp, []float64{1, 4, 9, 16}, 2, 2)
//	y, err := gpuopt.Sqrt(x)
//	fmt.Println(y) // [[1. 2.]
//	               //  [3. 4.]]
//
// # Where things are
//
// [Open] gives a [Device], which creates arrays. Operations are functions of arrays and numbers: Add(x, Num(2)); those
// that end in Into write to an array. Reductions take options: Sum(x, Axes(0), KeepDims()). Views, copies and writes
// are methods of [Array]. [Of] begins a line of operations that needs no collector and has one error: the arrays
// between two operations are closed as they are used, and never get memory. [NewElementwiseKernel] and
// [NewReductionKernel] make operations of your own of CUDA C++, for every device, and [NewRawKernel] launches a whole
// __global__ function, with its grid, blocks and shared memory.
// [RandomState] draws NumPy's numbers, [Generator] the same ones on every device. Each error of the library is an
// *[Error] with code, reason, the vendor's number and the message.
//
// # Ownership
//
// An array refers to elements on a device; a view refers to those of another array. Close gives a reference back, may
// be called again and beside other uses, and the last reference frees the elements. What is not closed goes when the
// garbage collector finds it; it does not see the memory of a device, so close what is large. Using what is closed is
// an error of code [ErrInvalidArgument], or for calls that give none, such as Shape, their zero value.
//
// # Goroutines
//
// Everything may be used from any goroutines at once, with two exceptions: a write to an array (functions that end in
// Into, Assign, Fill, SetItem, MaskAssign, Put, Shuffle, launches of a [RawKernel]) must not run beside another use of
// its elements, and a [RandomState], [Generator], [Event] or [Npz] is used by one goroutine at a time. Errors are the
// call's own, however many fail at once.
//
// # When things run
//
// Elementwise operations, casts, reductions and scans are recorded and run as one program when something looks at a
// result. Errors of dtype, shape and axis come from the call that makes them; a failure while running comes from the
// call that looked. [Eval] runs what arrays wait for.
package gpuopt

// bindings/go/raw.go -- CUDA kernels as they are written for a GPU, launched on any device.

package gpuopt

// #include <gpuopt/gpuopt.h>
// #include <stdlib.h>
import "C"

import (
	"reflect"
	"strings"
	"unsafe"
)

// A RawKernel is a __global__ function of CUDA C++: CuPy's RawKernel. It may be launched from any goroutines at once.
//
// The text is compiled when it is first launched on a device. What does not compile is an error of code [ErrCompile]
// with the compiler's words and the lines of the text, a device without a compiler [ErrJITUnavailable].
//
// The text is run as it is: what it reads and writes outside of its arrays' elements is not found.
type RawKernel struct {
	h    *handle[C.gpuopt_kernel]
	name string
}

// NewRawKernel makes a kernel of the function name of code; also of an instance of a template, "scale<float, 4>", or a
// function of a namespace. A name that is none is [ErrInvalidArgument]; the text is looked at by the first launch.
func NewRawKernel(code, name string) (*RawKernel, error) {
	kernels, err := NewRawModule(code, name)
	if err != nil {
		return nil, err
	}
	return kernels[0], nil
}

// NewRawModule makes kernels of several functions of one text, in the order of their names, which share its variables:
// CuPy's RawModule.
func NewRawModule(code string, names ...string) ([]*RawKernel, error) {
	all := append([]string{code}, names...)
	for _, text := range all {
		if strings.ContainsRune(text, 0) { // C would see what is before it
			return nil, fail(ErrInvalidArgument, "raw kernel: a text has a NUL in it: %q", text)
		}
	}
	list, free := cTexts(all)
	defer free()
	raws := make([]C.gpuopt_kernel, len(names))
	err := check(func(e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_raw_module(list[0], C.int32_t(len(names)), first(list[1:]), first(raws), e)
	})
	if err != nil {
		return nil, err
	}
	kernels := make([]*RawKernel, len(names))
	for i, raw := range raws {
		kernels[i] = &RawKernel{newHandle(raw, "kernel", func(k C.gpuopt_kernel) { C.gpuopt_kernel_release(k) }),
			names[i]}
	}
	return kernels, nil
}

// hold begins a use of the kernel, which k.h.done ends; nil is an error.
func (k *RawKernel) hold() (C.gpuopt_kernel, error) {
	if k == nil {
		return nil, fail(ErrInvalidArgument, "the kernel is nil")
	}
	return k.h.hold()
}

// CancelCompilations ends the compilations of kernels that are under way in this process: the calls that wait for one
// are [ErrCancelled], and compile anew when they are made again. From any goroutine, and it does not wait; calls that
// begin later are as ever.
func CancelCompilations() { C.gpuopt_cancel_compilations() }

// Close gives the reference back.
func (k *RawKernel) Close() { k.h.close() }

// BuildLog gives all that the compiler said when it last refused the text, of which an [Error] has the beginning; "" if
// it never did.
func (k *RawKernel) BuildLog() (string, error) { return buildLog(k.hold, k.h) }

// buildLog is that of any kernel.
func buildLog(hold func() (C.gpuopt_kernel, error), h *handle[C.gpuopt_kernel]) (string, error) {
	raw, err := hold()
	if err != nil {
		return "", err
	}
	defer h.done()
	return givenText(func(text **C.char, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_kernel_build_log(raw, text, e)
	})
}

// Name gives the name it was made with.
func (k *RawKernel) Name() string { return k.name }

// A Dim3 has the blocks of a grid, or the threads of a block; Y and Z of 0 are 1.
type Dim3 struct{ X, Y, Z uint32 }

func (d Dim3) sizes() [3]C.uint32_t {
	list := [3]C.uint32_t{C.uint32_t(d.X), C.uint32_t(d.Y), C.uint32_t(d.Z)}
	for i := range list[1:] {
		if list[1+i] == 0 {
			list[1+i] = 1
		}
	}
	return list
}

// A RawArgument is what a [RawKernel] takes for one parameter: an *[Array], of which the address of the first element
// is passed, or a [Value].
type RawArgument interface {
	// holdRaw gives an array's handle, or the bytes of a value, and what ends its use.
	holdRaw() (C.gpuopt_array, []byte, func(), error)
	// rawDType gives what the argument is: a dtype, Default for an array's own and for what is not known, or
	// GPUOPT_RAW_ANY.
	rawDType() C.gpuopt_dtype
}

func (x *Array) holdRaw() (C.gpuopt_array, []byte, func(), error) {
	raw, done, err := x.holdOperand()
	return raw, nil, done, err
}

func (x *Array) rawDType() C.gpuopt_dtype { return C.GPUOPT_DTYPE_DEFAULT }

type reinterpreted struct{ *Array }

func (reinterpreted) rawDType() C.gpuopt_dtype { return C.GPUOPT_RAW_ANY }

// Reinterpret passes an array whose elements the kernel takes as what its parameter points to, whatever their dtype.
func Reinterpret(x *Array) RawArgument { return reinterpreted{x} }

type rawValue struct {
	bytes []byte
	dtype C.gpuopt_dtype
	err   error
}

func (v rawValue) holdRaw() (C.gpuopt_array, []byte, func(), error) {
	return nil, v.bytes, func() {}, v.err
}

func (v rawValue) rawDType() C.gpuopt_dtype { return v.dtype }

// rawDTypes are those of the kinds of numbers; int and uint are of the machine's own size.
var rawDTypes = map[reflect.Kind]DType{
	reflect.Bool: Bool, reflect.Int8: Int8, reflect.Int16: Int16, reflect.Int32: Int32, reflect.Int64: Int64,
	reflect.Uint8: UInt8, reflect.Uint16: UInt16, reflect.Uint32: UInt32, reflect.Uint64: UInt64,
	reflect.Float32: Float32, reflect.Float64: Float64, reflect.Complex64: Complex64, reflect.Complex128: Complex128,
}

// rawDTypeOf gives the dtype of a value of a Go type; Default, which is not checked, for structs and int.
func rawDTypeOf(of reflect.Type) C.gpuopt_dtype {
	switch of {
	case reflect.TypeOf(Half(0)):
		return C.GPUOPT_FLOAT16
	case reflect.TypeOf(Brain(0)):
		return C.GPUOPT_BFLOAT16
	}
	return C.gpuopt_dtype(rawDTypes[of.Kind()])
}

// Value passes a number, or a struct of numbers, by its bytes: of exactly the parameter's type, as Value(float32(2))
// for a float and Value(int32(n)) for an int. Structs have the members of the struct in the text, which C lays out as
// Go does. What has pointers in it is an error of the launch.
func Value[T any](value T) RawArgument {
	of := reflect.TypeOf((*T)(nil)).Elem()
	if !isPlain(of) {
		return rawValue{err: fail(ErrType, "Value: %v is not a number, nor a struct or array of numbers", of)}
	}
	bytes := make([]byte, of.Size())
	copy(bytes, unsafe.Slice((*byte)(unsafe.Pointer(&value)), len(bytes)))
	return rawValue{bytes: bytes, dtype: rawDTypeOf(of)}
}

// isPlain reports whether a type has numbers only.
func isPlain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return isPlain(t.Elem())
	case reflect.Struct:
		for i := 0; i < t.NumField(); i++ {
			if !isPlain(t.Field(i).Type) {
				return false
			}
		}
		return t.NumField() > 0
	default:
		return reflect.Bool <= t.Kind() && t.Kind() <= reflect.Complex128
	}
}

// Launch runs the kernel on grid blocks of block threads: [RawLaunch.Launch] without options.
func (k *RawKernel) Launch(grid, block Dim3, arguments ...RawArgument) error {
	return k.Configure(grid, block).Launch(arguments...)
}

// Configure gives a launch of grid blocks of block threads, to be given options.
func (k *RawKernel) Configure(grid, block Dim3) RawLaunch {
	return RawLaunch{kernel: k, grid: grid.sizes(), block: block.sizes()}
}

// A RawLaunch is a launch of a [RawKernel] with options.
type RawLaunch struct {
	kernel      *RawKernel
	grid, block [3]C.uint32_t
	shared      C.uint32_t
	stream      *Stream
	device      *Device
}

// SharedBytes gives it bytes of dynamic shared memory, extern __shared__.
func (l RawLaunch) SharedBytes(bytes uint32) RawLaunch {
	l.shared = C.uint32_t(bytes)
	return l
}

// OnStream says which stream it runs on, instead of that of the first array.
func (l RawLaunch) OnStream(stream *Stream) RawLaunch {
	l.stream = stream
	return l
}

// On says where it runs if no argument is an array: on this device's default stream.
func (l RawLaunch) On(device *Device) RawLaunch {
	l.device = device
	return l
}

// Launch launches the kernel; work that uses the arrays is ordered before and after it, and each of them may be
// written, but for read-only ones. Numbers and sizes of arguments must be those of the function's parameters
// ([ErrInvalidArgument]), and so must their types ([ErrType]), but for [Reinterpret]; strides are the caller's
// business.
func (l RawLaunch) Launch(arguments ...RawArgument) error {
	kernel, err := l.kernel.hold()
	if err != nil {
		return err
	}
	defer l.kernel.h.done()
	options, done, err := l.options()
	if err != nil {
		return err
	}
	defer done()
	list := make([]C.gpuopt_raw_argument, len(arguments))
	values := make([][]byte, len(arguments))
	dtypes := make([]C.gpuopt_dtype, len(arguments))
	for i, argument := range arguments {
		if argument == nil {
			return fail(ErrInvalidArgument, "%s: argument %d is nil", l.kernel.name, i)
		}
		raw, bytes, done, err := argument.holdRaw()
		if err != nil {
			return err
		}
		defer done()
		list[i].array, values[i], dtypes[i] = raw, bytes, argument.rawDType()
	}
	memory := inC(list, values)
	defer C.free(memory)
	kinds := C.CBytes(dtypeBytes(dtypes)) // C must not see a pointer into Go's memory in the options
	defer C.free(kinds)
	options.dtypes = (*C.gpuopt_dtype)(kinds)
	return check(func(e *C.gpuopt_error) C.gpuopt_status {
		given := (*C.gpuopt_raw_argument)(memory)
		return C.gpuopt_raw_kernel_launch(kernel, &l.grid[0], &l.block[0], l.shared, C.int32_t(len(list)), given,
			&options, e)
	})
}

// dtypeBytes gives the bytes of a list of dtypes.
func dtypeBytes(dtypes []C.gpuopt_dtype) []byte {
	if len(dtypes) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&dtypes[0])), len(dtypes)*C.sizeof_gpuopt_dtype)
}

// inC gives a copy of a list of arguments in C's memory, and behind it the values it points to, which C must not see in
// Go's.
func inC(list []C.gpuopt_raw_argument, values [][]byte) unsafe.Pointer {
	size := len(list) * C.sizeof_gpuopt_raw_argument
	total := size
	for _, value := range values {
		total += len(value)
	}
	memory := C.malloc(C.size_t(total + 1)) // of nothing it may give NULL
	bytes := unsafe.Slice((*byte)(memory), total+1)
	for i, value := range values {
		if value != nil {
			list[i].value, list[i].bytes = unsafe.Pointer(&bytes[size]), C.uint64_t(len(value))
			size += copy(bytes[size:], value)
		}
	}
	copy(unsafe.Slice((*C.gpuopt_raw_argument)(memory), len(list)), list)
	return memory
}

// options gives those of the C call, and what ends their use.
func (l RawLaunch) options() (options C.gpuopt_raw_launch_options, done func(), err error) {
	options.struct_size = C.sizeof_gpuopt_raw_launch_options
	held := []func(){}
	done = func() {
		for _, end := range held {
			end()
		}
	}
	if l.stream != nil {
		if options.stream, err = l.stream.hold(); err != nil {
			return options, done, err
		}
		held = append(held, l.stream.h.done)
	}
	if l.device != nil {
		if options.device, err = l.device.hold(); err != nil {
			done()
			return options, done, err
		}
		held = append(held, l.device.h.done)
	}
	return options, done, nil
}

// GetGlobal gives count elements, from element first on, of a __device__ or __constant__ variable of a kernel's text,
// as it is on a device; of one in a namespace "mine::factors". T is the caller's business. [ErrInvalidArgument] if
// there is none, or fewer bytes. Waits for the device's default stream.
func GetGlobal[T Element](k *RawKernel, device *Device, variable string, first, count int) ([]T, error) {
	if first < 0 || count < 0 {
		return nil, fail(ErrInvalidArgument, "GetGlobal: %d elements from element %d on", count, first)
	}
	values := make([]T, count)
	err := global(k, device, variable, first, values, func(k C.gpuopt_kernel, name *C.char, offset C.uint64_t,
		data unsafe.Pointer, bytes C.uint64_t, o *C.gpuopt_raw_launch_options, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_raw_kernel_get_global(k, name, offset, data, bytes, o, e)
	})
	if err != nil {
		return nil, err
	}
	normalize(values)
	return values, nil
}

// SetGlobal writes elements of such a variable, from element first on, behind what the device's default stream has to
// do.
func SetGlobal[T Element](k *RawKernel, device *Device, variable string, first int, values []T) error {
	if first < 0 {
		return fail(ErrInvalidArgument, "SetGlobal: from element %d on", first)
	}
	return global(k, device, variable, first, values, func(k C.gpuopt_kernel, name *C.char, offset C.uint64_t,
		data unsafe.Pointer, bytes C.uint64_t, o *C.gpuopt_raw_launch_options, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_raw_kernel_set_global(k, name, offset, data, bytes, o, e)
	})
}

// global makes a C call with a kernel, a variable of its text and values for it.
func global[T Element](k *RawKernel, device *Device, variable string, from int, values []T,
	call func(k C.gpuopt_kernel, name *C.char, offset C.uint64_t, data unsafe.Pointer, bytes C.uint64_t,
		o *C.gpuopt_raw_launch_options, e *C.gpuopt_error) C.gpuopt_status) error {
	kernel, err := k.hold()
	if err != nil {
		return err
	}
	defer k.h.done()
	options, done, err := RawLaunch{device: device}.options()
	if err != nil {
		return err
	}
	defer done()
	if strings.ContainsRune(variable, 0) {
		return fail(ErrInvalidArgument, "%s: the variable has a NUL in it: %q", k.name, variable)
	}
	name, free := cText(variable)
	defer free()
	size := unsafe.Sizeof(*new(T))
	var none T // C takes no NULL, also for no elements
	data := unsafe.Pointer(&none)
	if len(values) > 0 {
		data = unsafe.Pointer(&values[0])
	}
	offset, bytes := C.uint64_t(from)*C.uint64_t(size), C.uint64_t(len(values))*C.uint64_t(size)
	return check(func(e *C.gpuopt_error) C.gpuopt_status {
		return call(kernel, name, offset, data, bytes, &options, e)
	})
}

// KernelAttributes are what a kernel was compiled to on a device; -1 where the backend cannot tell.
type KernelAttributes struct {
	MaxThreadsPerBlock int // the largest block
	Registers          int // of a thread
	SharedBytes        int // of static shared memory
	LocalBytes         int // of a thread's own memory
}

// Attributes gives what the kernel is compiled to on a device.
func (k *RawKernel) Attributes(device *Device) (KernelAttributes, error) {
	kernel, err := k.hold()
	if err != nil {
		return KernelAttributes{}, err
	}
	defer k.h.done()
	raw := C.gpuopt_kernel_attributes{struct_size: C.sizeof_gpuopt_kernel_attributes}
	err = device.call(func(device C.gpuopt_device, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_raw_kernel_attributes(kernel, device, &raw, e)
	})
	if err != nil {
		return KernelAttributes{}, err
	}
	return KernelAttributes{int(raw.max_threads_per_block), int(raw.registers), int(raw.shared_bytes),
		int(raw.local_bytes)}, nil
}

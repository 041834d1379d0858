// bindings/go/raw_test.go -- raw kernels, as far as that needs no compiler.

package gpuopt

import "testing"

const saxpyText = `extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];
}`

func rawKernel(t *testing.T, code, name string) *RawKernel {
	t.Helper()
	return must[*RawKernel](t)(NewRawKernel(code, name))
}

func TestMakingRawKernels(t *testing.T) {
	expectEqual(t, "name", rawKernel(t, saxpyText, "saxpy").Name(), "saxpy")
	expectError(t, failing(NewRawKernel("", "a b")), ErrInvalidArgument, "names no function")
	expectError(t, failing(NewRawKernel("\x00", "k")), ErrInvalidArgument, "NUL")
	expectError(t, failing(NewRawModule("", "k", "k;")), ErrInvalidArgument, "names no function")
	expectError(t, failing(NewRawModule("", "k", "k\x00")), ErrInvalidArgument, "NUL", `k\x00`)
	expectError(t, failing(NewRawModule("")), ErrInvalidArgument, "0 names")
}

func TestArgumentsOfRawKernels(t *testing.T) {
	kernel, x, one := rawKernel(t, saxpyText, "saxpy"), counting(t, 3), Dim3{X: 1}
	expectError(t, kernel.Launch(Dim3{}, one, x), ErrInvalidArgument, "grid is 0 x 1 x 1")
	expectError(t, kernel.Launch(one, Dim3{Y: 2}, x), ErrInvalidArgument, "block is 0 x 2 x 1")
	expectError(t, kernel.Launch(one, one, Value(float32(1))), ErrInvalidArgument, "no argument is an array")
	expectError(t, kernel.Launch(one, one, x, nil), ErrInvalidArgument, "argument 1 is nil")
	expectError(t, kernel.Launch(one, one, (*Array)(nil)), ErrInvalidArgument, "an array is nil")
	type pointed struct{ at []*int }
	expectError(t, kernel.Launch(one, one, Value("text")), ErrType, "string is not a number")
	expectError(t, kernel.Launch(one, one, Value([2]pointed{})), ErrType, "[2]gpuopt.pointed is not a number")
	expectError(t, kernel.Launch(one, one, Value[any](1)), ErrType, "interface {} is not a number")
	expectError(t, failing(GetGlobal[int32](kernel, cpu(t), "v", -1, 1)), ErrInvalidArgument, "from element -1")
	expectError(t, failing(GetGlobal[int32](kernel, cpu(t), "v", 0, -1)), ErrInvalidArgument, "-1 elements")
	expectError(t, SetGlobal(kernel, cpu(t), "v", -1, []int32{1}), ErrInvalidArgument, "from element -1")
	expectError(t, SetGlobal(kernel, cpu(t), "v\x00", 0, []int32{1}), ErrInvalidArgument, "NUL")
	expectError(t, SetGlobal(kernel, nil, "v", 0, []int32{1}), ErrInvalidArgument, "name no device")
}

func TestClosedAndNilRawKernels(t *testing.T) {
	kernel, x, one := rawKernel(t, saxpyText, "saxpy"), counting(t, 3), Dim3{X: 1}
	device, stream := cpu(t), must[*Stream](t)(cpu(t).NewStream())
	device.Close()
	stream.Close()
	expectError(t, kernel.Configure(one, one).On(device).Launch(x), ErrInvalidArgument, "the device is closed")
	expectError(t, kernel.Configure(one, one).OnStream(stream).Launch(x), ErrInvalidArgument, "the stream is closed")
	expectError(t, failing(kernel.Attributes(device)), ErrInvalidArgument, "the device is closed")
	expectError(t, (*RawKernel)(nil).Launch(one, one, x), ErrInvalidArgument, "the kernel is nil")
	expectError(t, RawLaunch{}.Launch(x), ErrInvalidArgument, "the kernel is nil")
	kernel.Close()
	kernel.Close()
	expectError(t, kernel.Launch(one, one, x), ErrInvalidArgument, "the kernel is closed")
	expectError(t, failing(GetGlobal[int32](kernel, cpu(t), "v", 0, 1)), ErrInvalidArgument, "the kernel is closed")
	expectError(t, failing(kernel.Attributes(cpu(t))), ErrInvalidArgument, "the kernel is closed")
}

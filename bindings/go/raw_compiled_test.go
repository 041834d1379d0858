//go:build !nocompiler

// bindings/go/raw_compiled_test.go -- raw kernels that run: they need a compiler, which tests/bindings/check.sh looks
// for.

package gpuopt

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestGridStrideLoop(t *testing.T) {
	saxpy, n := rawKernel(t, saxpyText, "saxpy"), 1000
	x := must[*Array](t)(counting(t, n).AsType(Float32))
	y := must[*Array](t)(cpu(t).Ones(Float32, n))
	if err := saxpy.Launch(Dim3{X: 3}, Dim3{X: 64}, Value(float32(0.5)), x, y, Value(int32(n))); err != nil {
		t.Fatal(err)
	}
	sum := must[*Array](t)(Add(y, Num(1))) // recorded work comes behind it
	want := make([]float32, n)
	for i := range want {
		want[i] = 2 + 0.5*float32(i)
	}
	expectEqual(t, "saxpy", must[[]float32](t)(ToSlice[float32](sum)), want)
}

func TestSharedMemory(t *testing.T) {
	blockSum := rawKernel(t, `extern "C" __global__ void block_sum(const double *x, double *sums, int n) {
		extern __shared__ double part[];
		int i = blockIdx.x * blockDim.x + threadIdx.x;
		part[threadIdx.x] = i < n ? x[i] : 0;
		for (int half = blockDim.x / 2; half > 0; half /= 2) {
			__syncthreads();
			if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
		}
		if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
	}`, "block_sum")
	x, sums := counting(t, 1000), counting(t, 8)
	stream := must[*Stream](t)(cpu(t).NewStream())
	launch := blockSum.Configure(Dim3{X: 8}, Dim3{X: 128}).SharedBytes(128 * 8).OnStream(stream)
	if err := launch.Launch(x, sums, Value(int32(1000))); err != nil {
		t.Fatal(err)
	}
	want := make([]float64, 8)
	for i := 0; i < 1000; i++ {
		want[i/128] += float64(i)
	}
	expectEqual(t, "sums", floats(t, sums), want)
}

func TestModules(t *testing.T) {
	kernels := must[[]*RawKernel](t)(NewRawModule(`__constant__ double factors[3] = {1, 10, 100};
		namespace mine { __device__ int calls = 0; }
		__device__ bool flags[3] = {true, false, true};
		__global__ void count() { atomicAdd(&mine::calls, 1); }
		template <class T> __global__ void scale(T *x, int n) {
			int i = blockIdx.x * blockDim.x + threadIdx.x;
			if (i < n) x[i] *= factors[i % 3];
		}`, "count", "scale<double>"))
	count, scale, xp := kernels[0], kernels[1], cpu(t)
	if err := count.Configure(Dim3{X: 2}, Dim3{X: 3}).On(xp).Launch(); err != nil {
		t.Fatal(err)
	}
	expectEqual(t, "calls", must[[]int32](t)(GetGlobal[int32](scale, xp, "mine::calls", 0, 1)), []int32{6})
	expectEqual(t, "flags", must[[]bool](t)(GetGlobal[bool](scale, xp, "flags", 1, 2)), []bool{false, true})
	if err := SetGlobal(scale, xp, "factors", 1, []float64{-10, 0.5}); err != nil {
		t.Fatal(err)
	}
	expectEqual(t, "factors", must[[]float64](t)(GetGlobal[float64](count, xp, "factors", 0, 3)),
		[]float64{1, -10, 0.5})
	expectEqual(t, "none", must[[]float64](t)(GetGlobal[float64](count, xp, "factors", 3, 0)), []float64{})
	x := counting(t, 6)
	if err := scale.Launch(Dim3{X: 1}, Dim3{X: 32}, x, Value(int32(5))); err != nil {
		t.Fatal(err)
	}
	expectEqual(t, "scaled", floats(t, x), []float64{0, -10, 1, 3, -40, 5})
	expectError(t, failing(GetGlobal[float64](scale, xp, "factors", 0, 4)), ErrInvalidArgument, "32 bytes from byte 0",
		"which has 24")
	expectError(t, failing(GetGlobal[float64](scale, xp, "none", 0, 1)), ErrInvalidArgument,
		`no __device__ or __constant__ variable "none"`)
}

func TestStructsByValue(t *testing.T) {
	type line struct {
		flip   bool
		slope  float64
		offset [2]int16
	}
	along := rawKernel(t, `struct Line { bool flip; double slope; short offset[2]; };
		__global__ void along(const double *x, double *y, Line line) {
			double v = line.slope * x[threadIdx.x] + line.offset[0] * line.offset[1];
			y[threadIdx.x] = line.flip ? -v : v;
		}`, "along")
	x, y := counting(t, 3), counting(t, 3)
	if err := along.Launch(Dim3{X: 1}, Dim3{X: 3}, x, y, Value(line{true, 0.5, [2]int16{-3, 1}})); err != nil {
		t.Fatal(err)
	}
	expectEqual(t, "along", floats(t, y), []float64{3, 2.5, 2})
}

func TestWhatIsWrongWithLaunches(t *testing.T) {
	saxpy, x := rawKernel(t, saxpyText, "saxpy"), counting(t, 3)
	one, warp := Dim3{X: 1}, Dim3{X: 32}
	expectError(t, saxpy.Launch(one, warp, x), ErrInvalidArgument, "1 arguments for 4 parameters")
	expectError(t, saxpy.Launch(one, warp, Value(2.0), x, x, Value(int32(3))), ErrInvalidArgument,
		"saxpy: argument 0 has 8 bytes, its parameter 4")
	typo := rawKernel(t, "__global__ void typo(double *x) {\n  x[0] = nothing;\n}", "typo")
	expectError(t, typo.Launch(one, one, x), ErrCompile, "typo:2:", "nothing")
	expectError(t, rawKernel(t, saxpyText, "other").Launch(one, one, x), ErrCompile, "other")
	expectError(t, failing(typo.Attributes(cpu(t))), ErrCompile, "typo:2:")
}

func TestAttributes(t *testing.T) {
	tile := rawKernel(t, `__global__ void tile(float *x) {
		__shared__ float part[64];
		part[threadIdx.x] = x[threadIdx.x];
		__syncthreads();
		x[threadIdx.x] = part[63 - threadIdx.x];
	}`, "tile")
	found := must[KernelAttributes](t)(tile.Attributes(cpu(t)))
	expectEqual(t, "shared memory and registers", []int{found.SharedBytes, found.Registers}, []int{256, -1})
	if found.MaxThreadsPerBlock < 64 || found.MaxThreadsPerBlock > 1024 {
		t.Errorf("blocks of %d threads", found.MaxThreadsPerBlock)
	}
}

func TestGoroutinesLaunchAKernel(t *testing.T) {
	saxpy := rawKernel(t, saxpyText, "saxpy")
	var group sync.WaitGroup
	for i := 0; i < 8; i++ {
		x := must[*Array](t)(cpu(t).Full(Float32, Num(2), 1000))
		y := must[*Array](t)(cpu(t).Full(Float32, Num(i), 1000))
		group.Add(1)
		go func(i int) {
			defer group.Done()
			if err := saxpy.Launch(Dim3{X: 2}, Dim3{X: 64}, Value(float32(3)), x, y, Value(int32(1000))); err != nil {
				t.Error(err)
				return
			}
			elements, err := ToSlice[float32](y)
			if err != nil {
				t.Error(err)
			}
			for _, value := range elements {
				if value != float32(i+6) {
					t.Errorf("%d: %g", i, value)
					return
				}
			}
		}(i)
	}
	group.Wait()
}

func TestRawTypes(t *testing.T) {
	saxpy := rawKernel(t, saxpyText, "saxpy")
	x, y := must[*Array](t)(cpu(t).Ones(Float32, 4)), must[*Array](t)(cpu(t).Ones(Float32, 4))
	wide := must[*Array](t)(cpu(t).Ones(Float64, 4))
	launch := func(arguments ...RawArgument) error { return saxpy.Launch(Dim3{X: 1}, Dim3{X: 4}, arguments...) }
	a, n := Value(float32(0.5)), Value(int32(4))
	expectError(t, launch(a, wide, y, n), ErrType, "parameter 1 (x) is const float *", "an array of float64")
	expectError(t, launch(Value(int32(1)), x, y, n), ErrType, "is float", "a value of int32")
	if err := launch(a, Reinterpret(wide), y, n); err != nil {
		t.Fatal(err)
	}
	if err := launch(a, x, y, n); err != nil {
		t.Fatal(err)
	}
}

func TestBuildLog(t *testing.T) {
	names := make([]string, 15)
	for i := range names {
		names[i] = fmt.Sprintf("absent_%d", i)
	}
	kernel := rawKernel(t, "__global__ void k(double *x) { x[0] = "+strings.Join(names, " +\n")+"; }", "k")
	expectEqual(t, "before", must[string](t)(kernel.BuildLog()), "")
	CancelCompilations() // none is under way: what is compiled below is not meant
	expectError(t, kernel.Launch(Dim3{X: 1}, Dim3{X: 1}, counting(t, 1)), ErrCompile, "absent_0")
	if log := must[string](t)(kernel.BuildLog()); !strings.Contains(log, "'absent_14'") {
		t.Errorf("the log ends early: %s", log)
	}
}

// A fault of a kernel is the launch's error, and a nil pointer of Go's own is still a panic: each has its handler.
func TestKernelFaults(t *testing.T) {
	store := rawKernel(t, "__global__ void store(double *, double *x) { x[0] = 1; }", "store")
	x := counting(t, 1)
	for turn := 0; turn < 3; turn++ {
		err := store.Launch(Dim3{X: 1}, Dim3{X: 1}, x, Value(uint64(0)))
		if runtime.GOOS == "linux" {
			expectError(t, err, ErrKernelFault, "writes address 0x0, through a null pointer")
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			var none *RawKernel
			_ = none.name
		}()
	}
	expectEqual(t, "after", must[[]float64](t)(ToSlice[float64](x)), []float64{0})
}

func TestTextures(t *testing.T) {
	read := rawKernel(t, `__global__ void read(cudaTextureObject_t t, float *y) {
		y[threadIdx.x] = tex1D<float>(t, threadIdx.x + 1.25f);
	}`, "read")
	write := rawKernel(t, "__global__ void write(cudaSurfaceObject_t s) { surf1Dwrite(6.0f, s, 4); }", "write")
	x := must[*Array](t)(FromSlice(cpu(t), []float32{1, 2, 4}))
	y := must[*Array](t)(cpu(t).Zeros(Float32, 2))
	texture := must[*Texture](t)(NewTexture(x, TextureOptions{Linear: true}))
	surface := must[*Texture](t)(NewSurface(x, 1, false))
	for _, want := range [][]float32{{1.75, 3.5}, {4.75, 4.5}} {
		if err := read.Launch(Dim3{X: 1}, Dim3{X: 2}, texture, y); err != nil {
			t.Fatal(err)
		}
		expectEqual(t, "read", must[[]float32](t)(ToSlice[float32](y)), want)
		if err := write.Launch(Dim3{X: 1}, Dim3{X: 1}, surface); err != nil {
			t.Fatal(err)
		}
	}
	surface.Close()
	expectCode(t, write.Launch(Dim3{X: 1}, Dim3{X: 1}, surface), ErrInvalidArgument)
	_, err := NewTexture(x, TextureOptions{Channels: 2})
	expectCode(t, err, ErrShape)
}

// bindings/go/device_test.go -- devices, streams, files and random numbers.

package gpuopt

import (
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

func TestDevices(t *testing.T) {
	xp := cpu(t)
	expectEqual(t, "names", []string{xp.Name(), xp.Backend()}, []string{"cpu:0", "cpu"})
	if !xp.Equal(must[*Array](t)(xp.Zeros(Default, 1)).Device()) {
		t.Error("an array is on another device than it was made on")
	}
	info := must[DeviceInfo](t)(xp.Info())
	if !info.HostMemory || info.Processors < 1 || !strings.Contains(info.Plugin, "gpuopt_cpu") {
		t.Errorf("%+v", info)
	}
	_, err := Open("no such backend")
	expectCode(t, err, ErrInvalidArgument)
	expectEqual(t, "error", err.Error()[strings.LastIndex(err.Error(), " "):], " (GPUOPT_ERR_INVALID_ARGUMENT)")
	other := cpu(t)
	other.Close()
	other.Close()
	expectCode(t, failing(other.Zeros(Default, 1)), ErrInvalidArgument)
	expectEqual(t, "name of a closed device", other.Name()+other.Backend(), "")
	report := must[string](t)(DiscoveryReport(true, "/nowhere", "/nowhere/else"))
	if !strings.HasPrefix(report, "{") || !strings.Contains(report, "cpu") {
		t.Error(report)
	}
	if major, _, _ := Version(); major != 1 {
		t.Error(major)
	}
}

func TestEnvironment(t *testing.T) {
	// Setenv of the test forbids that others run at the same time.
	t.Setenv("GPUOPT_DISABLE", "cuda")
	_, err := Open("cuda!")
	expectCode(t, err, ErrUnavailable)
	e := err.(*Error)
	expectEqual(t, "reason", e.Reason, ReasonDisabled)
	expectEqual(t, "names", e.Reason.String()+" "+e.Code.Error(), "DISABLED GPUOPT_ERR_UNAVAILABLE")
	if !strings.Contains(e.Reason.Hint(), "GPUOPT_DISABLE") || e.Reason.Message() == "" || e.Code.Message() == "" {
		t.Error(e.Reason.Hint())
	}
	xp, reason, err := OpenReport("cuda", "/nowhere")
	expectEqual(t, "fallback", []any{must[*Device](t)(xp, err).Backend(), reason}, []any{"cpu", ReasonDisabled})
	t.Setenv("GPUOPT_BACKEND", "cpu:0")
	expectEqual(t, "GPUOPT_BACKEND", must[*Device](t)(Open("")).Name(), "cpu:0")
}

func TestRecorderAndMemory(t *testing.T) {
	xp := cpu(t)
	x := must[*Array](t)(xp.Ones(Default, 10000))
	before := must[EngineStats](t)(xp.EngineStats())
	y := must[*Array](t)(Add(must[*Array](t)(Multiply(x, Num(5))), x))
	if now := must[EngineStats](t)(xp.EngineStats()); now.Operations < before.Operations+2 || now.Pending == 0 {
		t.Errorf("%+v", now)
	}
	for _, err := range []error{Eval(x, y), xp.Synchronize(), xp.TrimMemory(), xp.SetMemoryLimit(1 << 40)} {
		if err != nil {
			t.Error(err)
		}
	}
	if now := must[EngineStats](t)(xp.EngineStats()); now.Programs <= before.Programs || now.Steps <= before.Steps {
		t.Errorf("%+v", now)
	}
	expectEqual(t, "limit", must[MemoryStats](t)(xp.MemoryStats()).Limit, uint64(1<<40))
	if err := xp.SetMemoryLimit(0); err != nil {
		t.Error(err)
	}
}

func TestStreams(t *testing.T) {
	xp := cpu(t)
	stream, standard := must[*Stream](t)(xp.NewStream()), must[*Stream](t)(xp.DefaultStream())
	start := must[*Event](t)(standard.Record())
	x := must[*Array](t)(must[*Array](t)(xp.Ones(Default, 100)).OnStream(stream))
	y := must[*Array](t)(Add(x, Num(1)))
	end := must[*Event](t)(stream.Record())
	for _, err := range []error{standard.Wait(end), stream.Synchronize(), end.Synchronize()} {
		if err != nil {
			t.Error(err)
		}
	}
	if must[float64](t)(start.Elapsed(end)) < 0 {
		t.Error("time runs backwards")
	}
	expectEqual(t, "sum", floats(t, must[*Array](t)(Sum(y))), []float64{200})
	stream.Close()
	end.Close()
	expectCode(t, stream.Synchronize(), ErrInvalidArgument)
	expectCode(t, standard.Wait(end), ErrInvalidArgument)
	expectCode(t, failing(start.Elapsed(end)), ErrInvalidArgument)
	expectCode(t, failing(x.OnStream(stream)), ErrInvalidArgument)
}

func TestFiles(t *testing.T) {
	xp, folder := cpu(t), t.TempDir()
	npy, npz := filepath.Join(folder, "a.npy"), filepath.Join(folder, "b.npz")
	x := must[*Array](t)(FromSlice(xp, []int32{0, 1, 2, 3, 4, 5}, 2, 3))
	if err := must[*Array](t)(x.T()).SaveNpy(npy); err != nil {
		t.Fatal(err)
	}
	bytes := must[[]byte](t)(os.ReadFile(npy))
	if string(bytes[:6]) != "\x93NUMPY" || !strings.Contains(string(bytes[:128]), "'<i4'") {
		t.Errorf("%q", bytes[:128])
	}
	back := must[*Array](t)(xp.LoadNpy(npy))
	expectEqual(t, "shape", back.Shape(), []int{3, 2})
	expectEqual(t, "elements", must[[]int32](t)(ToSlice[int32](back)), []int32{0, 3, 1, 4, 2, 5})
	if err := os.WriteFile(npy, bytes[:40], 0o600); err != nil {
		t.Fatal(err)
	}
	expectCode(t, failing(xp.LoadNpy(npy)), ErrFormat)
	expectCode(t, failing(xp.LoadNpy(filepath.Join(folder, "none.npy"))), ErrIO)

	if err := SaveNpz(npz, map[string]*Array{"x": x, "sum": must[*Array](t)(Sum(x))}, true); err != nil {
		t.Fatal(err)
	}
	archive := must[*Npz](t)(OpenNpz(npz))
	expectEqual(t, "names", archive.Names(), []string{"sum", "x"})
	expectEqual(t, "sum", must[Scalar](t)(must[*Array](t)(archive.Read("sum", xp)).Item()).Value(), any(int64(15)))
	if _, err := archive.Read("y", xp); err == nil {
		t.Error("there is no y")
	}
	archive.Close()
	archive.Close()
	expectCode(t, failing(archive.Read("x", xp)), ErrInvalidArgument)
	expectCode(t, failing(OpenNpz(npy)), ErrFormat)
}

func sorted(t *testing.T, x *Array) []int64 {
	t.Helper()
	values := must[[]int64](t)(ToSlice[int64](x))
	sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	return values
}

func TestRandomState(t *testing.T) {
	xp := cpu(t)
	rng := must[*RandomState](t)(NewRandomState(xp, 1))
	again := func() {
		if err := rng.Seed(1); err != nil {
			t.Fatal(err)
		}
	}
	// numpy.random.RandomState(1): random_sample(3), normal(size=2), randint(0, 10, 4), each from the seed, as NumPy
	// prints.
	expectEqual(t, "RandomSample", floats(t, must[*Array](t)(rng.RandomSample(3))),
		[]float64{4.17022004702574e-01, 7.203244934421581e-01, 1.1437481734488664e-04})
	again()
	expectEqual(t, "Normal", floats(t, must[*Array](t)(rng.Normal(0, 1, 2))),
		[]float64{1.6243453636632417, -0.6117564136500754})
	again()
	expectEqual(t, "RandInt", floats(t, must[*Array](t)(rng.RandInt(Default, 0, 10, 4))), []float64{5, 8, 9, 5})
	again()
	choices := must[*Array](t)(FromSlice(xp, []float64{0, 1, 2, math.NaN()}))
	expectClose(t, "Choice", floats(t, must[*Array](t)(rng.Choice(choices, true, nil, 3))), []float64{1, math.NaN(), 0})
	p := must[*Array](t)(FromSlice(xp, []float64{0, 0, 1, 0}))
	expectEqual(t, "Choice", floats(t, must[*Array](t)(rng.Choice(choices, true, p, 2))), []float64{2, 2})
	for _, value := range floats(t, must[*Array](t)(rng.Uniform(2, 3, 50))) {
		if value < 2 || value >= 3 {
			t.Errorf("%g", value)
		}
	}
	all := make([]int64, 20)
	for i := range all {
		all[i] = int64(i)
	}
	expectEqual(t, "Permutation", sorted(t, must[*Array](t)(rng.Permutation(20))), all)
	deck := must[*Array](t)(FromSlice(xp, all))
	expectEqual(t, "Permuted", sorted(t, must[*Array](t)(rng.Permuted(deck))), all)
	if err := rng.Shuffle(deck); err != nil {
		t.Error(err)
	}
	if floats(t, deck)[0] == 0 && floats(t, deck)[1] == 1 && floats(t, deck)[2] == 2 {
		t.Error("the deck is not shuffled")
	}
	expectEqual(t, "Shuffle", sorted(t, deck), all)
	sample := func(seeds ...uint32) []float64 {
		return floats(t, must[*Array](t)(must[*RandomState](t)(NewRandomState(xp, 1, seeds...)).RandomSample(2)))
	}
	expectEqual(t, "seeds", sample(2), sample(2))
	if sample(2)[0] == sample(3)[0] || sample(2)[0] == sample()[0] {
		t.Error("the seeds do not matter")
	}
	rng.Close()
	expectCode(t, failing(rng.RandomSample(1)), ErrInvalidArgument)
	expectCode(t, rng.Seed(1), ErrInvalidArgument)
	expectCode(t, rng.Shuffle(deck), ErrInvalidArgument)
}

func TestGenerator(t *testing.T) {
	xp := cpu(t)
	a, b := must[*Generator](t)(NewGenerator(xp, 7)), must[*Generator](t)(NewGenerator(xp, 7))
	x := floats(t, must[*Array](t)(a.Uniform(Float32, -1, 1, 1000)))
	expectEqual(t, "the same again", floats(t, must[*Array](t)(b.Uniform(Float32, -1, 1, 1000))), x)
	sort.Float64s(x)
	if x[0] < -1 || x[0] > -0.9 || x[999] >= 1 || x[999] < 0.9 {
		t.Errorf("from %g to %g", x[0], x[999])
	}
	mean := func(y *Array, err error) float64 {
		return floats(t, must[*Array](t)(Mean(must[*Array](t)(y, err))))[0]
	}
	// Five standard errors.
	if m := mean(a.Normal(Default, 10, 1, 10000)); math.Abs(m-10) > 0.05 {
		t.Errorf("Normal: mean %g", m)
	}
	if m := mean(a.Exponential(Default, 2, 10000)); math.Abs(m-2) > 0.1 {
		t.Errorf("Exponential: mean %g", m)
	}
	dice := sorted(t, must[*Array](t)(a.Integers(Default, 1, 6, true, 1000)))
	expectEqual(t, "Integers", []int64{dice[0], dice[999]}, []int64{1, 6})
	choices := must[*Array](t)(FromSlice(xp, []float64{5, 6, 7}))
	p := must[*Array](t)(FromSlice(xp, []float64{0, 1, 0}))
	expectEqual(t, "Choice", floats(t, must[*Array](t)(a.Choice(choices, true, p, 3))), []float64{6, 6, 6})
	expectEqual(t, "Permutation", sorted(t, must[*Array](t)(a.Permutation(4))), []int64{0, 1, 2, 3})
	shuffled := floats(t, must[*Array](t)(a.Permuted(choices)))
	sort.Float64s(shuffled)
	expectEqual(t, "Permuted", shuffled, []float64{5, 6, 7})
	a.Close()
	expectCode(t, failing(a.Uniform(Default, 0, 1, 1)), ErrInvalidArgument)
}

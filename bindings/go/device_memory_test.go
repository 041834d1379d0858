//go:build device

// bindings/go/device_memory_test.go -- elements the host cannot see; tests/bindings/check.sh has a device for it.

package gpuopt

import (
	"strings"
	"testing"
)

func TestDeviceMemory(t *testing.T) {
	xp, host := must[*Device](t)(Open("cuda!")), cpu(t)
	if must[DeviceInfo](t)(xp.Info()).HostMemory || xp.Equal(host) {
		t.Fatal(xp.Name())
	}
	x := must[*Array](t)(FromSlice(xp, []float64{1, 4, 9}))
	expectEqual(t, "Sqrt", floats(t, must[*Array](t)(Sqrt(x))), []float64{1, 2, 3})
	expectCode(t, View(x, func([]float64) error { t.Error("called"); return nil }), ErrUnsupported)
	here := must[*Array](t)(x.ToDevice(host))
	if err := x.Fill(Num(0)); err != nil {
		t.Error(err)
	}
	expectEqual(t, "the copy", floats(t, here), []float64{1, 4, 9})
	line := elementwise(t, "T x, T y", "T z", "z = x * 3 + y + i", "line")
	z := must[*Array](t)(line.Call(must[*Array](t)(here.ToDevice(xp)), Num(0.5)))
	if !z.Device().Equal(xp) {
		t.Error(z.Device().Name())
	}
	expectEqual(t, "a kernel", floats(t, z), []float64{3.5, 13.5, 29.5})
	expectCode(t, failing(line.Call(x, here)), ErrDeviceMismatch)
	err := failing(Add(x, here))
	expectCode(t, err, ErrDeviceMismatch)
	if !strings.Contains(err.Error(), "cuda:0") || !strings.Contains(err.Error(), "cpu:0") {
		t.Error(err)
	}
}

func TestDeviceMemoryExchange(t *testing.T) {
	xp, host := must[*Device](t)(Open("cuda!")), cpu(t)
	x := must[*Array](t)(FromSlice(xp, []float64{1, 4, 9}))
	here := must[*Array](t)(x.ToDevice(host))
	y := must[*Array](t)(xp.FromDLPack(must[*DLPack](t)(x.ToDLPack(0, CopyNever)), CopyNever))
	if err := x.Fill(Num(2)); err != nil || !y.Device().Equal(xp) {
		t.Error(err, y.Device().Name())
	}
	expectEqual(t, "shared", floats(t, y), []float64{2, 2, 2})
	tensor := must[*DLPack](t)(x.ToDLPack(0, CopyIfNeeded))
	expectCode(t, failing(host.FromDLPack(tensor, CopyIfNeeded)), ErrDeviceMismatch)
	tensor.Close()
	tensor = must[*DLPack](t)(here.ToDLPack(0, CopyIfNeeded))
	expectCode(t, failing(xp.FromDLPack(tensor, CopyNever)), ErrInvalidArgument)
	there := must[*Array](t)(xp.FromDLPack(tensor, CopyIfNeeded))
	expectEqual(t, "copied", floats(t, there), []float64{1, 4, 9})
	expectCode(t, failing(x.ToArrow(CopyNever)), ErrInvalidArgument)
	back := must[*Array](t)(xp.FromArrow(must[*Arrow](t)(there.ToArrow(CopyIfNeeded)), CopyIfNeeded))
	expectEqual(t, "columns", floats(t, back), []float64{1, 4, 9})
}

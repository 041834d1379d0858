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

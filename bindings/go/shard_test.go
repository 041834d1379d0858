// bindings/go/shard_test.go -- sharded arrays of a group of one. Those of several ranks are in tests/comm.

package gpuopt

import (
	"errors"
	"path/filepath"
	"reflect"
	"testing"
)

func TestShardsOfOne(t *testing.T) {
	device := must[*Device](t)(Open("cpu"))
	comm := must[*Comm](t)(NewComm("self", device, 0))
	defer comm.Close()
	x := must[*Array](t)(FromSlice(device, []float64{3, 1, 2, -4}, 2, 2))
	shard := must[*Shard](t)(comm.ShardFromParts(x))
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := shard.SaveNpy(path); err != nil {
		t.Fatal(err)
	}
	same := func(what string, got *Array, want ...float64) {
		t.Helper()
		if values := must[[]float64](t)(ToSlice[float64](got)); !reflect.DeepEqual(values, want) {
			t.Error(what, values)
		}
	}
	for _, one := range []*Shard{
		shard, must[*Shard](t)(comm.ShardFromArray(x, 0)), must[*Shard](t)(comm.ShardFromWhole(x)),
		must[*Shard](t)(shard.Recut()), must[*Shard](t)(shard.Recut(0, 2)), must[*Shard](t)(comm.ShardLoadNpy(path)),
	} {
		same("whole", must[*Array](t)(one.Gather(-1)), 3, 1, 2, -4)
	}
	bounds := must[[]int](t)(shard.Bounds())
	if shard.Rows() != 2 || !reflect.DeepEqual(bounds, []int{0, 2}) {
		t.Error(bounds)
	}
	same("sum", must[*Array](t)(shard.Reduce(ShardSum, Axes(0))), 5, -3)
	same("crossprod", must[*Array](t)(shard.Crossprod(shard)), 13, -5, -5, 17)
	same("halo", must[*Array](t)(shard.Halo(1, 0, true)), 2, -4, 3, 1, 2, -4)
	same("matmul", must[*Array](t)(must[*Shard](t)(shard.Matmul(x)).Part()), 11, -1, -2, 18)
	line := must[*Shard](t)(shard.With(must[*Array](t)(FromSlice(device, []float64{5, 4}, 2))))
	values, positions, err := line.Sort()
	if err != nil {
		t.Fatal(err)
	}
	same("sorted", must[*Array](t)(values.Part()), 4, 5)
	at := must[[]int64](t)(ToSlice[int64](must[*Array](t)(positions.Part())))
	if !reflect.DeepEqual(at, []int64{1, 0}) {
		t.Error(at)
	}
	if _, err := shard.Recut(0); !errors.Is(err, ErrInvalidArgument) {
		t.Error(err)
	}
	shard.Close()
	if _, err := shard.Part(); !errors.Is(err, ErrInvalidArgument) {
		t.Error(err)
	}
}

func TestShardDraw(t *testing.T) {
	device := must[*Device](t)(Open("cpu"))
	comm := must[*Comm](t)(NewComm("self", device, 0))
	one, other := must[*Generator](t)(NewGenerator(device, 3)), must[*Generator](t)(NewGenerator(device, 3))
	from := GammaDistribution(Num(2.0), Num(1.5))
	drawn := must[*Array](t)(must[*Shard](t)(comm.ShardDraw(one, from, 4, 2)).Part())
	whole := must[*Array](t)(other.Draw(Float64, from, 4, 2))
	if !reflect.DeepEqual(must[[]float64](t)(ToSlice[float64](drawn)), must[[]float64](t)(ToSlice[float64](whole))) {
		t.Error("other numbers")
	}
}

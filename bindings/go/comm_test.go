// bindings/go/comm_test.go -- a group of one, and calls that fail.

package gpuopt

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestGroupOfOne(t *testing.T) {
	device := must[*Device](t)(Open("cpu"))
	comm := must[*Comm](t)(NewComm("self", device, 0))
	defer comm.Close()
	if comm.Rank() != 0 || comm.Size() != 1 || comm.Name() != "self" {
		t.Fatalf("rank %d of %d by %s", comm.Rank(), comm.Size(), comm.Name())
	}
	if traffic := must[CommTraffic](t)(comm.Traffic()); traffic != (CommTraffic{}) {
		t.Error(traffic)
	}
	x := must[*Array](t)(FromSlice(device, []float64{1, 2, 3}, 3))
	for _, give := range []func() (*Array, error){
		func() (*Array, error) { return comm.AllReduce(x, RankSum) },
		func() (*Array, error) { return comm.Reduce(x, RankMax, 0) },
		func() (*Array, error) { return comm.ReduceScatter(x, RankProd) },
		func() (*Array, error) { return comm.Broadcast(x, 0) },
		func() (*Array, error) { return comm.AllGather(x) },
		func() (*Array, error) { return comm.Gather(x, 0) },
		func() (*Array, error) { return comm.Scatter(x, 0) },
		func() (*Array, error) { return comm.AllToAll(x) },
		func() (*Array, error) { return comm.SendRecv(x, 0, 0, 1) },
	} {
		got := must[[]float64](t)(ToSlice[float64](must[*Array](t)(give())))
		if !reflect.DeepEqual(got, []float64{1, 2, 3}) {
			t.Error(got)
		}
	}
	if err := comm.Send(x, 0, 5); err != nil {
		t.Error(err)
	}
	if got := must[*Array](t)(comm.Recv(0, 5)); got.Size() != 3 {
		t.Error(got.Size())
	}
	if nothing := must[*Array](t)(comm.SendRecv(nil, 0, -1, 0)); nothing != nil {
		t.Error("an array from nobody")
	}
	part := must[*Comm](t)(comm.Split(1, 0))
	if part.Size() != 1 || must[*Comm](t)(comm.Split(-1, 0)) != nil || comm.Barrier() != nil {
		t.Error("groups")
	}
}

func TestGroupErrors(t *testing.T) {
	if _, err := NewComm("Ring", nil, 0); !errors.Is(err, ErrInvalidArgument) {
		t.Error(err)
	}
	comm := must[*Comm](t)(NewComm("self", nil, 1))
	if _, err := comm.Recv(0, 1); !errors.Is(err, ErrComm) {
		t.Error(err)
	}
	if _, err := comm.AllReduce(nil, RankSum); !errors.Is(err, ErrInvalidArgument) {
		t.Error(err)
	}
	if _, err := comm.Broadcast(nil, 1); !errors.Is(err, ErrInvalidArgument) {
		t.Error(err)
	}
	var none *Comm
	if err := none.Barrier(); !errors.Is(err, ErrInvalidArgument) || none.Size() != 0 {
		t.Error(err)
	}
	if text := must[string](t)(CommReport()); !strings.Contains(text, "ring: ") {
		t.Error(text)
	}
}

func TestThreads(t *testing.T) {
	device := must[*Device](t)(Open("cpu"))
	err := RunDevices([]*Device{device, device, device}, 0, func(comm *Comm) error {
		x, err := FromSlice(device, []float64{float64(comm.Rank()), 1}, 2)
		if err != nil {
			return err
		}
		sum, err := comm.AllReduce(x, RankSum)
		if err != nil {
			return err
		}
		got, err := ToSlice[float64](sum)
		if err != nil || !reflect.DeepEqual(got, []float64{3, 3}) || comm.Size() != 3 {
			t.Error(got, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestThreadsThatFail(t *testing.T) {
	device := must[*Device](t)(Open("cpu"))
	ours := errors.New("no such sample")
	err := RunDevices([]*Device{device, device}, 0, func(comm *Comm) error {
		if comm.Rank() == 1 {
			return ours
		}
		err := comm.Barrier()
		if err == nil || !strings.Contains(err.Error(), "rank 1 has given up: no such sample") {
			t.Error(err)
		}
		return err
	})
	if err != ours {
		t.Error(err)
	}
	err = RunDevices([]*Device{device, device}, 0, func(comm *Comm) error {
		if comm.Rank() == 0 {
			panic("at once")
		}
		return comm.Barrier()
	})
	if err == nil || !strings.Contains(err.Error(), "rank 0 has panicked: at once") {
		t.Error(err)
	}
	if err := RunDevices([]*Device{nil}, 0, nil); err == nil {
		t.Error("a device that is nil")
	}
	if err := RunDevices(nil, 0, nil); err == nil {
		t.Error("no ranks")
	}
}

func TestShardsAlongAnotherAxis(t *testing.T) {
	device := must[*Device](t)(Open("cpu"))
	comm := must[*Comm](t)(NewFastComm("self", device, 0))
	x := must[*Array](t)(FromSlice(device, []float64{0, 1, 2, 3, 4, 5}, 2, 3))
	columns := must[*Shard](t)(comm.ShardFromPartsAlong(x, -1))
	rows := must[*Shard](t)(columns.Along(0))
	if columns.Axis() != 1 || rows.Axis() != 0 || columns.Rows() != 3 || rows.Rows() != 2 {
		t.Error(columns.Axis(), rows.Axis(), columns.Rows(), rows.Rows())
	}
}

// bindings/go/comm_devices.go -- ranks that are threads of this process, one for each of its devices.

package gpuopt

// #include "shim.h"
import "C"

import (
	"fmt"
	"runtime"
	"sync"
)

// NewDeviceComms makes a job whose ranks are threads of this process, one for each device, and gives the group as each
// rank sees it. The timeout is that of [NewComm]. Each is used by one goroutine, which is best locked to a thread;
// [RunDevices] does all of that.
func NewDeviceComms(devices []*Device, timeout float64) ([]*Comm, error) {
	handles := make([]C.gpuopt_device, len(devices)+1)
	for r, device := range devices {
		if device == nil {
			return nil, fail(ErrInvalidArgument, "the device of rank %d is nil", r)
		}
		held, err := device.hold()
		if err != nil {
			return nil, err
		}
		defer device.h.done()
		handles[r] = held
	}
	made := make([]C.gpuopt_comm, len(devices)+1)
	err := check(func(e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_comm_init_devices(C.int32_t(len(devices)), &handles[0], C.double(timeout), &made[0], e)
	})
	if err != nil {
		return nil, err
	}
	var comms []*Comm
	for _, one := range made[:len(devices)] {
		comms = append(comms, newComm(one))
	}
	return comms, nil
}

// RunDevices calls the function once for each device, as the ranks of one job, each in a goroutine with a thread of its
// own. If a call gives an error, or panics, the others get [ErrComm] where they wait for that rank. What RunDevices
// gives is the first error, after all have ended.
func RunDevices(devices []*Device, timeout float64, rank func(comm *Comm) error) error {
	comms, err := NewDeviceComms(devices, timeout)
	if err != nil {
		return err
	}
	var first error
	var once sync.Once
	var all sync.WaitGroup
	for _, comm := range comms {
		all.Add(1)
		go func(comm *Comm) {
			defer all.Done()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			defer comm.Close()
			if err := runRank(comm, rank); err != nil {
				once.Do(func() { first = err })
				_ = comm.GiveUp(err.Error()) // the group is there, and telling cannot fail
			}
		}(comm)
	}
	all.Wait()
	return first
}

// runRank makes an error of a panic, for which the other ranks would wait otherwise.
func runRank(comm *Comm, rank func(comm *Comm) error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("rank %d has panicked: %v", comm.Rank(), reason)
		}
	}()
	return rank(comm)
}

// GiveUp tells the other ranks that this one cannot go on, and why: what they wait for, and call later, fails. Not
// collective.
func (c *Comm) GiveUp(why string) error {
	text, free := cText(why)
	defer free()
	return c.call(func(raw C.gpuopt_comm, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_comm_give_up(raw, text, e)
	})
}

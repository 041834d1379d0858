// bindings/go/comm.go -- groups of processes, and what they send each other and compute together.

package gpuopt

// #include "shim.h"
import "C"

import "unsafe"

// A RankReduction says how the arrays of ranks are combined, element by element.
type RankReduction int32

const (
	RankSum  RankReduction = C.GPUOPT_REDUCTION_sum  // of bool as int64
	RankProd RankReduction = C.GPUOPT_REDUCTION_prod // of bool as int64
	RankMin  RankReduction = C.GPUOPT_REDUCTION_min  // NaN is the least
	RankMax  RankReduction = C.GPUOPT_REDUCTION_max  // NaN is the greatest
	RankAny  RankReduction = C.GPUOPT_REDUCTION_any  // whether any is nonzero, as bool
	RankAll  RankReduction = C.GPUOPT_REDUCTION_all  // whether all are nonzero, as bool
)

// A Comm is a group of ranks, which are processes, or threads of one ([RunDevices]). Methods are collective, unless
// they say otherwise: every rank calls the same ones in the same order. They run at once. On ranks on which a method
// has no result (a gather's, except on its root) it gives nil. A rank that ends, or does not answer in time, is
// [ErrComm] on the others, and so are calls that do not fit together.
type Comm struct{ h *handle[C.gpuopt_comm] }

func newComm(raw C.gpuopt_comm) *Comm {
	return &Comm{newHandle(raw, "group", func(c C.gpuopt_comm) { C.gpuopt_comm_release(c) })}
}

// NewComm joins the job that this process belongs to, with all its ranks as one group. The request is "auto", "mpi",
// "ring", "self" or the name of another plugin; the empty string is what GPUOPT_COMM says. A process that no launcher
// has started is alone. The device is where arrays are made that come from other ranks alone; nil is the CPU. Timeout
// is the number of seconds without any progress after which a call gives up; 0 is what GPUOPT_COMM_TIMEOUT says. A
// program that MPI's launcher starts ends by [Exit].
func NewComm(request string, device *Device, timeout float64) (*Comm, error) {
	return newCommWith(request, device, timeout, 0)
}

// NewFastComm does so, and lets AllReduce leave sums and products of floats to MPI or NCCL, whose bits depend on the
// number of ranks and on much else. Without it GPUOPT_COMM_REDUCE says.
func NewFastComm(request string, device *Device, timeout float64) (*Comm, error) {
	return newCommWith(request, device, timeout, C.GPUOPT_COMM_FAST)
}

func newCommWith(request string, device *Device, timeout float64, flags C.uint32_t) (*Comm, error) {
	var raw C.gpuopt_comm
	var name *C.char
	if request != "" {
		text, free := cText(request)
		defer free()
		name = text
	}
	var where C.gpuopt_device
	if device != nil {
		held, err := device.hold()
		if err != nil {
			return nil, err
		}
		defer device.h.done()
		where = held
	}
	err := check(func(e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_comm_init(name, where, C.double(timeout), flags, &raw, e)
	})
	if err != nil {
		return nil, err
	}
	return newComm(raw), nil
}

// CommReport gives what each communication plugin says, a line for each.
func CommReport() (string, error) {
	return givenText(func(text **C.char, e *C.gpuopt_error) C.gpuopt_status { return C.gpuopt_comm_report(text, e) })
}

// Close gives the reference back.
func (c *Comm) Close() { c.h.close() }

// hold begins a use of the group, which c.h.done ends; nil is an error.
func (c *Comm) hold() (C.gpuopt_comm, error) {
	if c == nil {
		return nil, fail(ErrInvalidArgument, "the group is nil")
	}
	return c.h.hold()
}

// done ends a use that hold has begun.
func (c *Comm) done() { c.h.done() }

// Rank gives this process's number in the group. Not collective.
func (c *Comm) Rank() int {
	raw, err := c.hold()
	if err != nil {
		return 0
	}
	defer c.h.done()
	return int(C.gpuopt_comm_rank(raw))
}

// Size gives how many ranks there are. Not collective.
func (c *Comm) Size() int {
	raw, err := c.hold()
	if err != nil {
		return 0
	}
	defer c.h.done()
	return int(C.gpuopt_comm_size(raw))
}

// Name gives what carries the messages: "self", "ring", "mpi". Not collective.
func (c *Comm) Name() string {
	raw, err := c.hold()
	if err != nil {
		return ""
	}
	defer c.h.done()
	return C.GoString(C.gpuopt_comm_name(raw))
}

// CommTraffic is what a process has sent and received in its job since it joined, on all groups. A round is an exchange
// of messages that waits for its peers.
type CommTraffic struct {
	Rounds                         uint64
	MessagesSent, MessagesReceived uint64
	BytesSent, BytesReceived       uint64
}

// Traffic gives what this process has sent and received. Not collective.
func (c *Comm) Traffic() (CommTraffic, error) {
	var raw C.gpuopt_comm_traffic
	raw.struct_size = C.uint32_t(unsafe.Sizeof(raw))
	err := c.call(func(comm C.gpuopt_comm, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_comm_get_traffic(comm, &raw, e)
	})
	return CommTraffic{
		Rounds:       uint64(raw.rounds),
		MessagesSent: uint64(raw.messages_sent), MessagesReceived: uint64(raw.messages_received),
		BytesSent: uint64(raw.bytes_sent), BytesReceived: uint64(raw.bytes_received),
	}, err
}

// call makes a C call with the group.
func (c *Comm) call(call func(comm C.gpuopt_comm, e *C.gpuopt_error) C.gpuopt_status) error {
	return callWith(c.hold, c.done, nil, func(comm C.gpuopt_comm, _ C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return call(comm, e)
	})
}

// Split gives the group of the ranks that give the same color, ordered by key and then by rank; nil for a negative one.
func (c *Comm) Split(color, key int) (*Comm, error) {
	var made C.gpuopt_comm
	err := c.call(func(raw C.gpuopt_comm, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_comm_split(raw, C.int32_t(color), C.int32_t(key), &made, e)
	})
	if err != nil || made == nil {
		return nil, err
	}
	return newComm(made), nil
}

// Barrier returns when every rank has called it.
func (c *Comm) Barrier() error {
	return c.call(func(raw C.gpuopt_comm, e *C.gpuopt_error) C.gpuopt_status { return C.gpuopt_comm_barrier(raw, e) })
}

// callWith makes a C call with a group or a shard, which hold gives until done, and an array, which may be nil.
func callWith[T comparable](hold func() (T, error), done func(), x *Array, call func(raw T, x C.gpuopt_array,
	e *C.gpuopt_error) C.gpuopt_status) error {
	var given C.gpuopt_array
	if x != nil {
		held, err := x.hold()
		if err != nil {
			return err
		}
		defer x.h.done()
		given = held
	}
	raw, err := hold()
	if err != nil {
		return err
	}
	defer done()
	return check(func(e *C.gpuopt_error) C.gpuopt_status { return call(raw, given, e) })
}

// givenArray makes a C call with a group or a shard, as callWith does, that gives an array out, or none.
func givenArray[T comparable](hold func() (T, error), done func(), x *Array, call func(raw T, x C.gpuopt_array,
	r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status) (*Array, error) {
	var made C.gpuopt_array
	err := callWith(hold, done, x, func(raw T, x C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return call(raw, x, &made, e)
	})
	if err != nil || made == nil {
		return nil, err
	}
	return newArray(made), nil
}

// exchange makes a C call with the group and an array, which may be nil, that may give another one out.
func (c *Comm) exchange(x *Array, call func(comm C.gpuopt_comm, x C.gpuopt_array, r *C.gpuopt_array,
	e *C.gpuopt_error) C.gpuopt_status) (*Array, error) {
	return givenArray(c.hold, c.done, x, call)
}

// AllReduce gives the arrays of all ranks, combined, on every rank.
func (c *Comm) AllReduce(x *Array, how RankReduction) (*Array, error) {
	return c.exchange(x, func(comm C.gpuopt_comm, x C.gpuopt_array, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_comm_all_reduce(comm, x, C.gpuopt_reduction(how), nil, r, e)
	})
}

// Reduce does so on one rank.
func (c *Comm) Reduce(x *Array, how RankReduction, root int) (*Array, error) {
	return c.exchange(x, func(comm C.gpuopt_comm, x C.gpuopt_array, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_comm_reduce(comm, x, C.gpuopt_reduction(how), C.int32_t(root), nil, r, e)
	})
}

// ReduceScatter gives each rank its part of that along axis 0.
func (c *Comm) ReduceScatter(x *Array, how RankReduction) (*Array, error) {
	return c.exchange(x, func(comm C.gpuopt_comm, x C.gpuopt_array, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_comm_reduce_scatter(comm, x, C.gpuopt_reduction(how), nil, r, e)
	})
}

// Broadcast gives the array of one rank on every rank; on the others x may be nil.
func (c *Comm) Broadcast(x *Array, root int) (*Array, error) {
	return c.exchange(x, func(comm C.gpuopt_comm, x C.gpuopt_array, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_comm_broadcast(comm, x, C.int32_t(root), nil, r, e)
	})
}

// AllGather gives the arrays of all ranks, joined along axis 0, on every rank.
func (c *Comm) AllGather(x *Array) (*Array, error) {
	return c.exchange(x, func(comm C.gpuopt_comm, x C.gpuopt_array, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_comm_all_gather(comm, x, nil, r, e)
	})
}

// Gather does so on one rank.
func (c *Comm) Gather(x *Array, root int) (*Array, error) {
	return c.exchange(x, func(comm C.gpuopt_comm, x C.gpuopt_array, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_comm_gather(comm, x, C.int32_t(root), nil, r, e)
	})
}

// Scatter gives each rank its part, along axis 0, of the array of one rank; on the others x may be nil.
func (c *Comm) Scatter(x *Array, root int) (*Array, error) {
	return c.exchange(x, func(comm C.gpuopt_comm, x C.gpuopt_array, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_comm_scatter(comm, x, C.int32_t(root), nil, r, e)
	})
}

// AllToAll gives what all ranks have for this one: its part of each one's array along axis 0, joined.
func (c *Comm) AllToAll(x *Array) (*Array, error) {
	return c.exchange(x, func(comm C.gpuopt_comm, x C.gpuopt_array, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_comm_all_to_all(comm, x, nil, r, e)
	})
}

// Send sends an array to a rank, which has to receive it; tags are from 0 to 32767. Not collective.
func (c *Comm) Send(x *Array, destination, tag int) error {
	_, err := c.exchange(x, func(comm C.gpuopt_comm, x C.gpuopt_array, _ *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_comm_send(comm, x, C.int32_t(destination), C.int32_t(tag), e)
	})
	return err
}

// Recv gives the next array from a rank with this tag. Not collective.
func (c *Comm) Recv(source, tag int) (*Array, error) {
	return c.exchange(nil, func(comm C.gpuopt_comm, _ C.gpuopt_array, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_comm_recv(comm, C.int32_t(source), C.int32_t(tag), nil, r, e)
	})
}

// SendRecv sends an array (nil: nothing) to one rank while it receives from another (negative: from none, and the
// result is nil). Not collective.
func (c *Comm) SendRecv(x *Array, destination, source, tag int) (*Array, error) {
	return c.exchange(x, func(comm C.gpuopt_comm, x C.gpuopt_array, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_comm_send_recv(comm, x, C.int32_t(destination), C.int32_t(source), C.int32_t(tag), nil, r, e)
	})
}

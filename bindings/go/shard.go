// bindings/go/shard.go -- arrays that are cut along axis 0 over the ranks of a group.

package gpuopt

// #include "shim.h"
import "C"

import "unsafe"

// A ShardReduction says how a whole sharded array is reduced.
type ShardReduction int32

const (
	ShardSum          ShardReduction = C.GPUOPT_REDUCTION_sum
	ShardProd         ShardReduction = C.GPUOPT_REDUCTION_prod
	ShardMin          ShardReduction = C.GPUOPT_REDUCTION_min    // NaN is the least
	ShardMax          ShardReduction = C.GPUOPT_REDUCTION_max    // NaN is the greatest
	ShardNanMin       ShardReduction = C.GPUOPT_REDUCTION_nanmin // the least that is not NaN
	ShardNanMax       ShardReduction = C.GPUOPT_REDUCTION_nanmax // the greatest that is not NaN
	ShardAny          ShardReduction = C.GPUOPT_REDUCTION_any
	ShardAll          ShardReduction = C.GPUOPT_REDUCTION_all
	ShardArgMin       ShardReduction = C.GPUOPT_REDUCTION_argmin // along axis 0 alone
	ShardArgMax       ShardReduction = C.GPUOPT_REDUCTION_argmax // along axis 0 alone
	ShardCountNonzero ShardReduction = C.GPUOPT_REDUCTION_count_nonzero
)

// A Shard is an array of which each rank of a group has some rows, its part. Shards never change. What is computed for
// each row by itself is computed on the parts, and [Shard.With] makes a shard of the result. Methods are collective,
// unless they say otherwise: every rank calls the same ones in the same order. No result depends on the number of
// ranks, or on where the array is cut.
type Shard struct{ h *handle[C.gpuopt_shard] }

func newShard(raw C.gpuopt_shard) *Shard {
	return &Shard{newHandle(raw, "shard", func(s C.gpuopt_shard) { C.gpuopt_shard_release(s) })}
}

// givenShard makes a C call with a group or a shard, as callWith does, that gives a shard out.
func givenShard[T comparable](hold func() (T, error), done func(), x *Array, call func(raw T, x C.gpuopt_array,
	r *C.gpuopt_shard, e *C.gpuopt_error) C.gpuopt_status) (*Shard, error) {
	var made C.gpuopt_shard
	err := callWith(hold, done, x, func(raw T, x C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return call(raw, x, &made, e)
	})
	if err != nil {
		return nil, err
	}
	return newShard(made), nil
}

// shardOf makes a C call with the group and an array, which may be nil, that gives a shard out.
func (c *Comm) shardOf(x *Array, call func(comm C.gpuopt_comm, x C.gpuopt_array, r *C.gpuopt_shard,
	e *C.gpuopt_error) C.gpuopt_status) (*Shard, error) {
	return givenShard(c.hold, c.done, x, call)
}

// ShardFromParts puts the ranks' arrays one behind the other. The array must not be written to afterwards.
func (c *Comm) ShardFromParts(x *Array) (*Shard, error) {
	return c.shardOf(x, func(comm C.gpuopt_comm, x C.gpuopt_array, r *C.gpuopt_shard,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_shard_from_parts(comm, x, r, e)
	})
}

// ShardFromArray cuts the array of one rank; on the others x may be nil.
func (c *Comm) ShardFromArray(x *Array, root int) (*Shard, error) {
	return c.shardOf(x, func(comm C.gpuopt_comm, x C.gpuopt_array, r *C.gpuopt_shard,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_shard_from_array(comm, x, C.int32_t(root), r, e)
	})
}

// ShardFromWhole cuts an array that every rank has as a whole: parts are views. It must not be written to afterwards.
func (c *Comm) ShardFromWhole(x *Array) (*Shard, error) {
	return c.shardOf(x, func(comm C.gpuopt_comm, x C.gpuopt_array, r *C.gpuopt_shard,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_shard_from_whole(comm, x, r, e)
	})
}

// ShardLoadNpy gives the array of a .npy file, of which each rank reads its own rows, on the group's device.
func (c *Comm) ShardLoadNpy(path string) (*Shard, error) {
	text, free := cText(path)
	defer free()
	return c.shardOf(nil, func(comm C.gpuopt_comm, _ C.gpuopt_array, r *C.gpuopt_shard,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_shard_load_npy(comm, nil, text, r, e)
	})
}

// ShardDraw gives numbers of a distribution, of which each rank draws its part of the one stream of a generator of
// [NewGenerator], which all of them have at one place. Parameters are numbers, or broadcast to the sizes behind axis 0.
// Not collective.
func (c *Comm) ShardDraw(rng *Generator, from Distribution, shape ...int) (*Shard, error) {
	raw, err := c.hold()
	if err != nil {
		return nil, err
	}
	defer c.h.done()
	generator, err := rng.h.hold()
	if err != nil {
		return nil, err
	}
	defer rng.h.done()
	ndim, to := sizes(shape)
	var made C.gpuopt_shard
	err = withOperands(from.parameters, func(x []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_shard_draw(raw, generator, from.number, C.int32_t(len(x)), first(x), 0, ndim, to, &made, e)
	})
	if err != nil {
		return nil, err
	}
	return newShard(made), nil
}

// Close gives the reference back.
func (s *Shard) Close() { s.h.close() }

// hold begins a use of the shard, which s.h.done ends; nil is an error.
func (s *Shard) hold() (C.gpuopt_shard, error) {
	if s == nil {
		return nil, fail(ErrInvalidArgument, "the shard is nil")
	}
	return s.h.hold()
}

// done ends a use that hold has begun.
func (s *Shard) done() { s.h.done() }

// array makes a C call with the shard that gives an array out, or none.
func (s *Shard) array(call func(shard C.gpuopt_shard, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status) (*Array,
	error) {
	return givenArray(s.hold, s.done, nil, func(shard C.gpuopt_shard, _ C.gpuopt_array, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return call(shard, r, e)
	})
}

// SaveNpy writes a .npy file, of which each rank writes its own rows. If one of them fails, what was there stays. The
// bytes do not depend on the axis along which the array is cut.
func (s *Shard) SaveNpy(path string) error {
	text, free := cText(path)
	defer free()
	_, err := s.array(func(shard C.gpuopt_shard, _ *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_shard_save_npy(shard, text, e)
	})
	return err
}

// With gives a shard that is cut as this one, with another array for its part, which must not be written to afterwards.
// Not collective.
func (s *Shard) With(x *Array) (*Shard, error) {
	return s.shardOf(x, func(shard C.gpuopt_shard, x C.gpuopt_array, r *C.gpuopt_shard,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_shard_with(shard, x, r, e)
	})
}

// shardOf makes a C call with the shard and an array, which may be nil, that gives a shard out.
func (s *Shard) shardOf(x *Array, call func(shard C.gpuopt_shard, x C.gpuopt_array, r *C.gpuopt_shard,
	e *C.gpuopt_error) C.gpuopt_status) (*Shard, error) {
	return givenShard(s.hold, s.done, x, call)
}

// Part gives this rank's rows, which must not be written to. Not collective.
func (s *Shard) Part() (*Array, error) {
	return s.array(func(shard C.gpuopt_shard, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_shard_part(shard, r, e)
	})
}

// Comm gives the ranks. Not collective.
func (s *Shard) Comm() (*Comm, error) {
	raw, err := s.hold()
	if err != nil {
		return nil, err
	}
	defer s.h.done()
	var made C.gpuopt_comm
	err = check(func(e *C.gpuopt_error) C.gpuopt_status { return C.gpuopt_shard_comm(raw, &made, e) })
	if err != nil {
		return nil, err
	}
	return newComm(made), nil
}

// Bounds gives where the array is cut: rank r has the rows from Bounds()[r] to Bounds()[r + 1]. Not collective.
func (s *Shard) Bounds() ([]int, error) {
	comm, err := s.Comm()
	if err != nil {
		return nil, err
	}
	defer comm.Close()
	raw, err := s.hold()
	if err != nil {
		return nil, err
	}
	defer s.h.done()
	bounds := make([]int, 0, comm.Size()+1)
	for _, bound := range unsafe.Slice(C.gpuopt_shard_bounds(raw), comm.Size()+1) {
		bounds = append(bounds, int(bound))
	}
	return bounds, nil
}

// Rows gives the number of rows of the whole array. Not collective.
func (s *Shard) Rows() int {
	raw, err := s.hold()
	if err != nil {
		return 0
	}
	defer s.h.done()
	return int(C.gpuopt_shard_rows(raw))
}

// Reduce reduces the whole array over axes, axis 0 among them, on every rank, with the bits of the method of arrays.
func (s *Shard) Reduce(how ShardReduction, options ...ReduceOption) (*Array, error) {
	axes, collected, done, err := collect(options)
	if err != nil {
		return nil, err
	}
	defer done()
	return s.array(func(shard C.gpuopt_shard, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_shard_reduce(shard, C.gpuopt_reduction(how), axes, collected, r, e)
	})
}

// Matmul gives the rows times a matrix or vector that every rank has. Not collective, unless the array is cut along
// axis 1: then it is cut along axis 0 first, as the result is.
func (s *Shard) Matmul(b *Array) (*Shard, error) {
	return s.shardOf(b, func(shard C.gpuopt_shard, b C.gpuopt_array, r *C.gpuopt_shard,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_shard_matmul(shard, b, r, e)
	})
}

// Crossprod gives this matrix, transposed, times another shard that is cut as this one, or along the other axis, on
// every rank.
func (s *Shard) Crossprod(b *Shard) (*Array, error) {
	other, err := b.hold()
	if err != nil {
		return nil, err
	}
	defer b.h.done()
	return s.array(func(shard C.gpuopt_shard, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_shard_crossprod(shard, other, r, e)
	})
}

// Sort gives the elements in ascending order, stable, and where each of them was.
func (s *Shard) Sort() (values, positions *Shard, err error) {
	raw, err := s.hold()
	if err != nil {
		return nil, nil, err
	}
	defer s.h.done()
	var sorted, places C.gpuopt_shard
	err = check(func(e *C.gpuopt_error) C.gpuopt_status { return C.gpuopt_shard_sort(raw, &sorted, &places, e) })
	if err != nil {
		return nil, nil, err
	}
	return newShard(sorted), newShard(places), nil
}

// Gather gives the whole array on one rank, nil on the others; a negative root stands for all ranks.
func (s *Shard) Gather(root int) (*Array, error) {
	return s.array(func(shard C.gpuopt_shard, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_shard_gather(shard, C.int32_t(root), r, e)
	})
}

// Halo gives this rank's rows between those before and those behind them; periodic: the array goes on with its other
// end.
func (s *Shard) Halo(before, after int, periodic bool) (*Array, error) {
	return s.array(func(shard C.gpuopt_shard, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_shard_halo(shard, C.int64_t(before), C.int64_t(after), flag(periodic), r, e)
	})
}

// Recut gives the same array, cut at other places: one number more than ranks; without any, where the library cuts.
func (s *Shard) Recut(bounds ...int) (*Shard, error) {
	own, err := s.Bounds()
	if err != nil {
		return nil, err
	}
	if len(bounds) != 0 && len(bounds) != len(own) {
		return nil, fail(ErrInvalidArgument, "there is not one boundary more than ranks")
	}
	_, at := sizes(bounds)
	return s.shardOf(nil, func(shard C.gpuopt_shard, _ C.gpuopt_array, r *C.gpuopt_shard,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_shard_recut(shard, at, r, e)
	})
}

// ShardFromPartsAlong puts the ranks' arrays one behind the other along any axis; a negative one counts from the end.
// The array must not be written to afterwards.
func (c *Comm) ShardFromPartsAlong(x *Array, axis int) (*Shard, error) {
	return c.shardOf(x, func(comm C.gpuopt_comm, x C.gpuopt_array, r *C.gpuopt_shard,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_shard_from_parts_along(comm, x, C.int64_t(axis), r, e)
	})
}

// Axis gives the axis along which the array is cut. Not collective.
func (s *Shard) Axis() int {
	raw, err := s.hold()
	if err != nil {
		return 0
	}
	defer s.h.done()
	return int(C.gpuopt_shard_axis(raw))
}

// Along gives the same array, cut along another axis: each rank sends each other one a block.
func (s *Shard) Along(axis int) (*Shard, error) {
	return givenShard(s.hold, s.h.done, nil, func(raw C.gpuopt_shard, _ C.gpuopt_array, r *C.gpuopt_shard,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_shard_along(raw, C.int64_t(axis), r, e)
	})
}

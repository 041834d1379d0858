// bindings/go/random.go -- random numbers: NumPy's RandomState, and the generator that is the same everywhere.

package gpuopt

// #include <gpuopt/gpuopt.h>
import "C"

// A RandomState is numpy.random.RandomState, bit for bit: MT19937 and the legacy distributions. Results live on its
// device; no size gives a 0-d array. One goroutine uses it at a time.
type RandomState struct {
	h *handle[C.gpuopt_random_state]
}

// NewRandomState makes one, seeded with a number or, as RandomState([..]), with several.
func NewRandomState(device *Device, seed uint32, more ...uint32) (*RandomState, error) {
	var raw C.gpuopt_random_state
	err := device.call(func(d C.gpuopt_device, e *C.gpuopt_error) C.gpuopt_status {
		if len(more) == 0 {
			return C.gpuopt_random_state_create(d, C.uint32_t(seed), &raw, e)
		}
		seeds := []C.uint32_t{C.uint32_t(seed)}
		for _, s := range more {
			seeds = append(seeds, C.uint32_t(s))
		}
		return C.gpuopt_random_state_create_array(d, C.int32_t(len(seeds)), &seeds[0], &raw, e)
	})
	if err != nil {
		return nil, err
	}
	return &RandomState{newHandle(raw, "random state",
		func(s C.gpuopt_random_state) { C.gpuopt_random_state_release(s) })}, nil
}

// Close gives the reference back.
func (s *RandomState) Close() { s.h.close() }

// A draw is a C call with a generator that gives an array of a shape out.
type draw[G any] func(raw G, ndim C.int32_t, shape *C.int64_t, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status

func drawn[G comparable](h *handle[G], shape []int, call draw[G]) (*Array, error) {
	raw, err := h.hold()
	if err != nil {
		return nil, err
	}
	defer h.done()
	ndim, to := sizes(shape)
	return giveArray(func(r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status { return call(raw, ndim, to, r, e) })
}

// chosen draws from an array, with probabilities unless p is nil.
func chosen[G comparable](h *handle[G], a, p *Array, shape []int, call func(raw G, a, p C.gpuopt_array, ndim C.int32_t,
	shape *C.int64_t, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status) (*Array, error) {
	arrays := []*Array{a}
	if p != nil {
		arrays = append(arrays, p)
	}
	raws, done, err := holdAll(arrays)
	if err != nil {
		return nil, err
	}
	defer done()
	var weights C.gpuopt_array
	if p != nil {
		weights = raws[1]
	}
	return drawn(h, shape, func(raw G, ndim C.int32_t, to *C.int64_t, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return call(raw, raws[0], weights, ndim, to, r, e)
	})
}

// Seed seeds anew.
func (s *RandomState) Seed(seed uint32) error {
	raw, err := s.h.hold()
	if err != nil {
		return err
	}
	defer s.h.done()
	return check(func(e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_seed(raw, C.uint32_t(seed), e)
	})
}

// RandomSample gives float64 in [0, 1).
func (s *RandomState) RandomSample(shape ...int) (*Array, error) {
	return drawn(s.h, shape, func(raw C.gpuopt_random_state, ndim C.int32_t, to *C.int64_t, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_random_sample(raw, ndim, to, r, e)
	})
}

// Uniform gives float64 in [low, high).
func (s *RandomState) Uniform(low, high float64, shape ...int) (*Array, error) {
	return drawn(s.h, shape, func(raw C.gpuopt_random_state, ndim C.int32_t, to *C.int64_t, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_uniform(raw, C.double(low), C.double(high), ndim, to, r, e)
	})
}

// Normal gives normally distributed float64 of this mean and standard deviation.
func (s *RandomState) Normal(loc, scale float64, shape ...int) (*Array, error) {
	return drawn(s.h, shape, func(raw C.gpuopt_random_state, ndim C.int32_t, to *C.int64_t, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_normal(raw, C.double(loc), C.double(scale), ndim, to, r, e)
	})
}

// RandInt gives integers in [low, high); [Default] is int64.
func (s *RandomState) RandInt(dtype DType, low, high int64, shape ...int) (*Array, error) {
	return drawn(s.h, shape, func(raw C.gpuopt_random_state, ndim C.int32_t, to *C.int64_t, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_randint(raw, C.int64_t(low), C.int64_t(high), C.gpuopt_dtype(dtype), ndim, to, r,
			e)
	})
}

// Choice gives elements of a 1-d array, with the probabilities p or, if that is nil, equal ones.
func (s *RandomState) Choice(a *Array, replace bool, p *Array, shape ...int) (*Array, error) {
	return chosen(s.h, a, p, shape, func(raw C.gpuopt_random_state, a, p C.gpuopt_array, ndim C.int32_t, to *C.int64_t,
		r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_choice(raw, a, ndim, to, flag(replace), p, r, e)
	})
}

// Shuffle shuffles an array along its first axis, in place.
func (s *RandomState) Shuffle(x *Array) error {
	raw, err := s.h.hold()
	if err != nil {
		return err
	}
	defer s.h.done()
	return x.call(func(array C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_shuffle(raw, array, e)
	})
}

// Permutation gives 0 to n-1 in random order.
func (s *RandomState) Permutation(n int) (*Array, error) {
	return drawn(s.h, nil, func(raw C.gpuopt_random_state, _ C.int32_t, _ *C.int64_t, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_permutation(raw, C.int64_t(n), nil, r, e)
	})
}

// Permuted gives a copy of an array, shuffled along its first axis.
func (s *RandomState) Permuted(a *Array) (*Array, error) {
	return chosen(s.h, a, nil, nil, func(raw C.gpuopt_random_state, a, _ C.gpuopt_array, _ C.int32_t, _ *C.int64_t,
		r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_permutation(raw, 0, a, r, e)
	})
}

// A Generator is the default generator, Philox4x32-10: the same bits on every device. [Default] is float64, or int64.
// One goroutine uses it at a time.
type Generator struct{ h *handle[C.gpuopt_generator] }

// NewGenerator makes one, seeded with a number; results live on device.
func NewGenerator(device *Device, seed uint64) (*Generator, error) {
	var raw C.gpuopt_generator
	err := device.call(func(d C.gpuopt_device, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_create(d, C.uint64_t(seed), &raw, e)
	})
	if err != nil {
		return nil, err
	}
	return &Generator{newHandle(raw, "generator", func(g C.gpuopt_generator) { C.gpuopt_generator_release(g) })}, nil
}

// Close gives the reference back.
func (g *Generator) Close() { g.h.close() }

// Uniform gives real numbers in [low, high).
func (g *Generator) Uniform(dtype DType, low, high float64, shape ...int) (*Array, error) {
	return drawn(g.h, shape, func(raw C.gpuopt_generator, ndim C.int32_t, to *C.int64_t, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_uniform(raw, C.double(low), C.double(high), C.gpuopt_dtype(dtype), ndim, to, r, e)
	})
}

// Normal gives normally distributed real numbers of this mean and standard deviation.
func (g *Generator) Normal(dtype DType, loc, scale float64, shape ...int) (*Array, error) {
	return drawn(g.h, shape, func(raw C.gpuopt_generator, ndim C.int32_t, to *C.int64_t, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_normal(raw, C.double(loc), C.double(scale), C.gpuopt_dtype(dtype), ndim, to, r, e)
	})
}

// Exponential gives exponentially distributed real numbers of this mean.
func (g *Generator) Exponential(dtype DType, scale float64, shape ...int) (*Array, error) {
	return drawn(g.h, shape, func(raw C.gpuopt_generator, ndim C.int32_t, to *C.int64_t, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_exponential(raw, C.double(scale), C.gpuopt_dtype(dtype), ndim, to, r, e)
	})
}

// Integers gives integers from low to high, which is one of them if endpoint.
func (g *Generator) Integers(dtype DType, low, high int64, endpoint bool, shape ...int) (*Array, error) {
	return drawn(g.h, shape, func(raw C.gpuopt_generator, ndim C.int32_t, to *C.int64_t, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_integers(raw, C.int64_t(low), C.int64_t(high), flag(endpoint), C.gpuopt_dtype(dtype),
			ndim, to, r, e)
	})
}

// Choice gives elements of a 1-d array, with the probabilities p or, if that is nil, equal ones.
func (g *Generator) Choice(a *Array, replace bool, p *Array, shape ...int) (*Array, error) {
	return chosen(g.h, a, p, shape, func(raw C.gpuopt_generator, a, p C.gpuopt_array, ndim C.int32_t, to *C.int64_t,
		r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_choice(raw, a, ndim, to, flag(replace), p, r, e)
	})
}

// Permutation gives 0 to n-1 in random order.
func (g *Generator) Permutation(n int) (*Array, error) {
	return drawn(g.h, nil, func(raw C.gpuopt_generator, _ C.int32_t, _ *C.int64_t, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_permutation(raw, C.int64_t(n), nil, r, e)
	})
}

// Permuted gives a copy of an array, shuffled along its first axis.
func (g *Generator) Permuted(a *Array) (*Array, error) {
	return chosen(g.h, a, nil, nil, func(raw C.gpuopt_generator, a, _ C.gpuopt_array, _ C.int32_t, _ *C.int64_t,
		r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_permutation(raw, 0, a, r, e)
	})
}

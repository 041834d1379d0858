# bindings/python/gpuopt/compiled/cuda_package/random.py -- gpuopt.cuda.random: random numbers in kernels.
"""xoroshiro128+ as numba.cuda.random has it: one state for each thread, an array of two uint64 each.

The generator is that of Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators" (2018); a seed becomes
the first state by splitmix64, and each state is 2**64 steps behind the one before.
"""

import numpy

from gpuopt.compiled import njit
from gpuopt.compiled.words import (
    xoroshiro128p_normal_float32,
    xoroshiro128p_normal_float64,
    xoroshiro128p_uniform_float32,
    xoroshiro128p_uniform_float64,
)

_JUMP = (numpy.uint64(0xBEAC0467EBA5FACB), numpy.uint64(0xD86B048B86AA9922))
_ONE = numpy.uint64(1)


@njit
def _jump(state, jump):
    """Moves a state on by 2**64 steps."""
    a, b = jump[0] ^ jump[0], jump[0] ^ jump[0]
    for k in range(2):
        word = jump[k]
        for _ in range(64):
            if word & _ONE:
                a ^= state[0]
                b ^= state[1]
            word >>= _ONE
            s0 = state[0]
            s1 = state[1] ^ s0
            state[0] = ((s0 << 55) | (s0 >> 9)) ^ s1 ^ (s1 << 14)
            state[1] = (s1 << 36) | (s1 >> 28)
    state[0], state[1] = a, b


@njit
def _fill(states, first, jump, skipped):
    state = first.copy()
    for _ in range(skipped):
        _jump(state, jump)
    for k in range(states.shape[0]):
        states[k, 0], states[k, 1] = state[0], state[1]
        _jump(state, jump)


def _splitmix64(seed):
    mask = 2**64 - 1
    z = (seed + 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def init_xoroshiro128p_states_cpu(states, seed, subsequence_start=0):
    """Writes the states of a seed to a NumPy array of shape (n, 2) and dtype uint64."""
    z = _splitmix64(int(seed))
    _fill(states, numpy.array([z, z], numpy.uint64), numpy.array(_JUMP), subsequence_start)


def create_xoroshiro128p_states(n, seed, subsequence_start=0, stream=0):
    """A new array of the device with n states, for kernels with as many threads."""
    from gpuopt.compiled.cuda_module import to_device

    states = numpy.empty((n, 2), numpy.uint64)
    init_xoroshiro128p_states_cpu(states, seed, subsequence_start)
    return to_device(states)


__all__ = [
    "create_xoroshiro128p_states",
    "init_xoroshiro128p_states_cpu",
    "xoroshiro128p_normal_float32",
    "xoroshiro128p_normal_float64",
    "xoroshiro128p_uniform_float32",
    "xoroshiro128p_uniform_float64",
]

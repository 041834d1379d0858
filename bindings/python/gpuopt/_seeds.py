# bindings/python/gpuopt/_seeds.py -- SeedSequence, and the generators that are seeded by it or by a number.
"""Seeds and bit generators."""

import operator
import os

from . import _core, _device

_JUMP = 0x9E3779B97F4A7C15F39CC0605CEDC835  # 2**128 divided by the golden ratio


def words_of(value):
    """The 32-bit words of a number that is not negative, or of several, least significant first."""
    if hasattr(value, "__index__"):
        number = operator.index(value)
        if number < 0:
            raise ValueError("expected non-negative integer")
        return [number >> shift & 0xFFFFFFFF for shift in range(0, max(number.bit_length(), 1), 32)]
    return [word for item in value for word in words_of(item)]


class SeedSequence:
    """Entropy for seeds, as numpy.random.SeedSequence: a number or several, from the system if it is None."""

    def __init__(self, entropy=None, *, spawn_key=(), n_children_spawned=0):
        self.entropy = int.from_bytes(os.urandom(16), "little") if entropy is None else entropy
        self.spawn_key, self.n_children_spawned = tuple(spawn_key), n_children_spawned

    def spawn(self, n_children):
        """The next children, each independent of all others."""
        first = self.n_children_spawned
        self.n_children_spawned += n_children
        numbers = range(first, self.n_children_spawned)
        return [SeedSequence(self.entropy, spawn_key=(*self.spawn_key, number)) for number in numbers]


class PCG64:
    """PCG XSL RR 128/64, seeded by a SeedSequence or by what makes one."""

    def __init__(self, seed=None):
        self.seed_seq = seed if isinstance(seed, SeedSequence) else SeedSequence(seed)
        self._device = _device.current()
        entropy, key = words_of(self.seed_seq.entropy), words_of(self.seed_seq.spawn_key)
        self._generator = _core.gpuopt_generator_create_pcg64(self._device, len(entropy), entropy, len(key), key)

    def __reduce__(self):
        return _rebuild, (self.seed_seq, self.state, f"{self._device.backend}:{self._device.id}")

    def spawn(self, n_children):
        """Independent generators."""
        return [PCG64(seed) for seed in self.seed_seq.spawn(n_children)]

    def advance(self, delta):
        """Moves on as if `delta` 64-bit words had been drawn."""
        delta %= 1 << 128
        _core.gpuopt_generator_advance(self._generator, delta & (1 << 64) - 1, delta >> 64)
        return self

    def jumped(self, jumps=1):
        """A copy so far behind this one that no program's numbers overlap."""
        copy = PCG64(self.seed_seq)
        copy.state = self.state
        return copy.advance(_JUMP * jumps)

    @property
    def state(self):
        """As numpy.random.PCG64 has it."""
        state, increment, has_uint32, uinteger = _core.gpuopt_generator_get_words(self._generator)
        return {
            "bit_generator": "PCG64",
            "state": {"state": state, "inc": increment},
            "has_uint32": has_uint32,
            "uinteger": uinteger,
        }

    @state.setter
    def state(self, value):
        if value.get("bit_generator") != "PCG64":
            raise ValueError("state must be for a PCG64 RNG")
        _core.gpuopt_generator_set_words(
            self._generator,
            (value["state"]["state"], value["state"]["inc"], int(value["has_uint32"]), int(value["uinteger"])),
        )


def _rebuild(seed_seq, state, place):
    """The PCG64 that was pickled."""
    with _device.Device(place):
        made = PCG64(seed_seq)
    made.state = state
    return made


class Philox:
    """Philox4x32-10, seeded with a number of 64 bits: drawn in parallel, the same numbers on every device."""

    def __init__(self, seed=None):
        self._device = _device.current()
        seed = int.from_bytes(os.urandom(8), "little") if seed is None else operator.index(seed)
        self._generator = _core.gpuopt_generator_create(self._device, seed)

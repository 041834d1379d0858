# bindings/python/tests/test_threads.py -- several threads of Python's at once, with the interpreter's lock or without.
import random
import subprocess
import sys
import threading

import gpuopt as gp
import numpy as np
import pytest


def at_once(count, work):
    """Runs work(0) ... work(count - 1) in threads that begin together; their results in order."""
    results, wrong, begin = [None] * count, [], threading.Barrier(count)

    def run(number):
        try:
            begin.wait()
            results[number] = work(number)
        except BaseException as error:  # noqa: BLE001: it is raised below
            wrong.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise wrong[0]
    return results


def test_import_leaves_the_lock_off():
    """A free-threaded interpreter turns its lock on for modules that do not say that they work without."""
    program = (
        "import sys\nbefore = getattr(sys, '_is_gil_enabled', lambda: True)()\nimport gpuopt\ngpuopt.ones(3) + 1\n"
        "sys.exit(getattr(sys, '_is_gil_enabled', lambda: True)() != before)\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


def test_the_module_is_loaded_once():
    program = (
        "import sys, gpuopt\ncore = sys.modules.pop('gpuopt._core')\nx = gpuopt.ones(3)\n"
        "try:\n    import gpuopt._core\nexcept ImportError as error:\n    print(error)\n"
        "assert (x + 1).tolist() == [2, 2, 2]\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert "more than once" in done.stdout


@pytest.mark.parametrize(
    ("make", "reference"),
    [(gp.random.RandomState, np.random.RandomState), (gp.random.default_rng, np.random.default_rng)],
)
def test_a_generator_is_shared(make, reference):
    """Calls come one after the other, as those of NumPy's: no number is drawn twice, and none is left out."""
    shared = make(7)
    drawn = at_once(4, lambda number: [gp.asnumpy(shared.random(20_000)) for _ in range(20)])
    expected = reference(7).random(4 * 20 * 20_000).reshape(-1, 20_000)
    found = np.array([part for parts in drawn for part in parts])
    np.testing.assert_array_equal(found[found[:, 0].argsort()], expected[expected[:, 0].argsort()])


def test_what_is_made_once():
    """Devices, dtypes and what is looked up at the first use, all at the same time."""
    program = """
import sys, threading
import gpuopt as gp
begin, found = threading.Barrier(8), []
def work():
    begin.wait()
    x = gp.arange(5.0)
    found.append((id(x.device), id(x.dtype), id(gp.ones(2, "float32").dtype), float((x[1:] * [1, 2, 3, 4]).sum())))
threads = [threading.Thread(target=work) for _ in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
sys.exit(len(found) != 8 or len(set(found)) != 1 or found[0][3] != 30)
"""
    for _ in range(3):
        subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


def test_recorded_operations_are_shared():
    """What one thread has recorded, others look at, and record more on it."""
    for _ in range(10):
        x = gp.arange(20_000.0)
        y = gp.sqrt(x) * 2 + 1
        sums = at_once(6, lambda number: float((y[number:] - number).sum()))  # noqa: B023: it runs at once
        values = np.sqrt(np.arange(20_000.0)) * 2 + 1
        expected = [float((values[number:] - number).sum()) for number in range(6)]
        np.testing.assert_allclose(sums, expected, rtol=1e-12)


def test_small_operations_of_one_array():
    x, expected = gp.arange(100.0), np.arange(100.0)

    def work(number):
        choose = random.Random(number)
        for _ in range(300):
            begin = choose.randrange(90)
            part = x[begin : begin + 7]
            assert part.tolist() == expected[begin : begin + 7].tolist()
            assert float((part + number).sum()) == float((expected[begin : begin + 7] + number).sum())
            assert int(x[begin]) == begin and x.dtype == expected.dtype and x.shape == (100,)
            assert memoryview(x)[begin] == begin and x.__array_interface__["data"][0] == address

    address = x.__array_interface__["data"][0]
    at_once(6, work)


def test_the_address_of_an_array_stays():
    for _ in range(20):
        x = gp.ones(10)
        assert len(set(at_once(4, lambda number: x.__array_interface__["data"][0]))) == 1  # noqa: B023


def test_a_list_that_another_thread_changes():
    """A function holds the arrays of a list that loses them meanwhile."""
    arrays = [gp.full(1000, float(n)) for n in range(50)]
    ended = threading.Event()

    def work(number):
        if number == 0:
            try:
                for _ in range(60):
                    whole = gp.concatenate(arrays)
                    assert whole.size == 50_000 or whole.size % 1000 == 0
            finally:
                ended.set()
            return
        while not ended.is_set():
            arrays[random.randrange(50)] = gp.full(1000, 1.0)

    at_once(2, work)


def test_items_that_a_sequence_makes_anew():
    class Made:
        def __len__(self):
            return 3

        def __getitem__(self, at):
            if at >= 3:
                raise IndexError
            return gp.full(4, float(at))

    assert gp._core.gpuopt_concat(3, Made(), (0,)).tolist() == [0.0] * 4 + [1.0] * 4 + [2.0] * 4


@pytest.mark.compiled
def test_one_function_is_compiled_for_several_types_at_once():
    @gp.njit
    def total(a, b):
        s = a * 0 + b * 0
        for _ in range(3):
            s += a + b
        return s

    values = [1, 2.0, 3j, True]

    def work(number):
        mine = values[number % 4 :] + values[: number % 4]
        for _ in range(10):
            for a in mine:
                for b in values[:3]:
                    assert total(a, b) == 3 * (a + b)

    at_once(6, work)
    assert len(set(total.signatures)) == len(total.signatures) == 12


@pytest.mark.compiled
def test_arrays_and_exceptions_of_compiled_functions():
    @gp.njit
    def scaled(x, by):
        if by == 5:
            raise ValueError("five", by)
        out = np.empty(x.size)
        for i in range(x.size):
            out[i] = x[i] * by
        return out

    def work(number):
        x = np.arange(50.0)
        for by in range(40):
            if by == 5:
                with pytest.raises(ValueError, match="five"):
                    scaled(x, by)
            else:
                np.testing.assert_array_equal(scaled(x, by), x * by)

    at_once(6, work)


@pytest.mark.compiled
def test_buffers_that_describe_themselves():
    """The shape of a bytearray's buffer is a member of the buffer's description, which must stay in its place."""

    @gp.njit
    def total(a, b):
        s = 0
        for i in range(a.size):
            s += a[i]
        for i in range(b.size):
            s += 100 * b[i]
        return s

    total(np.arange(3, dtype=np.uint8), np.arange(3, dtype=np.uint8))
    assert total(bytearray(range(10)), bytearray(range(3))) == 345


def test_a_capsule_is_consumed_once():
    source = np.arange(1000.0)
    for _ in range(30):
        capsule = source.__dlpack__()

        def work(number):
            try:
                return gp._core.from_dlpack(gp.Device("cpu"), capsule, 0)  # noqa: B023: it runs at once
            except ValueError:
                return None

        taken = [x for x in at_once(4, work) if x is not None]
        assert len(taken) == 1 and float(taken[0][-1]) == 999

# bindings/python/tests/device_memory.py -- elements the host cannot see; tests/bindings/check.sh has a device for it.
import pickle

import gpuopt as gp
import numpy as np
import pytest

GPU = gp.Device("cuda!")


def test_arrays_on_a_device():
    x = gp.asarray([1.0, 4.0, 9.0], device=GPU)
    assert x.device is GPU and not GPU.host_memory and repr(GPU) == "<CUDA Device 0>"
    assert gp.sqrt(x).get().tolist() == [1.0, 2.0, 3.0]
    assert (x + 1)[1:].tolist() == [5.0, 10.0] and x[[2, 0]].tolist() == [9.0, 1.0]
    with GPU:
        assert gp.zeros(2).device is GPU
    here = x.to_device("cpu")
    x.fill(0)
    assert here.tolist() == [1.0, 4.0, 9.0]
    with pytest.raises(ValueError) as caught:
        x + here
    assert caught.value.code == "GPUOPT_ERR_DEVICE_MISMATCH" and "cuda:0" in str(caught.value)


def test_numpy_s_arrays_are_no_operands():
    x, n = gp.asarray([1.0, 2.0], device=GPU), np.ones(2)
    for wrong in (lambda: x + n, lambda: n + x, lambda: np.add(n, x), lambda: gp.add(x, n), lambda: x == n):
        with pytest.raises(TypeError, match=r"Unsupported type <class 'numpy.ndarray'>"):
            wrong()
    assert (x + np.float64(1)).tolist() == (np.array(1.0) + x).tolist() == [2.0, 3.0]


def test_nothing_is_copied_unasked():
    x = gp.asarray([1.0, 2.0], device=GPU)
    with pytest.raises(TypeError, match="Implicit conversion to a NumPy array is not allowed"):
        np.asarray(x)
    with pytest.raises(BufferError):
        memoryview(x)
    assert x.__dlpack_device__() == (2, 0)
    interface = x.__cuda_array_interface__
    assert interface["shape"] == (2,) and interface["typestr"] == "<f8" and interface["data"][0] != 0
    assert not hasattr(x, "__array_interface__")
    assert gp.asnumpy(x).tolist() == [1.0, 2.0] and np.sqrt(x).device is GPU
    assert np.from_dlpack(x, device="cpu").tolist() == [1.0, 2.0]


def test_streams_and_devices_answer_queries():
    with GPU:
        stream = gp.cuda.Stream()
    assert stream.ptr != 0
    stream.synchronize()
    assert stream.done and stream.record().done in (True, False)
    free, total = GPU.mem_info
    assert 0 < free <= total
    assert int(GPU.compute_capability) >= 50 and GPU.attributes["warp_size"] == 32
    assert GPU.attributes["host_access"] == 0 and gp.Device("cpu").attributes["host_access"] == 1


def test_pickled_arrays_come_back_to_their_device():
    x = gp.asarray([1.0, 2.0], device=GPU)
    back = pickle.loads(pickle.dumps(x))
    assert back.device is GPU and back.tolist() == [1.0, 2.0]


def test_dlpack_to_the_host_and_back():
    x = gp.asarray([1.0, 4.0, 9.0], device=GPU)
    there = gp.from_dlpack(x, device="cpu")
    assert there.device.host_memory and there.tolist() == [1.0, 4.0, 9.0]
    there[0] = 5.0  # a copy, which is writable
    assert x.tolist() == [1.0, 4.0, 9.0]
    again = gp.from_dlpack(there, device=GPU)
    assert again.device is GPU and again.tolist() == [5.0, 4.0, 9.0]
    assert gp.from_dlpack(x[1:], device="cpu", copy=True).tolist() == [4.0, 9.0]
    with pytest.raises(BufferError, match="cannot be exported to the device .* without a copy"):
        gp.from_dlpack(x, device="cpu", copy=False)


def test_elements_of_a_device_s_array():
    x = gp.asarray([1.0, 4.0, 9.0], device=GPU)
    element, before = x[1], x[-1]
    x[1] = 7.0
    assert float(element) == 7.0 and element.device is GPU and (element + before).tolist() == 16.0

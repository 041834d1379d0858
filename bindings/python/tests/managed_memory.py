# bindings/python/tests/managed_memory.py -- arrays of a GPU in memory that the host can use in place
# (GPUOPT_CUDA_MEMORY=managed); tests/bindings/check.sh has a device for it.
import gpuopt as gp
import numpy as np
import pytest

GPU = gp.Device("cuda!")


def on_gpu(*values):
    return gp.asarray(values, device=GPU)


def test_the_device_says_so():
    assert GPU.attributes["host_access"] == 1 and not GPU.host_memory
    assert "managed memory" in str(GPU.info)


def test_the_host_gets_a_window_without_a_copy():
    x = on_gpu(1.0, 4.0, 9.0) * 2
    window = np.from_dlpack(x, device="cpu", copy=False)
    assert window.tolist() == [2.0, 8.0, 18.0]
    window[0] = 5.0
    assert x.tolist() == [5.0, 8.0, 18.0]
    x += 1
    GPU.synchronize()
    assert window.tolist() == [6.0, 9.0, 19.0]


def test_a_window_is_given_where_none_forbids_it():
    x = on_gpu(1, 2, 3)
    assert np.shares_memory(np.from_dlpack(x, device="cpu"), np.from_dlpack(x, device="cpu"))
    copied = np.from_dlpack(x, device="cpu", copy=True)
    copied[0] = 7
    assert x.tolist() == [1, 2, 3]


def test_views_have_windows_of_their_own():
    x = gp.reshape(gp.arange(12.0, device=GPU), (3, 4))
    window = np.from_dlpack(x[::2, 1:], device="cpu", copy=False)
    assert window.strides == (64, 8) and window.tolist() == [[1.0, 2.0, 3.0], [9.0, 10.0, 11.0]]
    window[1, 2] = -1.0
    assert x[2, 3].item() == -1.0


def test_ours_on_the_host_shares_the_memory_and_outlives_the_array():
    x = on_gpu(1.0, 2.0)
    here = gp.from_dlpack(x, device="cpu", copy=False)
    assert here.device.host_memory
    here[1] = 8.0
    assert x.tolist() == [1.0, 8.0]
    del x
    assert (here + 1).tolist() == [2.0, 9.0]


def test_capsules_of_both_versions():
    x = on_gpu(1.0)
    for version in (None, (0, 8), (1, 1)):
        for copy in (None, False, True):
            assert x.__dlpack__(max_version=version, dl_device=(1, 0), copy=copy) is not None
    assert x.__dlpack_device__() == (2, 0)
    with pytest.raises(BufferError, match="without a copy"):
        x.__dlpack__(dl_device=(8, 0), copy=False)


def test_work_that_is_under_way_is_waited_for():
    x = gp.ones(1 << 16, device=GPU)
    for _ in range(20):
        x = x + 1
    assert (np.from_dlpack(x, device="cpu", copy=False) == 21).all()


def test_numpy_s_arrays_are_still_no_operands():
    with pytest.raises(TypeError, match="Unsupported type"):
        on_gpu(1.0, 2.0) + np.ones(2)
    with pytest.raises(TypeError, match="Implicit conversion"):
        np.asarray(on_gpu(1.0))

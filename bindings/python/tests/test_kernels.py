# bindings/python/tests/test_kernels.py -- kernels of the user's own, streams, events and the memory pool. Those that
# compile need the
# library's compiler: they are marked `compiled`.
import gpuopt as gp
import numpy as np
import pytest

compiled = pytest.mark.compiled


@compiled
def test_elementwise_kernels(same):
    squared = gp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_diff")
    x = gp.arange(10, dtype="float32").reshape(2, 5)
    y = gp.arange(5, dtype="float32")
    expected = (np.arange(10, dtype="float32").reshape(2, 5) - np.arange(5, dtype="float32")) ** 2
    same(squared(x, y), expected)
    same(squared(x, 5), (np.arange(10, dtype="float32").reshape(2, 5) - 5) ** 2)
    z = gp.empty((2, 5), "float32")
    assert squared(x, y, z) is not None
    same(z, expected)
    generic = gp.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]")
    same(generic(gp.arange(3.0), gp.arange(3.0)), np.array([2.0, 2.0, 2.0]))
    both = gp.ElementwiseKernel("float x", "float y, int z", "y = x * 2; z = x")
    first, second = both(gp.asarray([1.5, 2.5], "float32"))
    assert first.tolist() == [3, 5] and second.tolist() == [1, 2] and second.dtype == np.int32
    with pytest.raises(TypeError):
        squared([1, 2], y)
    with pytest.raises(TypeError):
        squared(gp.ones(2), gp.ones(2))
    with pytest.raises(ValueError):
        squared(x, gp.ones(4, "float32"))


@compiled
def test_reduction_kernels(same):
    norm = gp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    x = gp.arange(10.0).reshape(2, 5)
    same(norm(x, axis=1), np.linalg.norm(np.arange(10.0).reshape(2, 5), axis=1), 1e-14)
    assert norm(x).shape == () and norm(x, axis=1, keepdims=True).shape == (2, 1)


RAW = 'extern "C" __global__ void scale(const double *x, double *y, double by, long long n) '
RAW += "{ long long i = blockDim.x * (long long)blockIdx.x + threadIdx.x; if (i < n) y[i] = x[i] * by; }"


@compiled
def test_raw_kernels(same):
    x, y = gp.arange(100.0), gp.zeros(100)
    gp.RawKernel(RAW, "scale")((4,), (32,), (x, y, 2.5, 100))
    same(y, np.arange(100.0) * 2.5)
    gp.RawModule(code=RAW).get_function("scale")((4, 1, 1), 32, (x, y, np.float64(3), np.int64(50)))
    same(y[:50], np.arange(50.0) * 3)
    with pytest.raises(TypeError):
        gp.RawKernel(RAW, "scale")((1,), (1,), (x, y, "2", 1))


@compiled
def test_what_does_not_compile():
    broken = gp.ElementwiseKernel("float32 x", "float32 y", "y = nonsense(x)")
    with pytest.raises(gp.CompileError, match="nonsense") as caught:
        broken(gp.ones(2, "float32"))
    assert caught.value.code == "GPUOPT_ERR_COMPILE"


def test_malformed_parameters():
    with pytest.raises(ValueError):
        gp.ElementwiseKernel("float32", "float32 y", "y = 1")
    with pytest.raises(TypeError):
        gp.RawModule()


def test_streams_and_events():
    with gp.cuda.Stream() as stream:
        assert gp.cuda.get_current_stream() is stream
        start = stream.record()
        x = gp.ones(1000) * 2
        gp.eval(x)
        end = stream.record()
    end.synchronize()
    stream.synchronize()
    assert gp.cuda.get_elapsed_time(start, end) >= 0
    assert gp.cuda.get_current_stream() is not stream
    event = gp.cuda.Event()
    event.record()
    stream.wait_event(event)


def test_memory_pool():
    pool = gp.get_default_memory_pool()
    x = gp.ones(10_000)
    gp.eval(x)
    assert pool.used_bytes() >= 80_000 and pool.total_bytes() >= pool.used_bytes() and pool.free_bytes() >= 0
    pool.free_all_blocks()
    assert pool.free_bytes() == 0
    pool.set_limit(size=10**12)
    assert pool.get_limit() == 10**12
    pool.set_limit(size=0)


@compiled
def test_textures(same):
    from gpuopt.cuda import texture

    x = np.arange(12, dtype="float32").reshape(3, 4)
    floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, texture.cudaChannelFormatKindFloat)
    texels = texture.CUDAarray(floats, 4, 3)
    texels.copy_from(gp.asarray(x))
    resource = texture.ResourceDescriptor(texture.cudaResourceTypeArray, cuArr=texels)
    clamped = (texture.cudaAddressModeClamp,) * 2
    image = texture.TextureObject(resource, texture.TextureDescriptor(clamped, texture.cudaFilterModeLinear))
    text = """__global__ void read(cudaTextureObject_t t, float *y) {
      y[threadIdx.x] = tex2D<float>(t, threadIdx.x + 1.0f, 1.5f);
    }
    __global__ void write(cudaSurfaceObject_t s) { surf2Dwrite(7.0f, s, threadIdx.x * 4, 0); }"""
    kernels = gp.RawModule(code=text, name_expressions=["read", "write"])
    y = gp.zeros(4, "float32")
    kernels.get_function("read")((1,), (4,), (image, y))
    same(y, np.array([4.5, 5.5, 6.5, 7], "float32"))
    kernels.get_function("write")((1,), (4,), (texture.SurfaceObject(resource),))
    x[0] = 7
    out = gp.zeros((3, 4), "float32")
    texels.copy_to(out)
    same(out, x)
    with pytest.raises(ValueError, match="linear filter"):
        ints = texture.ChannelFormatDescriptor(32, 0, 0, 0, texture.cudaChannelFormatKindSigned)
        x = gp.arange(5, dtype="int32")
        resource = texture.ResourceDescriptor(texture.cudaResourceTypeLinear, arr=x, chDesc=ints)
        texture.TextureObject(resource, texture.TextureDescriptor(filterMode=texture.cudaFilterModeLinear))
    with pytest.raises(NotImplementedError):
        texture.TextureDescriptor(borderColors=(1.0,))

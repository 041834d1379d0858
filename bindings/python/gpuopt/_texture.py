# bindings/python/gpuopt/_texture.py -- texture and surface objects for raw kernels, as cupy.cuda.texture has them.
"""cupy.cuda.texture: arrays as kernels read them by tex2D() and its like, and write them by surf2Dwrite()."""

from . import _core, _creation

ndarray = _core.ndarray

# The numbers of cupy.cuda.runtime.
cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D = range(4)
cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat = range(3)
cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder = range(4)
cudaFilterModePoint, cudaFilterModeLinear = range(2)
cudaReadModeElementType, cudaReadModeNormalizedFloat = range(2)

_KINDS = {
    cudaChannelFormatKindSigned: {8: "int8", 16: "int16", 32: "int32"},
    cudaChannelFormatKindUnsigned: {8: "uint8", 16: "uint16", 32: "uint32"},
    cudaChannelFormatKindFloat: {16: "float16", 32: "float32"},
}


class ChannelFormatDescriptor:
    """The bits of the channels x, y, z and w, 0 for those that there are not, and what they are."""

    def __init__(self, x, y, z, w, f):
        sizes = [size for size in (x, y, z, w) if size]
        if len(sizes) not in (1, 2, 4) or any(size != x for size in sizes) or x not in _KINDS.get(f, ()):
            raise ValueError(f"no texel has channels of {x}, {y}, {z} and {w} bits and of kind {f}")
        self.channels, self.dtype = len(sizes), _KINDS[f][x]
        self._format = {"x": x, "y": y, "z": z, "w": w, "f": f}

    def get_channel_format(self):
        """What it was made of, as a dict."""
        return dict(self._format)


class CUDAarray:
    """Texels in memory of their own, zeros at first. Its shape is (depth, height, width), without what is 0, and the
    width is times the number of channels."""

    def __init__(self, desc, width, height=0, depth=0, flags=0):
        if width < 1 or height < 0 or depth < 0 or (depth and not height):
            raise ValueError(f"no texels are {width} x {height} x {depth}")
        if flags not in (0, 2):  # cudaArraySurfaceLoadStore: all may be written
            raise NotImplementedError("layers and cubemaps are made by gpuopt_texture_create, of an array")
        self.desc, self.width, self.height, self.depth = desc, width, height, depth
        sizes = tuple(size for size in (depth, height) if size) + (width,)
        self.shape = sizes[:-1] + (width * desc.channels,)
        self.array = _creation.zeros(sizes + ((desc.channels,) if desc.channels > 1 else ()), desc.dtype)

    def copy_from(self, in_arr, stream=None):
        """Writes all texels."""
        if tuple(in_arr.shape) != self.shape or str(in_arr.dtype) != self.desc.dtype:
            raise ValueError(f"an array of shape {self.shape} and dtype {self.desc.dtype} is needed")
        self.array[...] = in_arr.reshape(self.array.shape)

    def copy_to(self, out_arr, stream=None):
        """Reads all texels."""
        if tuple(out_arr.shape) != self.shape or str(out_arr.dtype) != self.desc.dtype:
            raise ValueError(f"an array of shape {self.shape} and dtype {self.desc.dtype} is needed")
        out_arr[...] = self.array.reshape(self.shape) if isinstance(out_arr, ndarray) else self.array.get().reshape(
            self.shape
        )


class ResourceDescriptor:
    """What a texture is of: a CUDAarray, or an array in memory with its format."""

    def __init__(self, restype, cuArr=None, arr=None, chDesc=None, sizeInBytes=0, width=0, height=0, pitchInBytes=0):
        if restype == cudaResourceTypeArray and cuArr is not None:
            self.array, self.channels = cuArr.array, cuArr.desc.channels
        elif restype in (cudaResourceTypeLinear, cudaResourceTypePitch2D) and arr is not None and chDesc is not None:
            self.array, self.channels = _texels(restype, arr, chDesc, sizeInBytes, width, height), chDesc.channels
        else:
            raise ValueError("a resource is a CUDAarray, or an array and its channel format; not there: mipmaps")
        self.chDesc, self.cuArr, self.arr = chDesc, cuArr, arr


def _texels(restype, arr, desc, size, width, height):
    """The array with an axis of its own for several channels; without copying."""
    if str(arr.dtype) != desc.dtype:
        raise ValueError(f"an array of dtype {desc.dtype} is needed, not {arr.dtype}")
    tail = (desc.channels,) if desc.channels > 1 else ()
    if restype == cudaResourceTypeLinear:
        count = (size or arr.nbytes) // (arr.itemsize * desc.channels)
        flat = arr.reshape(-1)
        return flat[: count * desc.channels].reshape((count,) + tail)
    if arr.ndim != 2 or arr.shape[0] < height or arr.shape[1] < width * desc.channels:
        raise ValueError(f"an array of 2 dimensions, with {height} x {width} texels, is needed")
    part = arr[:height, : width * desc.channels]
    return part.reshape((height, width) + tail) if tail else part


class TextureDescriptor:
    """How a texture is read."""

    def __init__(
        self,
        addressModes=None,
        filterMode=cudaFilterModePoint,
        readMode=cudaReadModeElementType,
        sRGB=None,
        borderColors=None,
        normalizedCoords=None,
        maxAnisotropy=None,
    ):
        if sRGB or maxAnisotropy or (borderColors is not None and any(borderColors)):
            raise NotImplementedError("textures have no sRGB, no anisotropic filter, and 0 as their border")
        modes = tuple(addressModes or ())
        self.addressModes = modes + (modes[-1:] or (cudaAddressModeWrap,)) * (3 - len(modes))
        self.filterMode, self.readMode, self.normalizedCoords = filterMode, readMode, bool(normalizedCoords)


class _Object:
    """`ptr` is what a kernel gets; it is valid as long as this object."""

    def __init__(self, array, *options):
        self.array = array
        self._texture_handle, self.ptr = _core.texture_create(array, *options)


class TextureObject(_Object):
    """A texture: TextureObject(ResourceDescriptor(...), TextureDescriptor(...)), an argument of raw kernels. It shares
    the elements of its array and keeps them alive."""

    def __init__(self, ResDesc, TexDesc):
        self.ResDesc, self.TexDesc = ResDesc, TexDesc
        linear, floats = TexDesc.filterMode == cudaFilterModeLinear, TexDesc.readMode == cudaReadModeNormalizedFloat
        modes = tuple(map(int, TexDesc.addressModes))
        super().__init__(ResDesc.array, ResDesc.channels, 0, 0, *modes, linear, TexDesc.normalizedCoords, floats)


class SurfaceObject(_Object):
    """A surface, which kernels read and write: SurfaceObject(ResourceDescriptor(...))."""

    def __init__(self, ResDesc):
        self.ResDesc = ResDesc
        super().__init__(ResDesc.array, ResDesc.channels, 0, 1, 0, 0, 0, 0, 0, 0)

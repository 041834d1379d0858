// bindings/go/texture.go -- textures and surfaces for raw kernels.

package gpuopt

// #include <gpuopt/gpuopt.h>
import "C"

import "unsafe"

// An AddressMode says what happens outside of an axis. Wrap and mirror are for normalized coordinates, and are clamp
// without them.
type AddressMode int32

// The address modes: coordinates begin again, the texel at the end, coordinates go back, 0.
const (
	AddressWrap   AddressMode = C.GPUOPT_ADDRESS_WRAP
	AddressClamp  AddressMode = C.GPUOPT_ADDRESS_CLAMP
	AddressMirror AddressMode = C.GPUOPT_ADDRESS_MIRROR
	AddressBorder AddressMode = C.GPUOPT_ADDRESS_BORDER
)

// TextureOptions say how a kernel reads a texture: without any, points, by coordinates of texels, clamped.
type TextureOptions struct {
	Channels        int            // 2 or 4: numbers of a texel, along the last axis; 0 or 1: one
	Layered         bool           // the first axis is that of layers
	Address         [3]AddressMode // along x, which is the last axis of texels, y and z; 0 is AddressWrap
	Linear          bool           // values between texels
	Normalized      bool           // coordinates from 0 to 1
	NormalizedFloat bool           // integers of 8 and 16 bits are read as float, in [0, 1] or [-1, 1]
}

// A Texture is an array as kernels read it by tex2D and its like, or write it by surf2Dwrite: an argument of a
// [RawKernel] for a cudaTextureObject_t or cudaSurfaceObject_t. It shares the array's elements and keeps them alive.
type Texture struct {
	h      *handle[C.gpuopt_texture]
	object uint64
}

// NewTexture makes a texture of an array. A dtype that texels cannot have is [ErrType], axes that are not those of a
// texture [ErrShape], options that do not fit the dtype [ErrInvalidArgument].
func NewTexture(x *Array, options TextureOptions) (*Texture, error) {
	return newTexture(x, options, false)
}

// NewSurface makes a surface of an array, whose texels have so many numbers, along its last axis; layered: the first
// axis is that of layers. Errors are those of [NewTexture].
func NewSurface(x *Array, channels int, layered bool) (*Texture, error) {
	return newTexture(x, TextureOptions{Channels: channels, Layered: layered}, true)
}

func newTexture(x *Array, how TextureOptions, surface bool) (*Texture, error) {
	array, done, err := x.holdOperand()
	if err != nil {
		return nil, err
	}
	defer done()
	var options C.gpuopt_texture_options
	options.struct_size = C.uint32_t(unsafe.Sizeof(options))
	options.channels, options.layered, options.surface = C.int32_t(how.Channels), flag(how.Layered), flag(surface)
	options.address_x, options.address_y = C.int32_t(how.Address[0]), C.int32_t(how.Address[1])
	options.address_z, options.linear = C.int32_t(how.Address[2]), flag(how.Linear)
	options.normalized_coordinates, options.normalized_float = flag(how.Normalized), flag(how.NormalizedFloat)
	var raw C.gpuopt_texture
	err = check(func(e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_texture_create(array, &options, &raw, e)
	})
	if err != nil {
		return nil, err
	}
	h := newHandle(raw, "texture", func(t C.gpuopt_texture) { C.gpuopt_texture_release(t) })
	return &Texture{h, uint64(C.gpuopt_texture_object(raw))}, nil
}

// Object gives the value of the object in kernels; valid until [Texture.Close].
func (t *Texture) Object() uint64 { return t.object }

// Close gives the reference back.
func (t *Texture) Close() { t.h.close() }

func (t *Texture) holdRaw() (C.gpuopt_array, []byte, func(), error) {
	if t == nil {
		return nil, nil, nil, fail(ErrInvalidArgument, "the texture is nil")
	}
	if _, err := t.h.hold(); err != nil {
		return nil, nil, nil, err
	}
	bytes := append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(&t.object)), unsafe.Sizeof(t.object))...)
	return nil, bytes, t.h.done, nil
}

func (t *Texture) rawDType() C.gpuopt_dtype { return C.GPUOPT_UINT64 }

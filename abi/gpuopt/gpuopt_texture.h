/* abi/gpuopt/gpuopt_texture.h -- texture and surface objects: arrays as kernels of CUDA C++ read them by tex2D() and
 * its like, and write them by surf2Dwrite(); part of gpuopt.h, which includes it.
 *
 * The semantics are those of the CUDA C++ Programming Guide, chapters "Texture Fetching" and "Texture and Surface
 * Memory". Textures are computed by loads, on GPUs too, so that every device gives the same bits: weights of a linear
 * filter have 8 bits after the point, rounded to nearest, ties to even, and each product and each sum is rounded to
 * float, in the order of the guide's formulas. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_TEXTURE_H)
#define GPUOPT_TEXTURE_H

typedef struct gpuopt_texture_s *gpuopt_texture;

/* What happens outside of an axis; the numbers are CUDA's. Wrap and mirror are for normalized coordinates, and are
 * clamp without them, as in CUDA. A border is 0. */
enum { GPUOPT_ADDRESS_WRAP = 0, GPUOPT_ADDRESS_CLAMP = 1, GPUOPT_ADDRESS_MIRROR = 2, GPUOPT_ADDRESS_BORDER = 3 };

typedef struct gpuopt_texture_options {
  uint32_t struct_size, flags;
  const void *next;
  int32_t channels;               /* 2 or 4: numbers of a texel, along the array's last axis; 0 or 1: one */
  int32_t layered;                /* not 0: the first axis is that of layers */
  int32_t surface;                /* not 0: a surface object, cudaSurfaceObject_t, of which nothing below is said */
  int32_t address_x;              /* GPUOPT_ADDRESS_*: of the last axis of texels, */
  int32_t address_y, address_z;   /* the one before it, and the first of three */
  int32_t linear;                 /* not 0: between texels; tex1D() and so on are float then */
  int32_t normalized_coordinates; /* not 0: an axis goes from 0 to 1 */
  int32_t normalized_float;       /* not 0: integers of 8 and 16 bits are read as float, in [0, 1] or [-1, 1] */
  int32_t reserved;               /* 0 */
} gpuopt_texture_options;
#define GPUOPT_TEXTURE_OPTIONS_INIT {sizeof(gpuopt_texture_options), 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/* Makes a texture object, or a surface object, of an array. The array is evaluated, its elements are not copied:
 * kernels read what it holds when they run, and the texture keeps a reference. Its shape is (width), (height, width) or
 * (depth, height, width), behind the number of layers (with at most height and width) and in front of the channels; any
 * view will do, of any strides. Later work on the array is submitted before the call that records it returns. NULL
 * options are all 0.
 *
 * Dtypes are int8 to int32, uint8 to uint32, float16 and float32 (else GPUOPT_ERR_TYPE); a float16 is read as float. A
 * linear filter needs float16, float32 or normalized_float, and normalized_float integers of 8 or 16 bits
 * (GPUOPT_ERR_INVALID_ARGUMENT, as for other numbers in the options). GPUOPT_ERR_SHAPE: too few or too many axes, an
 * axis of no elements, or a last axis that is not of that many channels. A surface of a read-only array is
 * GPUOPT_ERR_INVALID_ARGUMENT.
 *
 * Pass gpuopt_texture_object() to a raw kernel, as a value of 8 bytes or in a struct, on the array's device
 * (GPUOPT_ERR_DEVICE_MISMATCH). The launch is then ordered with other work that uses the array, as if the array were an
 * argument; without other arrays it runs on the array's stream. Objects that a kernel finds elsewhere, as in an array,
 * are the caller's to keep alive and to order. Safe from any threads. */
GPUOPT_CALL gpuopt_texture_create(gpuopt_array array, const gpuopt_texture_options *options, gpuopt_texture *texture,
                                  gpuopt_error *error);
/* The value of a cudaTextureObject_t or cudaSurfaceObject_t in kernels; valid as long as the texture. 0 where it is
 * NULL. */
GPUOPT_API uint64_t gpuopt_texture_object(gpuopt_texture texture);
/* Counts a reference more, or one less; NULL is allowed. With the last one the array's reference goes, too; kernels
 * that were launched before are not disturbed. */
GPUOPT_API gpuopt_texture gpuopt_texture_retain(gpuopt_texture texture);
GPUOPT_API void gpuopt_texture_release(gpuopt_texture texture);

#endif

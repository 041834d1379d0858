// bench/raw_kernels_openmp.h -- the algorithms of raw_kernels.cpp's kernels in C with OpenMP, which is compiled for
// this machine's processor.
#ifndef GPUOPT_BENCH_RAW_KERNELS_OPENMP_H_
#define GPUOPT_BENCH_RAW_KERNELS_OPENMP_H_

namespace bench {

constexpr int kTile = 32;  // of the tiled transpose

void shared_histogram(const unsigned *x, unsigned *counts, int n);
void global_histogram(const unsigned *x, unsigned *counts, int n);

// Matrices of n rows and columns.
void transpose(const float *from, float *to, int n);
void tiled_transpose(const float *from, float *to, int n);

// One step of a heated plate: a stencil of five points, whose edges are repeated.
void hotspot(const float *temperature, const float *power, float *to, int n);

// One step of speckle-reducing anisotropic diffusion: the coefficients, then the image.
void srad_coefficients(const float *image, float *coefficient, float *north, float *south, float *west, float *east,
                       int n);
void srad_image(float *image, const float *coefficient, const float *north, const float *south, const float *west,
                const float *east, int n);

// The accelerations of n bodies, each a position and a mass.
void nbody(const float *bodies, float *accelerations, int n);

}  // namespace bench

#endif  // GPUOPT_BENCH_RAW_KERNELS_OPENMP_H_

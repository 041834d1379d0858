// tests/kernels/textures.h -- kernels that use textures and surfaces. They are run on devices
// (tests/conformance/texture_kernel_test.cpp), and NVIDIA's compiler sees them all.
#pragma once

namespace gpuopt::test {

struct TextureText {
  const char *name, *code;
};

// Reads the registers of a texture by the word of this number, at coordinates and in layers.
inline const TextureText kSampleTexture = {"sample", R"(
#include <cuda_runtime.h>
__global__ void sample(int word, cudaTextureObject_t t, const float3 *at, const int *layers, uint4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = at[i].x, y = at[i].y, z = at[i].z;
  switch (word) {
    case 0: out[i] = tex1Dfetch<uint4>(t, int(x)); break;
    case 1: out[i] = tex1D<uint4>(t, x); break;
    case 2: tex2D(&out[i], t, x, y); break;
    case 3: out[i] = tex3D<uint4>(t, x, y, z); break;
    case 4: out[i] = tex1DLayered<uint4>(t, x, layers[i]); break;
    case 5: out[i] = tex2DLayered<uint4>(t, x, y, layers[i]); break;
    case 6: out[i] = tex1DLod<uint4>(t, x, 0); break;
    case 7: out[i] = tex2DLod<uint4>(t, x, y, 1.5f); break;
    case 8: out[i] = tex3DLod<uint4>(t, x, y, z, 0); break;
    case 9: out[i] = tex2Dgather<uint4>(t, x, y); break;
  }
})"};

// Reads each type that texels have.
inline const TextureText kTexelTypes = {"types", R"(
template <class T> __device__ void put(int *&out, T x) { *out++ = int(x); }
template <class T> __device__ void scalar(int *&out, cudaTextureObject_t t) { put(out, tex1D<T>(t, 1.5f)); }
template <class T> __device__ void one(int *&out, cudaTextureObject_t t) { put(out, tex1D<T>(t, 1.5f).x); }
template <class T> __device__ void two(int *&out, cudaTextureObject_t t) {
  T v = tex1D<T>(t, 1.5f);
  put(out, v.x); put(out, v.y);
}
template <class T> __device__ void four(int *&out, cudaTextureObject_t t) {
  T v;
  tex1D(&v, t, 1.5f);
  put(out, v.x); put(out, v.y); put(out, v.z); put(out, v.w);
}
__global__ void types(cudaTextureObject_t ints, cudaTextureObject_t floats, int *out) {
  scalar<char>(out, ints); scalar<signed char>(out, ints); scalar<unsigned char>(out, ints);
  scalar<short>(out, ints); scalar<unsigned short>(out, ints); scalar<int>(out, ints); scalar<unsigned>(out, ints);
  one<char1>(out, ints); one<uchar1>(out, ints); one<short1>(out, ints); one<ushort1>(out, ints);
  one<int1>(out, ints); one<uint1>(out, ints);
  two<char2>(out, ints); two<uchar2>(out, ints); two<short2>(out, ints); two<ushort2>(out, ints);
  two<int2>(out, ints); two<uint2>(out, ints);
  four<char4>(out, ints); four<uchar4>(out, ints); four<short4>(out, ints); four<ushort4>(out, ints);
  four<int4>(out, ints); four<uint4>(out, ints);
  scalar<float>(out, floats); one<float1>(out, floats); two<float2>(out, floats); four<float4>(out, floats);
})"};

// Textures have one level of detail, which these words read: all must give what the first one does.
inline const TextureText kTextureLevels = {"levels", R"(
extern "C" __global__ void levels(cudaTextureObject_t row, cudaTextureObject_t plane, cudaTextureObject_t block,
                                  cudaTextureObject_t rows, cudaTextureObject_t planes, float *out) {
  float x = 0.3f, y = 0.6f, z = 0.2f;
  float2 d = {0.1f, 0.2f};
  float4 e = {0.1f, 0.2f, 0.3f, 0};
  *out++ = tex1D<float>(row, x); *out++ = tex1DLod<float>(row, x, 2); *out++ = tex1DGrad<float>(row, x, 1, 1);
  *out++ = tex2D<float>(plane, x, y); *out++ = tex2DLod<float>(plane, x, y, 2);
  *out++ = tex2DGrad<float>(plane, x, y, d, d);
  *out++ = tex3D<float>(block, x, y, z); *out++ = tex3DLod<float>(block, x, y, z, 2);
  *out++ = tex3DGrad<float>(block, x, y, z, e, e);
  *out++ = tex1DLayered<float>(rows, x, 1); *out++ = tex1DLayeredLod<float>(rows, x, 1, 2);
  tex1DLayeredLod(out++, rows, x, 1, 0.5f);
  *out++ = tex2DLayered<float>(planes, x, y, 1); *out++ = tex2DLayeredLod<float>(planes, x, y, 1, 2);
  tex2DLayeredLod(out++, planes, x, y, 1, 0.5f);
})"};

// Reads a cubemap, the second of two, and one that is filtered, in directions of three numbers.
inline const TextureText kCubemaps = {"cubemaps", R"(
extern "C" __global__ void cubemaps(cudaTextureObject_t cube, cudaTextureObject_t cubes, cudaTextureObject_t smooth,
                                    const float *at, int n, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2];
  out += 6 * i;
  float4 none = {};
  out[0] = texCubemap<float>(cube, x, y, z);
  texCubemapLod(out + 1, cube, x, y, z, 1.0f);
  out[2] = texCubemapLayered<float>(cubes, x, y, z, 1);
  out[3] = texCubemapLayeredLod<float>(cubes, x, y, z, 1, 0.5f);
  out[4] = texCubemap<float>(smooth, x, y, z);
  out[5] = texCubemapGrad<float>(cube, x, y, z, none, none);
})"};

// Turns each face of a cube by a quarter of a circle and adds to it, from a surface to another one.
inline const TextureText kCubeSurfaces = {"faces", R"(
extern "C" __global__ void faces(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int n) {
  int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
  float2 v = face < 6 ? surfCubemapread<float2>(from, x * 8, y, face)
                      : surfCubemapLayeredread<float2>(from, x * 8, y, face);
  v.x += 100 * face;
  if (face & 1) surfCubemapLayeredwrite(v, to, (n - 1 - y) * 8, x, face);
  else surfCubemapwrite(v, to, (n - 1 - y) * 8, x, face);
})"};

// Copies a surface of float2 to another, transposed, in different pieces; and reads outside.
inline const TextureText kSurfaces = {"surfaces", R"(
struct Pair { cudaSurfaceObject_t from, to; };
extern "C" __global__ void surfaces(Pair pair, float *outside) {
  int x = threadIdx.x, y = threadIdx.y;
  float2 v;
  surf2Dread(&v, pair.from, x * 8, y);
  if (x & 1) {
    surf2Dwrite(v, pair.to, y * 8, x);
  } else {
    surf2Dwrite(v.x, pair.to, y * 8, x);
    surf2Dwrite<float>(v.y, pair.to, y * 8 + 4, x, cudaBoundaryModeTrap);
  }
  if (x || y) return;
  surf2Dwrite(9.0f, pair.to, -4, 0, cudaBoundaryModeZero);
  surf2Dwrite(9.0f, pair.to, 0, 1000, cudaBoundaryModeZero);
  outside[0] = surf2Dread<float>(pair.from, -4, 0, cudaBoundaryModeZero);
  outside[1] = surf2Dread<float>(pair.from, 0, 1000, cudaBoundaryModeZero);
  outside[2] = surf2Dread<float>(pair.from, -400, -1, cudaBoundaryModeClamp);
  outside[3] = surf2Dread<float2>(pair.from, 4000, 4000, cudaBoundaryModeClamp).y;
})"};

// Adds to surfaces of other shapes.
inline const TextureText kSurfaceShapes = {"shapes", R"(
extern "C" __global__ void shapes(cudaSurfaceObject_t row, cudaSurfaceObject_t block, cudaSurfaceObject_t rows,
                                  cudaSurfaceObject_t images) {
  int i = threadIdx.x;
  surf1Dwrite<unsigned char>(surf1Dread<unsigned char>(row, i) + 1, row, i);
  surf3Dwrite<short>(surf3Dread<short>(block, 2 * (i % 3), i / 3 % 2, i / 6) + 2, block, 2 * (i % 3), i / 3 % 2, i / 6);
  surf1DLayeredwrite<int>(surf1DLayeredread<int>(rows, 4 * (i % 6), i / 6) + 3, rows, 4 * (i % 6), i / 6);
  int4 v = surf2DLayeredread<int4>(images, 0, i % 3, i / 3);
  v.w += 4;
  surf2DLayeredwrite(v, images, 0, i % 3, i / 3);
})"};

// What a surface traps on, and a misplaced byte.
inline const TextureText kSurfaceTrap = {"outside", R"(
extern "C" __global__ void outside(cudaSurfaceObject_t s, int x) { surf1Dwrite(1.0f, s, x); })"};

// As texts of before CUDA 12 are written, and the same by objects.
inline const TextureText kTextureReference = {"reference", R"(
texture<float, 2, cudaReadModeElementType> image(false, cudaFilterModeLinear, cudaAddressModeClamp);
texture<uchar4, cudaTextureType1D, cudaReadModeNormalizedFloat> colors;
texture<short2> pairs;
surface<void, cudaSurfaceType2D> target;
extern "C" __global__ void reference(float *out, float4 *color, short2 *pair) {
  int t = threadIdx.x;
  out[t] = tex2D(image, t % 4 + 0.25f, t / 4 + 0.75f);
  color[t] = tex1D(colors, t - 1.5f);
  pair[t] = tex1Dfetch(pairs, t);
  surf2Dwrite(out[t] + 1, target, 4 * (t % 4), t / 4);
  out[16 + t] = surf2Dread<float>(target, 4 * (t % 4), t / 4);
})"};
inline const TextureText kTextureObjects = {"objects", R"(
extern "C" __global__ void objects(cudaTextureObject_t image, cudaTextureObject_t colors, cudaTextureObject_t pairs,
                                   float *out, float4 *color, short2 *pair) {
  int t = threadIdx.x;
  out[t] = tex2D<float>(image, t % 4 + 0.25f, t / 4 + 0.75f);
  color[t] = tex1D<float4>(colors, t - 1.5f);
  pair[t] = tex1Dfetch<short2>(pairs, t);
  out[16 + t] = out[t] + 1;
})"};

// Those that compile.
inline const TextureText *const kTextureTexts[] = {&kSampleTexture, &kTexelTypes,  &kTextureLevels,    &kSurfaces,
                                                   &kSurfaceShapes, &kSurfaceTrap, &kTextureReference, &kTextureObjects,
                                                   &kCubemaps,      &kCubeSurfaces};

}  // namespace gpuopt::test

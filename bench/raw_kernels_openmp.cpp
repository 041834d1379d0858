// bench/raw_kernels_openmp.cpp -- see raw_kernels_openmp.h.
#include "bench/raw_kernels_openmp.h"

#include <algorithm>
#include <cmath>

namespace bench {

void shared_histogram(const unsigned *x, unsigned *counts, int n) {
#pragma omp parallel
  {
    unsigned own[256] = {};
#pragma omp for nowait
    for (int i = 0; i < n; i++) own[x[i] & 255]++;
    for (int b = 0; b < 256; b++) {
#pragma omp atomic
      counts[b] += own[b];
    }
  }
}

void global_histogram(const unsigned *x, unsigned *counts, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    counts[x[i] & 255]++;
  }
}

void transpose(const float *from, float *to, int n) {
#pragma omp parallel for
  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++) to[column * n + row] = from[row * n + column];
}

void tiled_transpose(const float *from, float *to, int n) {
#pragma omp parallel for collapse(2)
  for (int r = 0; r < n; r += kTile) {
    for (int c = 0; c < n; c += kTile) {
      float tile[kTile][kTile + 1];
      for (int y = 0; y < kTile; y++)
        for (int x = 0; x < kTile; x++) tile[y][x] = from[(r + y) * n + c + x];
      for (int y = 0; y < kTile; y++)
        for (int x = 0; x < kTile; x++) to[(c + y) * n + r + x] = tile[x][y];
    }
  }
}

void hotspot(const float *temperature, const float *power, float *to, int n) {
#pragma omp parallel for
  for (int r = 0; r < n; r++) {
    const float *here = temperature + r * n, *above = temperature + std::max(r - 1, 0) * n,
                *below = temperature + std::min(r + 1, n - 1) * n;
    for (int c = 0; c < n; c++) {
      const float center = here[c], left = here[c > 0 ? c - 1 : 0], right = here[c < n - 1 ? c + 1 : n - 1];
      to[r * n + c] = center + 0.1f * (power[r * n + c] + (above[c] + below[c] - 2.0f * center) * 0.5f +
                                       (left + right - 2.0f * center) * 0.25f + (80.0f - center) * 0.01f);
    }
  }
}

void srad_coefficients(const float *image, float *coefficient, float *north, float *south, float *west, float *east,
                       int n) {
#pragma omp parallel for
  for (int r = 0; r < n; r++) {
    const float *here = image + r * n, *above = image + std::max(r - 1, 0) * n,
                *below = image + std::min(r + 1, n - 1) * n;
    for (int c = 0; c < n; c++) {
      const int k = r * n + c;
      const float center = here[c], dn = above[c] - center, ds = below[c] - center,
                  dw = here[c > 0 ? c - 1 : 0] - center, de = here[c < n - 1 ? c + 1 : n - 1] - center;
      const float g = (dn * dn + ds * ds + dw * dw + de * de) / (center * center), l = (dn + ds + dw + de) / center;
      const float num = 0.5f * g - 0.0625f * (l * l), den = 1.0f + 0.25f * l, q = num / (den * den);
      const float value = 1.0f / (1.0f + (q - 0.05f) / (0.05f * (1.0f + 0.05f)));
      north[k] = dn, south[k] = ds, west[k] = dw, east[k] = de;
      coefficient[k] = value < 0 ? 0 : value > 1 ? 1 : value;
    }
  }
}

void srad_image(float *image, const float *coefficient, const float *north, const float *south, const float *west,
                const float *east, int n) {
#pragma omp parallel for
  for (int r = 0; r < n; r++) {
    const int below = std::min(r + 1, n - 1) * n;
    for (int c = 0; c < n; c++) {
      const int k = r * n + c;
      const float mine = coefficient[k], divergence = mine * north[k] + coefficient[below + c] * south[k] +
                                                      mine * west[k] +
                                                      coefficient[r * n + (c < n - 1 ? c + 1 : n - 1)] * east[k];
      image[k] += 0.125f * divergence;
    }
  }
}

void nbody(const float *bodies, float *accelerations, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const float x = bodies[4 * i], y = bodies[4 * i + 1], z = bodies[4 * i + 2];
    float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
    for (int j = 0; j < n; j++) {
      const float dx = bodies[4 * j] - x, dy = bodies[4 * j + 1] - y, dz = bodies[4 * j + 2] - z;
      const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
      const float s = bodies[4 * j + 3] * inverse * inverse * inverse;
      ax += dx * s, ay += dy * s, az += dz * s;
    }
    accelerations[4 * i] = ax, accelerations[4 * i + 1] = ay, accelerations[4 * i + 2] = az;
    accelerations[4 * i + 3] = 0;
  }
}

}  // namespace bench

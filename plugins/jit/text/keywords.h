// plugins/jit/text/keywords.h -- CUDA C++'s keywords that mean the same for every target, and its types of sizes and
// times.
#ifndef GPUOPT_PLUGINS_JIT_TEXT_KEYWORDS_H_
#define GPUOPT_PLUGINS_JIT_TEXT_KEYWORDS_H_

#define __forceinline__ inline __attribute__((__always_inline__))
#define __noinline__ __attribute__((__noinline__))
#define __align__(...) __attribute__((__aligned__(__VA_ARGS__)))
#define __grid_constant__
#define __inline__ inline
#define __inline_hint__ inline
#define __nv_pure__ __attribute__((__pure__))
#define __cluster_dims__(...)
#define __maxnreg__(...)

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef long clock_t;

#endif  // GPUOPT_PLUGINS_JIT_TEXT_KEYWORDS_H_

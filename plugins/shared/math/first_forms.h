// plugins/shared/math/first_forms.h -- the compiler's own functions, standing in where ours are not written yet
#ifndef GPUOPT_PLUGINS_SHARED_MATH_FIRST_FORMS_H_
#define GPUOPT_PLUGINS_SHARED_MATH_FIRST_FORMS_H_

#if defined(__CUDA_ARCH__)
#define GPO_LIBM(name) ::name
#else
#define GPO_LIBM(name) __builtin_##name
#endif

#endif

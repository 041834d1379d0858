// plugins/shared/words/thrust/thrust.h -- namespace thrust for kernels, all of it.
//
// Within a kernel each thread runs an algorithm alone, whatever policy it is given, as Thrust has it for thrust::seq.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_THRUST_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_THRUST_H_

#include "plugins/shared/words/thrust/thrust_algorithms.h"
#include "plugins/shared/words/thrust/thrust_functions.h"
#include "plugins/shared/words/thrust/thrust_iterators.h"
#include "plugins/shared/words/thrust/thrust_random.h"
#include "plugins/shared/words/thrust/thrust_sort.h"

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_THRUST_H_

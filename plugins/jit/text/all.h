// plugins/jit/text/all.h -- all headers that kernels include, to be precompiled when the plugin is built
// (plugins/jit/compile/frontend.h)
#include "plugins/jit/text/launch.h"
#if defined(GPO_RAW_KERNEL)
#include "plugins/jit/text/thread.h"
#endif
#include "plugins/jit/text/atomics.h"
#include "plugins/jit/text/entry.h"
#include "plugins/jit/text/host_calls.h"
#if defined(GPO_RAW_KERNEL)
#include "plugins/jit/text/launches.h"
#endif
#include "plugins/shared/ops/scalar_ops.h"
#include "plugins/shared/user/functions_all.h"
#include "plugins/shared/user/gufunc.h"
#include "plugins/shared/user/random.h"
#if defined(GPO_RAW_KERNEL)
#include "plugins/shared/user/raw.h"
#endif
#include "plugins/shared/user/reduction.h"
#include "plugins/shared/user/stencil.h"
#include "plugins/shared/words/atomic.h"
#include "plugins/shared/words/constants.h"
#if defined(GPO_RAW_KERNEL)
#include "plugins/shared/words/legacy.h"
#endif
#include "plugins/shared/words/mathematics.h"
#include "plugins/shared/words/special.h"
#include "plugins/shared/words/standard.h"

// plugins/shared/user/raw.h -- what stands before a raw kernel's text: the names of types; built-in variables are the
// compiler's
#ifndef GPUOPT_PLUGINS_SHARED_USER_RAW_H_
#define GPUOPT_PLUGINS_SHARED_USER_RAW_H_

#include "plugins/shared/user/signature.h"
#include "plugins/shared/user/types.h"

#endif  // GPUOPT_PLUGINS_SHARED_USER_RAW_H_

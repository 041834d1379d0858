// tests/unit/random_level.cpp -- random_level() for one instruction set level, named by GPO_LEVEL
#include "tests/unit/random_level.h"

void GPO_LEVEL(gpo::u64 *results) { random_level(results); }

// tests/unit/math_level.cpp -- math_level() for one instruction set level, named by GPO_LEVEL
#include "tests/unit/math_level.h"

int GPO_LEVEL(MathLevelResult *results) { return math_level(results); }

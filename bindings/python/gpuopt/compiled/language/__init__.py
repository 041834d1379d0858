# bindings/python/gpuopt/compiled/language/__init__.py -- what of Python compiled functions have beyond numbers, arrays
# and loops. The classes of these modules are parts of gpuopt.compiled.lowering.Lowering.

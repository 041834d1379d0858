# bindings/python/gpuopt/compiled/cuda_package/texture.py -- gpuopt.cuda.texture, as cupy.cuda.texture is imported.
"""cupy.cuda.texture: see gpuopt/_texture.py."""

from gpuopt._texture import *  # noqa: F403

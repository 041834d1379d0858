# samples/python/articles/002_15_matrices.py -- random matrices
import cupy as cp
A = cp.random.rand(3, 3).astype('float32')
B = cp.random.rand(3, 3).astype('float32')
C = cp.dot(A, B)
print("\u77e9\u9635 A:\n", A)
print("\u77e9\u9635 B:\n", B)
print("\u77e9\u9635 A \u548c B \u7684\u4e58\u79ef:\n", C)
import numpy as np
numpy_C = C.get()
sum_C = cp.sum(C)
print("\u77e9\u9635 C \u7684\u603b\u548c:", sum_C)
del A, B, C
cp.get_default_memory_pool().free_all_blocks()

from numba import jit
@jit
def my_function(x: float) -> float:
    return x * x
result = my_function(10.5)
print(result) # 输出 110.25

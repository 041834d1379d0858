from numba import jit
@jit
def function(x):
    # your loop or numerically intensive computations
    return x
print(function(3), function(2.5))

from numba import jit
@jit('float64(float64)', nopython=True) # 指定输入和输出类型,括号内的是参数类型,括号外的是返回值类型
def my_function(x):
    return x * x
x = 112.0
print(my_function(x))

from numba import cuda
import numpy as np
# 定义一个简单的cuda内核
@cuda.jit()
def add_kernel(x, y, z, n):
    i = cuda.grid(1)
    if i < n: # 确保不会超出数组边界
        z[i] = x[i] + y[i]
# 主函数
def main():
    n = 256
    x = cuda.device_array(n, dtype=np.int32) # 直接在GPU上创建数据,占用GPU显存
    y = cuda.device_array(n, dtype=np.int32)
    z = cuda.device_array(n, dtype=np.int32)
    # 初始化数据
    for i in range(n):
        x[i] = i
        y[i] = 2 * i
    # 计算线程块大小和网格大小, 线程块是一组可以同时执行的线程集合
    threadsperblock = 32 # 这意味着每个线程块将包含256个线程。
    blockspergrid = (n + (threadsperblock - 1)) // threadsperblock # 定义每个网格内的块的个数
    # 启动内核
    add_kernel[blockspergrid, threadsperblock](x, y, z, n)
    # 将结果从GPU复制回主机
    result = z.copy_to_host()
    print(result)
if __name__ == '__main__':
    main()

# samples/python/articles/000_2_gen_data_cupy.py -- array_module by name
from gpuoptional import array_module


def gen_data(size, seed=1, xp=None):
    xp = array_module(xp)
    rng = xp.random.RandomState(seed=seed)
    a = rng.choice([0.0, 1.0, 2.0, xp.nan], size=size)
    return a


a = gen_data((1_000,100_000),xp='cupy')
print(type(a))
print(a[:3,:3]) # print 1st 3 rows & cols

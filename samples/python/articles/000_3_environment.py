# samples/python/articles/000_3_environment.py -- ARRAY_MODULE in the environment
from gpuoptional import array_module


def gen_data(size, seed=1, xp=None):
    xp = array_module(xp)
    rng = xp.random.RandomState(seed=seed)
    a = rng.choice([0.0, 1.0, 2.0, xp.nan], size=size)
    return a


# 'patch' is a nice built-in Python function that can temporarily
# add an item to a dictionary, including os.environ.
from unittest.mock import patch

with patch.dict("os.environ", {"ARRAY_MODULE": "cupy"}) as _:
    a = gen_data((5, 5))
    print(type(a))

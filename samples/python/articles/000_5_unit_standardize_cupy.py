# samples/python/articles/000_5_unit_standardize_cupy.py -- get_array_module, for arrays of gpuopt
import numpy as np
from gpuoptional import array_module, get_array_module


def gen_data(size, seed=1, xp=None):
    xp = array_module(xp)
    rng = xp.random.RandomState(seed=seed)
    a = rng.choice([0.0, 1.0, 2.0, xp.nan], size=size)
    return a


def unit_standardize(a):
    """
    Standardize array to zero-mean and unit standard deviation.
    """
    xp = get_array_module(a)

    assert a.dtype in [
        np.float64,
        np.float32,
    ], "a must be a float in order to standardize in place."

    imissX = xp.isnan(a)
    snp_std = xp.nanstd(a, axis=0)
    snp_mean = xp.nanmean(a, axis=0)
    # avoid div by 0 when standardizing
    snp_std[snp_std == 0.0] = xp.inf

    a -= snp_mean
    a /= snp_std
    a[imissX] = 0


a = gen_data((1_000,100_000), xp='cupy')
unit_standardize(a)
print(type(a))
print(a[:3,:3]) #1st 3 rows and cols

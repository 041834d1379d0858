# samples/standardize_python/standardize.py -- one program for machines with a GPU and without: standardizes columns.
"""Makes a matrix with missing values on the device it is asked for, or on the CPU where that cannot work, brings every
column to mean 0 and standard deviation 1 with 0 for what was missing, and writes the result as .npy.

usage: standardize.py [DEVICE [OUTPUT.npy [ROWS COLUMNS]]], by default cuda standardized.npy 1000 100000
"""
import sys

import gpuopt as gp


def gen_data(rows, columns):
    """A matrix of 0, 1, 2 and NaN, as numpy.random.RandomState(1).choice([0, 1, 2, nan], (rows, columns)) gives."""
    return gp.random.RandomState(seed=1).choice([0.0, 1.0, 2.0, gp.nan], size=(rows, columns))


def unit_standardize(a):
    """Brings each column of a to mean 0 and standard deviation 1, in place; missing values become 0."""
    xp = gp.get_array_module(a)
    missing = xp.isnan(a)
    deviation, mean = xp.nanstd(a, axis=0), xp.nanmean(a, axis=0)
    deviation[deviation == 0.0] = xp.inf  # avoid dividing by 0
    a -= mean
    a /= deviation
    a[missing] = 0


def print_corner(a):
    print(f"{a.dtype} array of {a.shape[0]} x {a.shape[1]} on {a.device}\n{a[:3, :3]}")


def main(request="cuda", output="standardized.npy", rows="1000", columns="100000"):
    with gp.Device(request) as device:
        print(f"asked for {request}, using {device}")
        a = gen_data(int(rows), int(columns))
        print_corner(a)
        unit_standardize(a)
        print_corner(a)
        gp.save(output, a)
    print("wrote", output)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (ValueError, gp.Unavailable) as error:
        sys.exit(f"{sys.argv[0].rpartition('/')[2]}: {getattr(error, 'code', type(error).__name__)}: {error}")

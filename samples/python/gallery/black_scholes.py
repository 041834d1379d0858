# samples/python/gallery/black_scholes.py -- the price of European options by Black's and Scholes's formula.
"""Prices of a million options by the formula of Black and Scholes (Journal of Political Economy 81, 1973)."""

import math

import gpuopt as gp
import numpy as np
import picture

COUNT, RATE, VOLATILITY = 1_000_000, 0.02, 0.3


def normal(x):
    """The distribution function of the normal distribution: by Zelen and Severo (Abramowitz and Stegun 26.2.17), whose
    error is below 7.5e-8."""
    k = 1 / (1 + 0.2316419 * abs(x))
    series = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = gp.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) * series
    return gp.where(x > 0, 1 - tail, tail)


def prices(stock, strike, years):
    """Of the options to buy and to sell."""
    spread = VOLATILITY * gp.sqrt(years)
    d1 = (gp.log(stock / strike) + (RATE + 0.5 * VOLATILITY**2) * years) / spread
    d2 = d1 - spread
    discounted = strike * gp.exp(-RATE * years)
    return stock * normal(d1) - discounted * normal(d2), discounted * normal(-d2) - stock * normal(-d1)


def exact(stock, strike, years):
    """One price to buy, with the error function of Python's."""
    spread = VOLATILITY * math.sqrt(years)
    d1 = (math.log(stock / strike) + (RATE + 0.5 * VOLATILITY**2) * years) / spread
    p1, p2 = (0.5 * math.erfc(-d / math.sqrt(2)) for d in (d1, d1 - spread))
    return stock * p1 - strike * math.exp(-RATE * years) * p2


def main():
    plot = picture.wanted(__doc__)
    rng = np.random.default_rng(8)
    stock, strike, years = rng.uniform(5, 30, COUNT), rng.uniform(1, 100, COUNT), rng.uniform(0.25, 10, COUNT)
    s, k, t = gp.asarray(stock), gp.asarray(strike), gp.asarray(years)
    call, put = prices(s, k, t)

    expected = [exact(*row) for row in zip(stock[:1000], strike[:1000], years[:1000])]
    np.testing.assert_allclose(gp.asnumpy(call[:1000]), expected, atol=1e-5)
    # Parity: to buy less to sell is the stock less the discounted strike.
    assert float(abs(call - put - (s - k * gp.exp(-RATE * t))).max()) < 1e-5
    print(f"{COUNT} options; on average {float(call.mean()):.3f} to buy and {float(put.mean()):.3f} to sell")
    if plot:
        picture.save(lambda a: a.scatter(stock[:2000] / strike[:2000], call[:2000], s=2), "Options to buy")


main()

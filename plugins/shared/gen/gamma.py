# plugins/shared/gen/gamma.py -- coefficients of math/gamma.h (needs mpmath): python gamma.py
from mpmath import mp, bernoulli, euler, log, mpf, pi, zeta

mp.prec = 300


def parts(v):
    hi = float(v)
    return hi.hex(), float(v - mpf(hi)).hex()


print("lgamma(1 + e): -euler", parts(-euler), "then zeta(k) (-e)^k / k from k = 2")
print([float(zeta(k) * (-1) ** k / k).hex() for k in range(2, 17)])
print("lgamma(2 + e): 1 - euler", parts(1 - euler), "then (zeta(k) - 1) (-e)^k / k from k = 2")
print([float((zeta(k) - 1) * (-1) ** k / k).hex() for k in range(2, 14)])
print("Stirling's series: B(2k) / (2k (2k - 1))")
print([float(bernoulli(2 * k) / (2 * k * (2 * k - 1))).hex() for k in range(1, 11)])
print("log(2 pi) / 2 - 1/2", parts(log(2 * pi) / 2 - mpf(1) / 2), "log(pi)", parts(log(pi)))

# plugins/shared/gen/digamma.py -- coefficients of math/digamma.h (needs mpmath): python digamma.py
from mpmath import bernoulli, digamma, factorial, findroot, mp, mpf, psi

mp.prec = 300


def parts(v):
    hi = float(v)
    return hi.hex(), float(v - mpf(hi)).hex()


print("the asymptotic series: -B(2k) / (2k)", [float(-bernoulli(2 * k) / (2 * k)).hex() for k in range(1, 12)])
zero = findroot(digamma, mpf("1.4616321449683623"))
print("the positive zero", parts(zero), "the slope there", parts(psi(1, zero)))
print("then psi(k, zero) / k!", [float(psi(k, zero) / factorial(k)).hex() for k in range(2, 18)])

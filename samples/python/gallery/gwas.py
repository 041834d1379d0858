# samples/python/gallery/gwas.py -- which of 5,000 genetic variants go with a trait: one regression for each of them.
"""A genome-wide association study: all regressions at once, by one product of matrices."""

import gpuopt as gp
import numpy as np
import picture

PEOPLE, VARIANTS, CAUSAL = 1000, 5000, (700, 2500, 4200)


def statistics(xp, genotypes, trait):
    """Student's t of the slope of each variant's regression."""
    centred = genotypes - genotypes.mean(axis=0)
    y = trait - trait.mean()
    r = (centred.T @ y) / xp.sqrt((centred**2).sum(axis=0) * (y**2).sum())
    return r * xp.sqrt((PEOPLE - 2) / (1 - r**2))


def main():
    plot = picture.wanted(__doc__)
    rng = np.random.default_rng(7)
    genotypes = rng.binomial(2, rng.uniform(0.1, 0.5, VARIANTS), (PEOPLE, VARIANTS)).astype(float)
    trait = genotypes[:, CAUSAL] @ [0.6, -0.6, 0.6] + rng.normal(size=PEOPLE)
    t = gp.asnumpy(statistics(gp, gp.asarray(genotypes), gp.asarray(trait)))

    np.testing.assert_allclose(t, statistics(np, genotypes, trait), rtol=1e-8, atol=1e-9)
    # One regression, by least squares.
    design = np.column_stack([np.ones(PEOPLE), genotypes[:, 700]])
    slope, rest = (part for part in np.linalg.lstsq(design, trait, rcond=None)[:2])
    error = np.sqrt(rest[0] / (PEOPLE - 2) * np.linalg.inv(design.T @ design)[1, 1])
    np.testing.assert_allclose(t[700], slope[1] / error, rtol=1e-9)
    assert set(np.argsort(abs(t))[-3:]) == set(CAUSAL)
    print("the strongest associations:", sorted(np.argsort(abs(t))[-3:].tolist()))
    if plot:
        picture.save(lambda a: a.plot(abs(t), ".", markersize=2), "|t| of each variant")


main()

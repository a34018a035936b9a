#!/usr/bin/env python3
"""Prints the polynomial coefficients of padless/core/coefficients.h.

Each is fitted with mpmath (from PyPI) by interpolation of the stated function in Chebyshev's nodes,
refined by Remez's exchange, and rounded to float from the lowest power up, the rest being fitted
again after each rounding.
usage: fit_polynomials.py
"""
import struct

import mpmath as mp

mp.mp.dps = 50


def as_float(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def remez(f, weight, low, high, degree, fixed):
    """Minimax of weight(x) * (f(x) - sum c_k x^k) with the first len(fixed) coefficients given."""
    free = degree + 1 - len(fixed)
    points = [
        (low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * (free + 1)))
        for i in range(free + 1)
    ][::-1]

    def rest(x):
        return f(x) - sum(mp.mpf(c) * x**k for k, c in enumerate(fixed))

    coefficients = None
    for _ in range(12):
        system = mp.matrix(free + 1, free + 1)
        right = mp.matrix(free + 1, 1)
        for i, x in enumerate(points):
            for j in range(free):
                system[i, j] = x ** (j + len(fixed))
            system[i, free] = (-1) ** i / weight(x)
            right[i] = rest(x)
        solution = mp.lu_solve(system, right)
        coefficients = list(solution)[:free]

        def error(x):
            return weight(x) * (rest(x) - sum(c * x ** (j + len(fixed)) for j, c in enumerate(coefficients)))

        samples = [low + (high - low) * mp.mpf(i) / 1000 for i in range(1001)]
        values = [error(x) for x in samples]
        extremes = []
        for x, value in zip(samples, values):
            if extremes and (extremes[-1][1] < 0) == (value < 0):
                if abs(value) > abs(extremes[-1][1]):
                    extremes[-1] = (x, value)
            else:
                extremes.append((x, value))
        if len(extremes) < free + 1:
            break
        while len(extremes) > free + 1:
            extremes.pop(0 if abs(extremes[0][1]) < abs(extremes[-1][1]) else -1)
        points = [x for x, _ in extremes]
    return coefficients


def fit(name, f, weight, low, high, degree, fixed=()):
    done = list(fixed)
    while len(done) <= degree:
        done.append(as_float(remez(f, weight, mp.mpf(low), mp.mpf(high), degree, done)[0]))
    worst = max(
        abs(weight(x) * (f(x) - sum(mp.mpf(c) * x**k for k, c in enumerate(done))))
        for x in [mp.mpf(low) + (mp.mpf(high) - mp.mpf(low)) * i / 4000 for i in range(4001)]
    )
    print(f"// {name}: worst relative error {float(worst):.2e}")
    print(", ".join(float(c).hex() + "f" for c in done))


def series(f, terms, x):
    """f near 0, where its own formula cancels."""
    return f(x) if abs(x) > mp.mpf("1e-8") else terms(x)


fit("exp on [-ln2/2, ln2/2]", mp.exp, lambda x: mp.exp(-x), -mp.log(2) / 2 * 1.0001,
    mp.log(2) / 2 * 1.0001, 6, [1.0, 1.0])

# tanh x = x + x * s * p(s), s = x * x, |x| <= 0.625
tanh_rest = lambda s: series(lambda t: (mp.tanh(mp.sqrt(t)) / mp.sqrt(t) - 1) / t,
                             lambda t: -mp.mpf(1) / 3 + 2 * t / 15, s)
fit("tanh, |x| <= 0.625", tanh_rest, lambda s: s * mp.sqrt(max(s, mp.mpf("1e-30"))) / mp.tanh(mp.sqrt(max(s, mp.mpf("1e-30")))) + mp.mpf("1e-9"),
    0, mp.mpf("0.625") ** 2, 5)

# log(1 + f) = f - f^2/2 + f^3 * p(f), sqrt(1/2) <= 1 + f < sqrt(2)
log_rest = lambda f: series(lambda t: (mp.log(1 + t) - t + t * t / 2) / t**3,
                            lambda t: mp.mpf(1) / 3 - t / 4, f)
fit("log, 1 + f in [sqrt(1/2), sqrt(2)]", log_rest,
    lambda f: abs(f) ** 3 / abs(mp.log(1 + f)) + mp.mpf("1e-9") if f != 0 else mp.mpf("1e-9"),
    mp.sqrt(mp.mpf(1) / 2) - 1, mp.sqrt(2) - 1, 8)

# 1 - Phi(a) = exp(-a^2 / 2) * p(t) / (a + 4), t = (a - 4) / (a + 4), 0 <= a <= 12.9
CENTRE = mp.mpf(4)


def normal_rest(t):
    a = CENTRE * (1 + t) / (1 - t)
    return mp.erfc(a / mp.sqrt(2)) / 2 * mp.exp(a * a / 2) * (a + CENTRE)


fit("Phi, |x| <= 12.9", normal_rest, lambda t: 1 / normal_rest(t), -1,
    (mp.mpf("12.9") - CENTRE) / (mp.mpf("12.9") + CENTRE), 9)

// Elementary functions in double that are the same on every machine, for random draws and
// schedules: libm's differ between versions.
#pragma once

#include "padless/core/export.h"

namespace padless::math {

/// The natural logarithm, within 1.5 ulp; -inf for 0, NaN below 0.
PADLESS_API double log(double x);
/// Cosine and sine of an angle in radians, within 2 ulp of one for |x| <= 1000; beyond that the
/// reduction loses digits.
PADLESS_API double cos(double x);
PADLESS_API double sin(double x);
/// e to the power x, within 2 ulp; 0 below -745.2, infinity above 709.8.
PADLESS_API double exp(double x);
/// base^exponent for a base above 0, as exp(exponent * log(base)): the relative error is about
/// 2^-52 * |exponent * log(base)|.
PADLESS_API double pow(double base, double exponent);

}  // namespace padless::math

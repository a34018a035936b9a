// Numbers as text: the same bytes on every machine and in every locale.
#pragma once

#include <string>

#include "padless/core/export.h"

namespace padless::viz {

/// `value` with exactly `decimals` digits after the point (0..17), never "-0"; "n/a" when it is not
/// a finite number.
PADLESS_API std::string fixed(double value, int decimals);

/// The same without zeros at the end: 1.50 is "1.5", 2.00 is "2".
PADLESS_API std::string trimmed(double value, int most_decimals);

/// A few digits and an exponent: 0.00001 is "1e-5".
PADLESS_API std::string scientific(double value, int decimals);

}  // namespace padless::viz

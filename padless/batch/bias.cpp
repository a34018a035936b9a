#include "padless/batch/bias.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "padless/batch/mask_shapes.h"
#include "padless/core/error.h"
#include "padless/core/fp.h"
#include "padless/core/math.h"

namespace padless {
namespace {

void require_float(const char* where, const MaskArray& array) {
  require_value(array.is_float(), where, ": the array is ", array.text(), ", expected float",
                kOfHint);
}

}  // namespace

Bias Bias::of(const MaskArray& array, const AttentionSizes& sizes) {
  constexpr const char* kWhere = "Bias::of";
  require_float(kWhere, array);
  const PlacedDims dims = place(kWhere, array, sizes, RankTwo::either);
  return Bias(spread<float>(dims, sizes, [&](std::size_t i) {
    const float number = array.number(i);
    require_value(std::isfinite(number), kWhere, ": cell ", i, " of ", array, " is ", number,
                  ", expected a finite number",
                  number < 0 ? " (AdditiveMask::from_additive takes -inf)" : "");
    return number;
  }));
}

AdditiveMask AdditiveMask::from_additive(const MaskArray& array, const AttentionSizes& sizes,
                                         std::optional<HeadOrder> order) {
  constexpr const char* kWhere = "AdditiveMask::from_additive";
  require_float(kWhere, array);
  const auto dropped = [](float number) { return number <= kDropAtMost; };
  bool zeros_and_ones = true, ones = false, others = false;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const float number = array.number(i);
    require_value(number < std::numeric_limits<float>::infinity(), kWhere, ": cell ", i, " of ",
                  array, " is ", number, ", expected a finite number or -inf");
    zeros_and_ones = zeros_and_ones && (number == 0 || number == 1);
    ones = ones || number == 1;
    others = others || (number != 0 && !dropped(number));
  }
  require_value(!zeros_and_ones || !ones, kWhere, ": refused: the float mask ", array.text(),
                " contains only 0 and 1; use ",
                array.rank() < 4 ? "for it, given [B, H, L, S], " : "",
                "KeepMask::of (1 = may attend), DropMask::of (1 = may not) or Bias::of (added to "
                "scores)");
  std::optional<TorchDims> torch;
  if (order) torch.emplace(kWhere, array, sizes, order);
  const PlacedDims dims = torch ? torch->dims() : place(kWhere, array, sizes, RankTwo::either);
  const auto number_at = [&](std::size_t i) { return array.number(torch ? torch->cell(i) : i); };
  AdditiveMask mask;
  mask.keep = KeepMask(spread<std::uint8_t>(dims, sizes, [&](std::size_t i) {
    return static_cast<std::uint8_t>(!dropped(number_at(i)));
  }));
  if (others) {
    mask.bias = Bias(spread<float>(
        dims, sizes, [&](std::size_t i) { return dropped(number_at(i)) ? 0.0f : number_at(i); }));
  }
  return mask;
}

std::vector<float> alibi_slopes(std::size_t heads) {
  std::vector<float> slopes;
  if (heads == 0) return slopes;
  const FpEnvironment environment;
  // The ratio 2^(-8 / n) by square roots and its powers by products: exact rules everywhere,
  // where pow differs between libraries.
  const auto add = [&](std::size_t n, std::size_t step) {
    double ratio = 0x1p-8;
    for (std::size_t halved = n; halved > 1; halved /= 2) ratio = std::sqrt(ratio);
    double slope = ratio;
    for (std::size_t i = 1; i <= n && slopes.size() < heads; i += step) {
      slopes.push_back(static_cast<float>(slope));
      for (std::size_t s = 0; s < step; ++s) slope *= ratio;
    }
  };
  const std::size_t n = std::bit_floor(heads);
  add(n, 1);
  add(2 * n, 2);
  return slopes;
}

std::size_t T5Buckets::bucket(std::ptrdiff_t distance) const {
  const std::size_t sided = bidirectional ? count / 2 : count;
  const std::size_t near = sided / 2;
  require_value(near >= 1 && (!bidirectional || count % 2 == 0) && max_distance > near,
                "T5Buckets: ", count, " buckets up to distance ", max_distance,
                ", expected at least ", bidirectional ? "4 buckets, an even number" : "2 buckets",
                " and a distance beyond ", near, " (those with a bucket each)");
  std::size_t first = 0;
  if (distance > 0 && !bidirectional) distance = 0;
  if (distance > 0) first = sided;
  const std::size_t steps = distance > 0 ? static_cast<std::size_t>(distance)
                                         : std::size_t{0} - static_cast<std::size_t>(distance);
  if (steps < near) return first + steps;
  if (steps >= max_distance) return first + sided - 1;
  const FpEnvironment environment;
  // In float, as the published code: trained tables depend on where it rounds.
  const auto log = [](double x) { return static_cast<float>(math::log(x)); };
  const float share = log(static_cast<float>(steps) / static_cast<float>(near)) /
                      log(static_cast<double>(max_distance) / static_cast<double>(near));
  const auto far = static_cast<std::size_t>(share * static_cast<float>(sided - near));
  return first + std::min(near + far, sided - 1);
}

}  // namespace padless

// The contract as one call: what every op, layer and model has to keep, tested in one way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"
#include "padless/reference/math.h"

namespace padless::testing {

/// What an operand has a row for. A source row is one of another side with lengths of its own, one
/// source a sequence: the keys of a cross-attention.
enum class Axis { rows, sequences, source_rows, fixed };

/// One matrix that goes into a subject or comes out of it.
struct Operand {
  std::string name;
  Axis axis = Axis::rows;
  std::size_t cols = 1;
  std::size_t fixed_rows = 1;    ///< of an operand of Axis::fixed
  bool has_gradient = true;      ///< of an output: has an upstream gradient; of an input: gets one
  double deviation = 1;          ///< of the normal draws that fill an input
  bool may_be_infinite = false;  ///< an output that is infinite where there is nothing
  bool of_no_rows = false;       ///< a parameter that a sequence without rows reaches, too
  bool shared = false;           ///< a parameter of several layers: each adds to its gradient
};

/// The operands of one run, in the order of the subject's lists. Vectors are matrices of one
/// column without gaps; see flat().
template <class Real>
struct Operands {
  std::vector<MatrixView<const Real>> inputs, parameters;
  std::vector<MatrixView<Real>> outputs;                 ///< written
  std::vector<MatrixView<const Real>> d_outputs;         ///< of the outputs with a gradient
  std::vector<MatrixView<Real>> d_inputs;                ///< written, of the inputs with a gradient
  std::vector<MatrixView<Real>> d_parameters;            ///< added to
  const std::vector<std::size_t>* ids = nullptr;         ///< one a row, where the subject asks
  const std::vector<std::size_t>* source_ids = nullptr;  ///< one a source row, likewise
  const std::vector<std::size_t>* labels = nullptr;      ///< one a sequence, where the subject asks
  const Segments* sources = nullptr;                     ///< the rows of Axis::source_rows
};

/// A matrix of one row or one column as a span.
template <class Real>
std::span<Real> flat(MatrixView<Real> view) {
  return {view.data(), view.rows() * view.cols()};
}

/// Ids as ops take them.
inline std::vector<std::int32_t> int32s(const std::vector<std::size_t>& ids) {
  return {ids.begin(), ids.end()};
}

/// An op, layer or model: what it takes and gives, how it runs (forward, then backward), and its
/// reference, if it has one.
struct Subject {
  template <class Real>
  using Reference = std::function<void(const Pass&, const Segments&, const Operands<Real>&)>;

  std::string name;
  std::vector<Operand> inputs, parameters, outputs;
  std::size_t ids_below = 0;         ///< ids are drawn from [0, ids_below)
  std::size_t source_ids_below = 0;  ///< those of source rows likewise
  std::size_t labels_below = 0;      ///< labels likewise
  /// The parameters that have a row for each id, and for each source's id, if any.
  std::string id_table, source_id_table;
  /// How often an operand is moved to compare its gradient with finite differences. All its
  /// elements are: where it has more, several at once.
  std::size_t probes = 150;
  /// Forward, then backward.
  std::function<void(Runtime&, const Pass&, const Segments&, const Operands<float>&)> run;
  Reference<float> in_float;
  Reference<double> in_double;
  Reference<reference::Plain> in_plain;

  /// Sets the three references from one generic lambda []<class Real>(pass, segs, operands).
  template <class Generic>
  void set_reference(Generic generic) {
    in_float = [generic](const auto&... all) { generic.template operator()<float>(all...); };
    in_double = [generic](const auto&... all) { generic.template operator()<double>(all...); };
    in_plain = [generic](const auto&... all) {
      generic.template operator()<reference::Plain>(all...);
    };
  }
};

/// Expects of the subject, on every instruction set of this machine and with 1, 2 and 3 threads:
/// * the bits of its float reference, outputs and gradients, nothing forgotten, nothing overrun;
/// * each sequence's bits alone and in company: random companions and orders, also companions of
///   NaN and infinity, without shards, with one and with many;
/// * the same bits after a way through padded arrays: pads on the left, on the right and between
///   the rows, which hold NaN, infinities and 1e30;
/// * gradients of parameters added to what was there;
/// * no sequences, empty sequences and single rows;
/// and of its reference: float as close to double as plain loops are, double's gradients equal to
/// finite differences.
void expect_contract(const Subject& subject);

/// Calls body(runtime) with a Runtime for every instruction set of this machine and 1, 2 and 3
/// threads. With PADLESS_ISA set: for that set alone.
void for_each_runtime(const std::function<void(Runtime&)>& body);

}  // namespace padless::testing

#include "padless/batch/bucket.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "padless/core/error.h"
#include "padless/core/rng.h"

namespace padless {
namespace {

// The generator's streams from here on are the shuffles', one an epoch.
constexpr std::uint32_t kFirstStream = std::uint32_t{1} << 31;

template <class T>
void shuffle(std::vector<T>& values, Rng& rng) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[rng.below(i)]);
}

void require_items(std::span<const std::size_t> batch, std::size_t items) {
  for (const std::size_t item : batch) {
    require_value(item < items, "padding: a batch holds item ", item, ", expected less than ",
                  items, " (the size of the corpus)");
  }
}

}  // namespace

Batches bucket(const Segments& items, const BucketOptions& options, std::uint32_t epoch) {
  require_value(options.batch_tokens > 0 && options.batch_items > 0 && options.window > 0,
                "bucket: batch_tokens is ", options.batch_tokens, ", batch_items ",
                options.batch_items, ", window ", options.window, ", expected 1 or more each");
  require_value(epoch < kFirstStream, "bucket: epoch is ", epoch, ", expected less than ",
                kFirstStream);
  Rng rng(options.seed, kFirstStream + epoch);
  std::vector<std::size_t> order(items.count());
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(order, rng);

  std::vector<Segments::Rows> runs;
  for (std::size_t begin = 0; begin < order.size();) {
    const std::size_t end = begin + std::min(options.window, order.size() - begin);
    const auto window = std::span(order).subspan(begin, end - begin);
    std::ranges::stable_sort(window, {}, [&](std::size_t item) { return items.length(item); });
    while (begin < end) {
      Segments::Rows run = {begin, begin + 1};
      std::size_t tokens = items.length(order[begin]);
      while (run.end < end && run.size() < options.batch_items &&
             tokens + items.length(order[run.end]) <= options.batch_tokens) {
        tokens += items.length(order[run.end++]);
      }
      runs.push_back(run);
      begin = run.end;
    }
  }
  shuffle(runs, rng);

  Batches batches;
  std::vector<std::size_t> sizes;
  batches.items.reserve(order.size());
  for (const Segments::Rows& run : runs) {
    const auto batch = std::span(order).subspan(run.begin, run.size());
    batches.items.insert(batches.items.end(), batch.begin(), batch.end());
    sizes.push_back(run.size());
  }
  batches.cuts = Segments::from_lengths(std::span<const std::size_t>(sizes));
  return batches;
}

Batches in_arrival_order(std::size_t items, std::size_t batch_items) {
  require_value(batch_items > 0, "in_arrival_order: batch_items is 0, expected 1 or more");
  Batches batches;
  batches.items.resize(items);
  std::iota(batches.items.begin(), batches.items.end(), std::size_t{0});
  std::vector<std::size_t> sizes(items / batch_items, batch_items);
  if (items % batch_items != 0) sizes.push_back(items % batch_items);
  batches.cuts = Segments::from_lengths(std::span<const std::size_t>(sizes));
  return batches;
}

Padding padding(const Segments& items, const Batches& batches) {
  Padding total;
  for (std::size_t i = 0; i < batches.count(); ++i) {
    require_items(batches[i], items.count());
    std::size_t longest = 0;
    for (const std::size_t item : batches[i]) {
      longest = std::max(longest, items.length(item));
      total.real += items.length(item);
    }
    total.slots += batches[i].size() * longest;
  }
  return total;
}

Padding padding(const NestedSegments& documents, const Batches& batches) {
  Padding total;
  for (std::size_t i = 0; i < batches.count(); ++i) {
    require_items(batches[i], documents.documents().count());
    std::size_t sentences = 0, words = 0;
    for (const std::size_t document : batches[i]) {
      const Segments::Rows its = documents.documents()[document];
      sentences = std::max(sentences, its.size());
      for (std::size_t s = its.begin; s < its.end; ++s) {
        words = std::max(words, documents.sentences().length(s));
      }
      total.real += documents.words().length(document);
    }
    total.slots += batches[i].size() * sentences * words;
  }
  return total;
}

}  // namespace padless

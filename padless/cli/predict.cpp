#include <cmath>
#include <filesystem>
#include <ostream>
#include <system_error>

#include "padless/cli/commands.h"
#include "padless/cli/input.h"
#include "padless/cli/options.h"
#include "padless/cli/output.h"
#include "padless/cli/prediction.h"
#include "padless/cli/stop.h"
#include "padless/train/text_model.h"

namespace padless::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  padless predict --model han --data new.tsv --text text --out predictions.jsonl\n"
    "  printf 'text\\nA fast video player.\\n' | padless predict --model han --data - --text text";

struct PredictCommand {
  std::string model;
  DataOptions data;
  std::optional<std::string> out;
  std::optional<float> threshold;
  std::size_t threads = 0;
  std::size_t batch_tokens = 4096;
};

// Texts that are predicted at a time: bounded, and enough for some batches.
class TextChunks {
 public:
  TextChunks(TableReader& table, std::size_t batch_tokens)
      : table_(table), most_bytes_(std::max(kLeastBytes, batch_tokens * kBytesPerToken)) {}

  bool next(std::vector<std::string>& texts) {
    texts.clear();
    TableReader::Row row;
    for (std::size_t bytes = 0; bytes < most_bytes_ && texts.size() < kMostTexts;) {
      if (!table_.next(row)) break;
      bytes += row.fields.front().size();
      texts.push_back(std::move(row.fields.front()));
    }
    return !texts.empty();
  }

 private:
  static constexpr std::size_t kLeastBytes = std::size_t{1} << 18;
  static constexpr std::size_t kBytesPerToken = 32;
  static constexpr std::size_t kMostTexts = std::size_t{1} << 14;

  TableReader& table_;
  std::size_t most_bytes_;
};

// Writing over what is being read would lose it.
void require_out_apart(const PredictCommand& options) {
  if (!options.out) return;
  namespace fs = std::filesystem;
  const fs::path model = options.model;
  for (const fs::path& read : {fs::path(options.data.file), model / "config.json",
                               model / "vocabulary.txt", model / "model.safetensors"}) {
    std::error_code not_there;
    if (fs::equivalent(*options.out, read, not_there)) {
      throw UsageError(message("--out ", *options.out, ": is ", read.string(),
                               ", which is read, expected another file"));
    }
  }
}

void predict_all(const PredictCommand& options, const Console& console) {
  require_out_apart(options);
  const auto runtime = make_runtime(options.threads);
  const TextModel model = load_text_model(options.model);
  const float threshold = threshold_of(options.threshold, model);
  TableReader table = open_table(console, options.data);
  table.select(std::vector{options.data.text});
  Output output(console, options.out);

  const StopRequest stop;
  std::size_t row = 0;
  const auto interrupted = [&row] {
    return Interrupted(message("interrupted after ", row, " texts"));
  };
  CutWords cut;
  TextChunks chunks(table, options.batch_tokens);
  const auto read = [&chunks, &interrupted](std::vector<std::string>& texts) {
    try {
      return chunks.next(texts);
    } catch (const Interrupted&) {  // while nothing came from a pipe
      throw interrupted();
    }
  };
  for (std::vector<std::string> texts; read(texts);) {
    for (const TextPrediction& prediction : predict(*runtime, model, texts, options.batch_tokens)) {
      require_finite(prediction, message(table.name(), ", row ", ++row));
      cut.add(prediction);
      output.stream() << to_json(prediction, model, threshold).compact() << '\n';
    }
    output.require_written();
    if (stop.asked()) throw interrupted();
  }
  output.finish();
  cut.tell(console.err);
}

}  // namespace

void add_predict(CLI::App& app, const Console& console) {
  const auto options = std::make_shared<PredictCommand>();
  CLI::App* command =
      app.add_subcommand("predict", "Says a model's label, labels or number of each text");
  add_model_folder(*command, options->model);
  add_data_options(*command, options->data);
  add_path(*command, "--out", options->out,
           "a line of JSON for each text, in their order: {\"label\", \"scores\"}, {\"labels\", "
           "\"scores\"} or {\"value\"}; otherwise standard output")
      ->type_name("FILE");
  add_threshold(*command, options->threshold);
  add_threads(*command, options->threads);
  add_whole(*command, "--batch-tokens", options->batch_tokens,
            "words computed at once, at most; no result depends on it",
            {.low = 1, .high = kMostBatchTokens});
  command->footer(kExamples);
  command->callback([options, &console] { predict_all(*options, console); });
}

}  // namespace padless::cli

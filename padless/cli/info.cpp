#include <algorithm>
#include <fstream>
#include <ostream>
#include <string_view>
#include <thread>

#include "padless/cli/commands.h"
#include "padless/cli/options.h"
#include "padless/io/json.h"
#include "padless/text/document.h"
#include "padless/train/text_model.h"
#include "padless/viz/escape.h"

namespace padless::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  padless info\n"
    "  padless info --model han --json";

struct InfoCommand {
  std::optional<std::string> model;
  bool json = false;
};

// As the kernel calls it.
std::string cpu_model() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

Json machine_info() {
  // Before anything is told: an unknown PADLESS_ISA is refused.
  const std::string_view chosen = name(make_runtime(1)->isa());
  std::vector<std::string> sets;
  for (const Isa isa : supported_isas()) sets.emplace_back(name(isa));
  Json info = Json::object();
  info.set("version", PADLESS_VERSION)
      .set("contract_version", kContractVersion)
      .set("unicode_version", kUnicodeVersion)
      .set("cpu", cpu_model())
      .set("threads", std::max(1u, std::thread::hardware_concurrency()))
      .set("instruction_sets", Json::array_of(sets))
      .set("instruction_set", chosen);
  return info;
}

Json model_info(const std::string& folder) {
  const TextModel model = load_text_model(folder);
  const HanConfig& han = model.han.config();
  Json info = Json::object();
  info.set("model", "han")
      .set("parameters", static_cast<std::uint64_t>(han.parameters()))
      .set("vocabulary", han.vocabulary)
      .set("embedding", han.embedding)
      .set("word_hidden", han.word_hidden)
      .set("word_attention", han.word_attention)
      .set("sentence_hidden", han.sentence_hidden)
      .set("sentence_attention", han.sentence_attention)
      .set("gru", han.reset == GruReset::after ? "reset_after" : "reset_before")
      .set("dropout", han.dropout)
      .set("lower_case", model.tokenizer.lower_case)
      .set("lines_are_sentences", model.tokenizer.lines_are_sentences)
      .set("max_words", model.tokenizer.max_words ? Json(*model.tokenizer.max_words) : Json())
      .set("shards", model.shards);
  if (model.classifies()) {
    info.set("labels", Json::array_of(model.labels));
  } else {
    info.set("target_mean", model.target_mean).set("target_scale", model.target_scale);
  }
  return info;
}

// One "name  value" a line.
void print_lines(std::ostream& out, const Json& info) {
  const auto& members = *info.get_if<Json::Object>();
  std::size_t width = 0;
  for (const auto& [key, value] : members) width = std::max(width, key.size());
  for (const auto& [key, value] : members) {
    std::string label = key;
    std::ranges::replace(label, '_', ' ');
    label.resize(width + 2, ' ');
    out << label;
    if (const auto* list = value.get_if<Json::Array>()) {
      for (std::size_t i = 0; i < list->size(); ++i) {
        const auto* item = (*list)[i].get_if<std::string>();
        out << (i == 0 ? "" : ", ") << viz::escape_terminal(*item);
      }
    } else if (const auto* text = value.get_if<std::string>()) {
      out << viz::escape_terminal(*text);
    } else {
      out << (value.is_null() ? "none" : value.compact());
    }
    out << "\n";
  }
}

void print_info(const InfoCommand& options, const Console& console) {
  const Json info = options.model ? model_info(*options.model) : machine_info();
  if (options.json) {
    console.out << info.pretty();
  } else {
    print_lines(console.out, info);
  }
}

}  // namespace

void add_info(CLI::App& app, const Console& console) {
  const auto options = std::make_shared<InfoCommand>();
  CLI::App* command =
      app.add_subcommand("info", "Says what padless is and has found here, or what a model is");
  command->add_option("--model", options->model, "folder that padless train has written")
      ->type_name("DIR");
  command->add_flag("--json", options->json, "for machines");
  command->footer(kExamples);
  command->callback([options, &console] { print_info(*options, console); });
}

}  // namespace padless::cli

#include <algorithm>
#include <ostream>
#include <thread>

#include "padless/cli/commands.h"
#include "padless/cli/options.h"
#include "padless/io/json.h"
#include "padless/study/machine.h"
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

Json machine_info() {
  // Before anything is told: an unknown PADLESS_ISA is refused.
  const auto runtime = make_runtime(1);
  std::vector<std::string> sets;
  for (const Isa isa : supported_isas()) sets.emplace_back(name(isa));
  Json info = Json::object();
  info.set("version", PADLESS_VERSION)
      .set("contract_version", kContractVersion)
      .set("unicode_version", kUnicodeVersion)
      .set("cpu", study::this_machine(*runtime).cpu)
      .set("threads", std::max(1u, std::thread::hardware_concurrency()))
      .set("instruction_sets", Json::array_of(sets))
      .set("instruction_set", name(runtime->isa()));
  return info;
}

Json model_info(const std::string& folder) {
  const TextModel model = load_text_model(folder);
  Json info = Json::object();
  write_config(model.network.config(), info);
  info.set("parameters", static_cast<std::uint64_t>(parameters_of(model.network.config())))
      .set("lower_case", model.tokenizer.lower_case)
      .set("lines_are_sentences", model.tokenizer.lines_are_sentences)
      .set("max_words", model.tokenizer.max_words ? Json(*model.tokenizer.max_words) : Json())
      .set("shards", model.shards);
  info.set("answer", name_of(answer_names(), model.answer));
  if (model.answer == Answer::number) {
    info.set("target_mean", model.target_mean).set("target_scale", model.target_scale);
  } else {
    info.set("labels", Json::array_of(model.labels));
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

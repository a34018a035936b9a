#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <istream>
#include <iterator>
#include <ostream>
#include <string_view>

#include "padless/cli/commands.h"
#include "padless/cli/options.h"
#include "padless/cli/prediction.h"
#include "padless/core/quote.h"
#include "padless/text/sentence_break.h"
#include "padless/train/text_model.h"
#include "padless/viz/escape.h"
#include "padless/viz/heatmap.h"
#include "padless/viz/number.h"

namespace padless::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  padless explain --model han --text \"A fast video player. It plays DVDs.\"\n"
    "  padless explain --model han --text - --format json < description.txt";

const std::vector<std::string> kFormats = {"terminal", "json"};
enum Colour : std::size_t { by_terminal, none, dark, light };  // in the order of kColours
const std::vector<std::string> kColours = {"auto", "none", "dark", "light"};

struct ExplainCommand {
  std::string model, text;
  std::optional<float> threshold;
  std::size_t format = 0, colour = 0;
  std::size_t threads = 0;
};

std::string_view without_spaces_around(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n\f\v";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

// What stands in the text for each of the document's sentences, punctuation included.
std::vector<std::string> sentences_of(std::string_view text, const Document& document,
                                      const TokenizerSettings& settings) {
  const auto next_end = settings.lines_are_sentences ? next_line_end : next_sentence_end;
  std::vector<std::string> sentences;
  std::size_t begin = 0;
  for (std::size_t s = 0; s < document.sentence_count(); ++s) {
    const std::size_t first_word = document.source(document.sentence(s).begin).begin;
    std::size_t end = next_end(text, begin);
    for (; end <= first_word; end = next_end(text, begin)) begin = end;
    sentences.emplace_back(without_spaces_around(text.substr(begin, end - begin)));
    begin = end;
  }
  return sentences;
}

// Words as they stand in the text.
std::vector<std::string> words_of(std::string_view text, const Document& document) {
  std::vector<std::string> words;
  words.reserve(document.word_count());
  for (std::size_t i = 0; i < document.word_count(); ++i) {
    words.emplace_back(text.substr(document.source(i).begin, document.source(i).size()));
  }
  return words;
}

// No word of a text has it in it: the rules of Unicode end a word there.
constexpr char kUnknownMark = '*';

std::vector<std::string> marked_words_of(std::string_view text,
                                         const TextExplanation& explanation) {
  std::vector<std::string> words = words_of(text, explanation.document);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!explanation.words_known[i]) words[i] += kUnknownMark;
  }
  return words;
}

std::vector<std::size_t> sentence_lengths_of(const Document& document) {
  std::vector<std::size_t> lengths;
  lengths.reserve(document.sentence_count());
  for (std::size_t s = 0; s < document.sentence_count(); ++s) {
    lengths.push_back(document.sentence(s).size());
  }
  return lengths;
}

viz::TerminalColour colour_of(std::size_t choice, const Console& console) {
  if (choice == dark) return viz::TerminalColour::dark_background;
  if (choice == light) return viz::TerminalColour::light_background;
  // no-color.org: whatever its value, if it has one.
  const char* refused = std::getenv("NO_COLOR");
  const bool wanted = console.out_is_terminal && (refused == nullptr || *refused == '\0');
  return choice == by_terminal && wanted ? viz::TerminalColour::dark_background
                                         : viz::TerminalColour::none;
}

// "video (0.93), net (0.02), ..." or the number. Of several labels those that are said, and where
// none is, the nearest.
std::string prediction_words(const TextPrediction& prediction, const TextModel& model,
                             float threshold) {
  if (model.answer == Answer::number) return viz::trimmed(prediction.value, 6);
  std::size_t most = 3;
  std::string words;
  if (model.answer == Answer::several_labels) {
    most = labels_of(prediction, model, threshold).size();
    if (most == 0) words = "no label; the nearest: ";
    most = std::max<std::size_t>(most, 1);
  }
  std::vector<std::size_t> order(model.labels.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t label) { return prediction.scores[label]; });
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
    words += message(i == 0 ? "" : ", ", viz::escape_terminal(model.labels[order[i]]), " (",
                     viz::fixed(prediction.scores[order[i]], 3), ")");
  }
  return words;
}

const char* sign_of_attention(viz::TerminalColour colour) {
  switch (colour) {
    case viz::TerminalColour::dark_background:
      return "the brighter a word";
    case viz::TerminalColour::light_background:
      return "the darker a word";
    default:
      return "the taller the bar under a word";
  }
}

// What the picture's signs mean, a line each.
std::string legend_of(const TextExplanation& explanation, viz::TerminalColour colour) {
  if (explanation.words_known.empty()) return "";
  std::string legend =
      message("\nbefore a sentence: its share of the attention\n", sign_of_attention(colour),
              ", the more attention within its sentence\n");
  if (std::ranges::count(explanation.words_known, false) > 0) {
    legend +=
        message(kUnknownMark, ": not in the vocabulary; all such words are one to the model\n");
  }
  return legend;
}

void print_json(std::ostream& out, const TextModel& model, std::string_view text,
                const TextExplanation& explanation, float threshold) {
  const Document& document = explanation.document;
  Json json = to_json(explanation.prediction, model, threshold);
  json.set("words", Json::array_of(words_of(text, document)))
      .set("words_known", Json::array_of(explanation.words_known))
      .set("word_weights", Json::array_of(explanation.word_weights))
      .set("sentences", Json::array_of(sentences_of(text, document, model.tokenizer)))
      .set("sentence_weights", Json::array_of(explanation.sentence_weights))
      .set("sentence_lengths", Json::array_of(sentence_lengths_of(document)));
  out << json.compact() << '\n';
}

void print_heatmap(const Console& console, const TextModel& model, std::string_view text,
                   const TextExplanation& explanation, float threshold,
                   viz::TerminalColour colour) {
  const std::vector<std::string> words = marked_words_of(text, explanation);
  const std::vector<std::size_t> lengths = sentence_lengths_of(explanation.document);
  const viz::AttendedText attended = {.words = words,
                                      .word_weights = explanation.word_weights,
                                      .sentence_lengths = lengths,
                                      .sentence_weights = explanation.sentence_weights};
  console.out << prediction_words(explanation.prediction, model, threshold) << "\n\n"
              << viz::heatmap_terminal(attended, {.columns = console.columns, .colour = colour})
              << legend_of(explanation, colour);
}

std::string text_of(const ExplainCommand& options, const Console& console) {
  if (options.text != "-") return options.text;
  return {std::istreambuf_iterator<char>(console.in), std::istreambuf_iterator<char>()};
}

void explain_text(const ExplainCommand& options, const CLI::App& command, const Console& console) {
  if (command.count("--colour") > 0 && kFormats[options.format] != kFormats[0]) {
    throw UsageError(message("--colour is given, which --format ", kFormats[0],
                             " has, expected no such option with --format ",
                             kFormats[options.format]));
  }
  const auto runtime = make_runtime(options.threads);
  const std::string text = text_of(options, console);
  if (const auto bad = find_malformed_utf8(text)) {
    throw UsageError(message("byte ", *bad + 1, " of the text, ", quote(text.substr(*bad, 1)),
                             ", is not UTF-8, expected UTF-8"));
  }
  const TextModel model = load_text_model(options.model);
  const float threshold = threshold_of(options.threshold, model);
  const TextExplanation explanation = explain(*runtime, model, text);
  require_finite(explanation.prediction, options.model);
  CutWords cut;
  cut.add(explanation.prediction);
  cut.tell(console.err);
  if (kFormats[options.format] == "json") {
    print_json(console.out, model, text, explanation, threshold);
  } else {
    print_heatmap(console, model, text, explanation, threshold, colour_of(options.colour, console));
  }
}

}  // namespace

void add_explain(CLI::App& app, const Console& console) {
  const auto options = std::make_shared<ExplainCommand>();
  CLI::App* command = app.add_subcommand("explain", "Shows where a model looks in a text");
  add_model_folder(*command, options->model);
  command->add_option("--text", options->text, "the text itself; - reads it from standard input")
      ->type_name("TEXT")
      ->required();
  add_choice(*command, "--format", options->format,
             "a picture for the eye, or the words and sentences with their weights", kFormats)
      ->default_str(kFormats[0]);
  add_choice(*command, "--colour", options->colour,
             "for a dark or a light terminal; auto: dark on a terminal, otherwise none", kColours)
      ->default_str(kColours[by_terminal]);
  add_threshold(*command, options->threshold);
  add_threads(*command, options->threads);
  command->footer(kExamples);
  command->callback([options, command, &console] { explain_text(*options, *command, console); });
}

}  // namespace padless::cli

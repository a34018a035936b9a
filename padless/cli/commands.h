// Each adds one command to the command line; `console` has to outlive the parsing.
#pragma once

#include "padless/cli/console.h"

namespace CLI {
class App;
}

namespace padless::cli {

void add_train(CLI::App& app, const Console& console);
void add_predict(CLI::App& app, const Console& console);
void add_evaluate(CLI::App& app, const Console& console);
void add_explain(CLI::App& app, const Console& console);
void add_data(CLI::App& app, const Console& console);
void add_info(CLI::App& app, const Console& console);
void add_study(CLI::App& app, const Console& console);

}  // namespace padless::cli

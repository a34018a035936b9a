#pragma once

#include <string>

#include "padless/study/study.h"
#include "padless/viz/page.h"

namespace padless::study {

/// What the regression came to, in a sentence that its numbers decide.
std::string regression_finding(const Regression& experiment);

/// The regression's section: tables and pictures.
void describe_regression(const StudyResult& result, viz::Blocks& blocks);

}  // namespace padless::study

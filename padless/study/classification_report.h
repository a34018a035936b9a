#pragma once

#include <string>

#include "padless/study/study.h"
#include "padless/viz/page.h"

namespace padless::study {

/// What the real experiment came to, in sentences that its numbers decide.
std::string main_finding(const Classification& experiment);

/// The real experiment's section: tables and pictures.
void describe_classification(const StudyResult& result, viz::Blocks& blocks);

/// One text's attention, without pads and with.
void describe_example(const AttendedExample& example, viz::Blocks& blocks);

}  // namespace padless::study

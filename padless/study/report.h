#pragma once

#include <string>

#include "padless/study/study.h"

namespace padless::study {

/// The study as one HTML page, which needs nothing from outside.
std::string report_html(const StudyResult& result);

}  // namespace padless::study

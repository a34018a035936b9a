#pragma once

#include <string>

#include "padless/core/export.h"
#include "padless/study/study.h"

namespace padless::study {

/// The study as one HTML page, which needs nothing from outside.
PADLESS_API std::string report_html(const StudyResult& result);

}  // namespace padless::study

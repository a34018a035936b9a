#pragma once

#include "padless/io/json.h"
#include "padless/study/study.h"

namespace padless::study {

/// study.json: `claims` by their ids, `classification` by setting with one number a seed,
/// `experiment` (data, sizes, options), `machine`, `seconds`. Every experiment sets a key of its
/// own.
Json study_json(const StudyResult& result);

}  // namespace padless::study

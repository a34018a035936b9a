#pragma once

#include "padless/io/json.h"
#include "padless/study/study.h"

namespace padless::study {

/// study.json: `claims` by their ids; `classification`, `classification_encoder` and `regression`
/// by setting with one number a seed (`regression` is null for texts without numbers);
/// `five_words`; `experiment` (data, sizes, options), `machine`, `seconds`. Every experiment sets a
/// key of its own.
Json study_json(const StudyResult& result);

}  // namespace padless::study

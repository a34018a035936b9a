#pragma once

#include <string>

#include "padless/io/json.h"
#include "padless/viz/page.h"

namespace padless::study {

/// What came out about a claim that people make. The verdict is about the claim as they make it:
/// *holds* where nothing contradicts it, *fails* where ordinary inputs do already, *mixed* where
/// only other inputs do, or where it is right in kind and wrong in number.
struct Finding {
  std::string id;     ///< "S1"
  std::string title;  ///< in a few words
  std::string claim;  ///< as people make it
  viz::Verdict verdict = viz::Verdict::mixed;
  std::string because;  ///< one sentence, of numbers of this run
  Json numbers = Json::object();
  viz::Blocks blocks;  ///< tables and pictures
};

}  // namespace padless::study

// SPDX-License-Identifier: Apache-2.0
// A model writes a few sentences for people from typed fields. It has one tool, which takes the sentences, and no
// other part in anything.
#pragma once

#include <string>
#include <vector>

#include "agent/model_rung.h"
#include "core/json.h"

namespace sluice::agent {

struct WrittenText {
  std::string obstacle, tried, question;  // as the model wrote them: hostile, to be checked before anybody reads them
  std::string transcript;
  std::string why;  // there is no text: one sentence; then the fields are empty
};

// `facts`: what the text may speak of; untrusted texts in it are marked as such. `paths`: whose lines it holds.
// Errors: the store, the transcript; never what the model does.
Result<WrittenText> write_parked_text(const ModelDesk& desk, const std::string& unit, const core::Json& facts, const std::vector<std::string>& paths);

}  // namespace sluice::agent

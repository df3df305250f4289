// SPDX-License-Identifier: Apache-2.0
// What a model does for a unit that was just parked, where the configuration asks for it: a suggested fix of a pick that
// does not build, and a few sentences for the person. Both are optional, and nothing depends on them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/unit.h"
#include "service/app.h"
#include "service/folding.h"
#include "service/validating.h"

namespace sluice::service {

// A change beside a pick, for a person to look at: `sluice take` offers it as a commit, `sluice submit` judges it.
struct Suggestion {
  Oid upstream;     // the member that it stands beside
  Oid pick_tree;    // of that member; on another tree it means nothing
  Oid tree;
  std::string message;  // words for the companion's message
  std::string transcript;
};
Result<std::optional<Suggestion>> suggestion_for(App& app, const std::string& unit);

// The model's sentences about a parked unit, checked against what is stored. Without them `take` says by itself why it waits.
struct ParkedText {
  std::string text;
  std::string by;          // the endpoint's name
  std::string transcript;
  int removed = 0;         // sentences that spoke of something nobody knows
};
Result<std::optional<ParkedText>> parked_text(App& app, const std::string& unit);

// [model] repair and parked_text, for the units of `units` that are parked. Trouble of the model is logged and ends
// nothing. Errors: the store, git, a sandbox that was lost.
Result<void> help_parked(App& app, Folder& folder, Validator& validator, const std::vector<model::Unit>& units, const Oid& trunk);

// Sentences of `text` without those that name a number, a path or an identifier which `facts` does not hold.
std::string known_sentences(std::string_view text, std::string_view facts, int& removed);

}  // namespace sluice::service

// SPDX-License-Identifier: Apache-2.0
// The accounting record of a person's answer: what is missing, asked for one by one or read from a file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/model/verdict.h"
#include "service/submission.h"

namespace sluice::service {

// One finding that an entry would answer. Several equal lines are one finding, counted.
struct OpenItem {
  std::string id, rule;
  model::VerdictItem item;
  int count = 1;
};
// The entry names this finding: by kind, path and line or region.
bool speaks_of(const model::AccountEntry& entry, const model::VerdictItem& item);
// Findings of `verdict` that no entry answers yet.
std::vector<OpenItem> open_items(const model::Verdict& verdict);

// What a person sees of one finding, to fill in: the item, what each code means, and whether it is checked.
std::string account_form(App& app, const OpenItem& item, std::size_t number, std::size_t of, const std::string& unit);
// The filled form. Empty code: the person gave up. Errors: invalid, naming the field and the allowed values.
Result<model::AccountEntry> read_form(const OpenItem& item, const std::string& text);

// The missing entries as `--account FILE` takes them, code, arg and because left to fill in.
core::Json account_template(const std::vector<OpenItem>& items);

// Gives each entry to the answer whose finding it speaks of; one that fits no finding goes to the first answer, and
// is checked there if a rule reads it.
void assign_account(Submission& submission, const std::vector<model::AccountEntry>& entries, const model::Verdict& verdict);

// Gets `text` edited by a person, in a file called like `name`. Errors end the asking; nothing is lost.
using AskPerson = std::function<Result<std::string>(const std::string& name, const std::string& text)>;

}  // namespace sluice::service

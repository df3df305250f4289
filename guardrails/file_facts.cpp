// SPDX-License-Identifier: Apache-2.0
#include "guardrails/file_facts.h"

#include "core/glob.h"
#include "core/text.h"
#include "guardrails/scan/cpp_tokens.h"
#include "guardrails/scan/lexical.h"
#include "guardrails/scan/python_tokens.h"

namespace sluice::guardrails {

bool is_lit_config(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("lit.cfg") || name.starts_with("lit.local.cfg") || name.starts_with("lit.site.cfg");
}

std::vector<SourceFact> source_facts(std::string_view path, std::string_view text) {
  if (is_lit_config(path) || path.ends_with(".py.in")) return python_facts(text);
  switch (family_of(path)) {
    case Family::python:
      return python_facts(text);
    case Family::c:
      return cpp_facts(text);
    case Family::cmake:
    case Family::none:
      break;
  }
  // Keys with numbers, as tables of tolerances have them, read alike in every notation.
  if (path.ends_with(".json") || path.ends_with(".toml") || path.ends_with(".yaml") ||
      path.ends_with(".yml") || path.ends_with(".ini"))
    return python_facts(text);
  return {};
}

FileFacts file_facts(std::string_view path, std::string_view text) {
  return {read_lit_file(text), source_facts(path, text)};
}

void count(Tallies& tallies, Side side, const std::string& key, std::uint32_t line, std::string_view text,
           std::string_view more) {
  Tally& tally = tallies[key];
  switch (side) {
    case Side::ours:
      ++tally.ours;
      break;
    case Side::theirs:
      ++tally.theirs;
      break;
    case Side::base:
      ++tally.base;
      break;
    case Side::proposed:
      ++tally.proposed;
      tally.proposed_line = line;
      break;
  }
  const bool first =
      side == Side::ours ? tally.ours == 1 : side == Side::theirs && tally.ours == 0 && tally.theirs == 1;
  if (first) {
    tally.line = line;
    tally.text = std::string(text);
    tally.more = std::string(more);
  } else if (side == Side::proposed && tally.ours + tally.theirs == 0) {
    tally.text = std::string(text);
    tally.more = std::string(more);
  }
}

Lines::Lines(std::string_view text) : lines_(core::split_lines(text)) {}

std::string_view Lines::operator[](std::uint32_t number) const {
  return number == 0 || number > lines_.size() ? std::string_view() : lines_[number - 1];
}

}  // namespace sluice::guardrails

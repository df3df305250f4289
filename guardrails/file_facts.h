// SPDX-License-Identifier: Apache-2.0
// What the scanners read of one file, and how often each thing stands on the sides and in the result.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "guardrails/file_sides.h"
#include "guardrails/scan/lit_file.h"
#include "guardrails/scan/source_fact.h"

namespace sluice::guardrails {

struct FileFacts {
  LitFile lit;
  std::vector<SourceFact> source;
};
FileFacts file_facts(std::string_view path, std::string_view text);
// Facts of tokens alone.
std::vector<SourceFact> source_facts(std::string_view path, std::string_view text);
// lit.cfg, lit.cfg.py, lit.local.cfg, ...
bool is_lit_config(std::string_view path);

enum class Side { ours, theirs, base, proposed };

// One thing of a file by its key.
struct Tally {
  int ours = 0, theirs = 0, base = 0, proposed = 0;
  std::uint32_t line = 0;           // of ours, else of theirs
  std::uint32_t proposed_line = 0;  // of the last in the result
  std::string text;                 // its line on the side
  std::string more;                 // what a rule wants to keep with it

  int lost() const { return required_count(ours, theirs, base) - proposed; }
  int gained() const { return proposed - allowed_count(ours, theirs, base); }
};
using Tallies = std::map<std::string, Tally>;
void count(Tallies& tallies, Side side, const std::string& key, std::uint32_t line,
           std::string_view text = {}, std::string_view more = {});

// The line of `number` in `text`, without its LF; lines are cut once.
class Lines {
 public:
  explicit Lines(std::string_view text);
  std::string_view operator[](std::uint32_t number) const;  // 1-based; empty beyond the end
 private:
  std::vector<std::string_view> lines_;
};

}  // namespace sluice::guardrails

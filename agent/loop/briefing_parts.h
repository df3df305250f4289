// SPDX-License-Identifier: Apache-2.0
// Inner header: the pieces of the first message, and how it is made to fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agent/loop/loop.h"

namespace sluice::agent {

// What is shortened first when the message is too long. Within one rank the last piece goes first.
enum class Rank { patch, similar, fork_commits, message, prerequisites, candidates, identifiers, context, findings, region_text, region, never };

// One piece in one of several forms, the fullest first. `ranks[i]` is when forms[i] gives way to forms[i + 1].
struct Piece {
  std::vector<std::string> forms;
  std::vector<Rank> ranks;
  std::size_t form = 0;
  const std::string& text() const { return forms[form]; }
};
struct Section {
  std::string heading;   // trusted
  std::string preface;   // trusted, may be empty; a section without pieces and preface is not shown
  std::vector<Piece> pieces;
};

// {"source":…,"text":…,"untrusted":true} and `more`, as one line. `text` is cut in the middle at `cap` bytes.
std::string untrusted_line(std::string_view source, std::string_view text, std::size_t cap, core::Json more = core::Json::object());
// At most `cap` bytes of whole lines from the front and the end, and between them a line that says how many are missing.
std::string cut_middle(std::string_view text, std::size_t cap);
std::string_view language_of(std::string_view path);

// A patch of one file with three lines of context. Lines keep what they are: only LF ends one.
std::string patch_of(const git::Reader& reader, std::string_view before, std::string_view after);

Result<Section> region_section(const tools::World& world, const tools::Buffer& buffer, std::vector<Source>& sources);
Section candidate_section(const tools::Buffer& buffer, const tools::World& world, const Briefing& briefing, std::vector<Source>& sources);
Section finding_section(const tools::World& world, const Briefing& briefing, std::vector<Source>& sources);
Result<Section> patch_section(const tools::World& world, const tools::Buffer& buffer, std::vector<Source>& sources);

inline bool may_show(const tools::World& world, std::string_view path) { return !world.may_send || world.may_send(path); }

}  // namespace sluice::agent

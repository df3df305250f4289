// SPDX-License-Identifier: Apache-2.0
#include "agent/loop/conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"

namespace sluice::agent {
namespace {

constexpr std::string_view elided_mark = R"({"elided":true,)";
constexpr std::size_t worth_eliding = 400;  // the note itself is about a third of it

bool elide(ToolAnswer& answer) {
  if (answer.text.size() < worth_eliding || answer.text.starts_with(elided_mark)) return false;
  answer.text = fmt::format(R"({}"note":"an older result of {} bytes was taken out to save room; call the tool again if you need it"}})",
                            elided_mark, answer.text.size());
  return true;
}

// Sections of the first message that a tool shows as well, in the order in which they go.
constexpr std::array droppable = {"# What the upstream commit changes in these files", "# Similar conflicts that were answered before, and landed",
                                  "# Commits of the fork that wrote these lines", "# Candidate answers"};

bool drop_section(std::string& text, std::string_view heading) {
  const std::size_t begin = text.find(fmt::format("\n{}\n", heading));
  if (begin == std::string::npos) return false;
  // A heading stands at the start of a line; JSON has no raw line ends, so no data can look like one.
  const std::size_t body = begin + 1 + heading.size() + 1;
  std::size_t end = text.find("\n# ", body);
  if (end == std::string::npos) end = text.size();
  constexpr std::string_view note = "(taken out: the message was too long)\n";
  if (text.compare(body, note.size(), note) == 0) return false;
  text.replace(body, end - body, note);
  return true;
}

}  // namespace

void add_source(LlmRequest& request, const std::string& path, const std::string& what) {
  for (const Source& source : request.sources)
    if (source.path == path && source.what == what) return;
  request.sources.push_back({path, what});
}

std::vector<std::string> paths_of(const LlmRequest& request) {
  std::vector<std::string> out;
  for (const Source& source : request.sources)
    if (!source.path.empty() && std::find(out.begin(), out.end(), source.path) == out.end()) out.push_back(source.path);
  return out;
}

void append_refused_turn(LlmRequest& request, LlmMessage turn, const std::string& why, bool echo_as_text) {
  turn.role = LlmMessage::Role::assistant;
  if (echo_as_text) {  // calls without an answer each may not be echoed
    turn.calls.clear();
    turn.raw = core::Json();
  }
  if (core::trim(turn.text).empty() && turn.raw.is_null()) turn.text = "(nothing that can be used)";
  request.messages.push_back(std::move(turn));
  LlmMessage ours;
  ours.text = why;
  request.messages.push_back(std::move(ours));
}

bool elide_old_answers(LlmRequest& request, std::size_t limit, std::size_t keep) {
  std::size_t total = 0;
  std::vector<LlmMessage*> turns;
  for (LlmMessage& message : request.messages) {
    if (message.role != LlmMessage::Role::tools) continue;
    turns.push_back(&message);
    for (const ToolAnswer& answer : message.answers) total += answer.text.size();
  }
  if (total <= limit || turns.size() <= keep) return false;
  bool any = false;
  for (std::size_t i = 0; i + keep < turns.size(); ++i)
    for (ToolAnswer& answer : turns[i]->answers) any = elide(answer) || any;
  return any;
}

bool shrink(LlmRequest& request) {
  bool any = elide_old_answers(request, 0, 1);
  if (request.messages.empty()) return any;
  for (const auto* heading : droppable) any = drop_section(request.messages.front().text, heading) || any;
  return any;
}

}  // namespace sluice::agent

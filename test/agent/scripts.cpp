// SPDX-License-Identifier: Apache-2.0
// Reading the first message, and the scripts that behave well.
#include "test/agent/scripts.h"

#include <algorithm>

#include "core/text.h"
#include "test/agent/scripts_parts.h"

namespace sluice::test::scripts {
namespace {

// Splits "before <marker> ours <marker> base <marker> theirs <marker> after", whatever the width of the markers.
void cut(const std::string& text, SeenRegion& out) {
  const auto lines = core::split_lines_keep(text);
  std::string width;
  std::string* to = &out.before;
  for (const std::string_view line : lines) {
    const std::string_view bare = core::trim(line);
    if (width.empty() && bare.starts_with("<<<<<<<") && bare.ends_with("< ours")) {
      width = std::string(bare.substr(0, bare.size() - 5));
      to = &out.ours;
    } else if (!width.empty() && bare == std::string(width.size(), '|') + " base") {
      to = &out.base;
    } else if (!width.empty() && bare == std::string(width.size(), '=')) {
      to = &out.theirs;
    } else if (!width.empty() && bare == std::string(width.size(), '>') + " theirs") {
      to = &out.after;
    } else {
      *to += line;
    }
  }
}

bool holds(const std::string& text, std::string_view line) {
  const auto lines = core::split_lines(text);
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

std::vector<SeenRegion> regions_of(const Conversation& c) {
  std::vector<SeenRegion> out;
  const std::string all = c.user_text();
  for (const std::string_view line : core::split_lines(all)) {
    if (!line.starts_with('{')) continue;
    const auto json = core::Json::parse(line);
    if (!json.ok() || !(*json)["source"].as_string().starts_with("region ")) continue;
    SeenRegion region;
    region.id = (*json)["region_id"].as_string();
    region.path = (*json)["path"].as_string();
    region.kind = (*json)["kind"].as_string();
    cut((*json)["text"].as_string(), region);
    out.push_back(std::move(region));
  }
  return out;
}

std::string merged_lines(const SeenRegion& region) {
  const auto base = core::split_lines(region.base), ours = core::split_lines(region.ours), theirs = core::split_lines(region.theirs);
  std::vector<std::vector<std::string>> added(base.size() + 1);  // by the line of base that stands before them
  std::size_t at = 0;
  for (const auto line : ours) {
    const auto found = std::find(base.begin() + static_cast<std::ptrdiff_t>(at), base.end(), line);
    if (found == base.end())
      added[at].emplace_back(line);
    else
      at = static_cast<std::size_t>(found - base.begin()) + 1;
  }
  std::string out;
  for (std::size_t i = 0; i <= std::max(base.size(), theirs.size()); ++i) {
    if (i < added.size())
      for (const auto& line : added[i]) out += line + "\n";
    if (i < theirs.size()) out += std::string(theirs[i]) + "\n";
  }
  return out;
}

std::string action_of(const SeenRegion& r, const std::string& text) {
  if (text == r.ours) return "ours";
  if (text == r.theirs) return "theirs";
  if (text == r.ours + r.theirs) return "both_ours_first";
  if (text == r.theirs + r.ours) return "both_theirs_first";
  for (const auto line : core::split_lines(text))
    if (!holds(r.ours, line) && !holds(r.theirs, line)) return "new";
  return "mixed";
}

TurnCall call_of(std::string name, core::Json arguments) {
  TurnCall out;
  out.name = std::move(name);
  out.arguments = std::move(arguments);
  return out;
}

TurnCall resolve(const SeenRegion& region, const std::string& text, const std::string& action) {
  return call_of("resolve_region", core::Json::object({{"region_id", region.id}, {"text", text}, {"reason", "the fork's lines and upstream's change"},
                                                       {"action", action.empty() ? action_of(region, text) : action}}));
}

Turn resolve_all(const Conversation& c, const AnswerOf& answer) {
  std::vector<TurnCall> calls;
  for (const SeenRegion& region : regions_of(c)) calls.push_back(resolve(region, answer(region)));
  return Turn::calls_of(std::move(calls));
}

Turn check(const std::string& level) { return Turn::call("run_checks", core::Json::object({{"level", level}})); }
Turn submit(const std::string& summary, const std::string& confidence) {
  return Turn::call("submit", core::Json::object({{"confidence", confidence}, {"summary", summary}}));
}
Turn give_up(const std::string& question, const std::string& category) {
  return Turn::call("give_up", core::Json::object({{"category", category}, {"question", question}}));
}

Script helpful(AnswerOf answer, std::string summary) {
  return [answer = std::move(answer), summary = std::move(summary)](const Conversation& c) {
    const auto regions = regions_of(c);
    switch (c.turns) {
      case 0: return Turn::call("get_region", core::Json::object({{"region_id", regions.empty() ? "" : regions[0].id}}));
      case 1: return resolve_all(c, answer);
      case 2: return check();
      default: break;
    }
    if (c.answer_of("submit").is_null()) return submit(summary);
    return give_up("The checks stand against this answer: " + c.answer_of("submit").dump().substr(0, 300));
  };
}

Script gives_up(std::string category) {
  return [category = std::move(category)](const Conversation& c) {
    if (c.turns == 0) return Turn::call("list_conflicts");
    return give_up("Both sides change who owns the buffer. Which one is it to be?", category);
  };
}

Script all_in_one_turn(AnswerOf answer) {
  return [answer = std::move(answer)](const Conversation& c) {
    Turn turn = resolve_all(c, answer);
    turn.calls.push_back(check().calls[0]);
    turn.calls.push_back(submit("Everything in one turn.").calls[0]);
    return turn;
  };
}

}  // namespace sluice::test::scripts

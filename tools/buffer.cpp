// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "tools/buffer_state.h"

namespace sluice::tools {
namespace {

using model::AccountEntry;
using model::Rung;

constexpr std::size_t longest_reason = 600;
constexpr std::size_t most_entries = 2000;
constexpr std::array<std::string_view, 5> adapt_codes = {"API_RENAME", "SIGNATURE", "INCLUDE", "REGISTRATION",
                                                         "TEST_EXPECTATION_FROM_UPSTREAM"};

Error refuse(std::string why) { return make_error(ErrorKind::invalid, std::move(why)); }

Result<void> check_reason(const std::string& reason) {
  if (const std::string why = unfit(reason); !why.empty()) return refuse(fmt::format("the reason {}", why));
  // Characters, as the schema counts them.
  const auto longer = std::count_if(reason.begin(), reason.end(), [](char c) { return (c & 0xc0) != 0x80; });
  if (static_cast<std::size_t>(longer) > longest_reason)
    return refuse(fmt::format("the reason has {} characters, the limit is {}", longer, longest_reason));
  return {};
}

// The record's limit is in bytes.
std::string because_of(std::string reason) {
  if (reason.size() <= longest_reason) return reason;
  std::size_t end = longest_reason;
  while (end > 0 && (reason[end] & 0xc0) == 0x80) --end;
  reason.resize(end);
  return reason;
}

std::string recorded(const Place& place) {
  if (place.whole && place.removed) return "deleted";
  if (place.action.starts_with("both")) return "both";
  return place.action == "new" ? "mixed" : place.action;
}

bool same_item(const AccountEntry& a, const AccountEntry& b) {
  if (a.kind != b.kind || a.path != b.path || a.upstream != b.upstream) return false;
  return a.norm_sha256.empty() ? a.code == b.code && a.arg == b.arg : a.norm_sha256 == b.norm_sha256;
}

}  // namespace

std::string wrong_path(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.back() == '/') return "is no path of a file in the tree";
  if (const std::string why = unfit(path); !why.empty()) return why;
  for (const std::string_view step : core::split(path, '/')) {
    if (step.empty() || step == "." || step == ".." || core::to_lower(step) == ".git") return "is no path of a file in the tree";
  }
  return {};
}

Buffer::Buffer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Buffer::Buffer(Buffer&&) noexcept = default;
Buffer& Buffer::operator=(Buffer&&) noexcept = default;
Buffer::~Buffer() = default;

const std::vector<Place>& Buffer::places() const { return state_->places; }

const Place* Buffer::place(std::string_view region_id) const {
  const auto found = state_->by_id.find(region_id);
  return found == state_->by_id.end() ? nullptr : &state_->places[found->second];
}

Result<void> Buffer::State::resolve_whole(Place& place, std::string_view text, const std::string& action) const {
  const std::string_view kept = place.ours_absent ? "theirs" : "ours";
  const std::string& file = place.ours_absent ? place.region.theirs : place.region.ours;
  if (action != "ours" && action != "theirs")
    return refuse(fmt::format("{} was deleted by one side, so the action is ours or theirs: {} keeps the file, the other removes it",
                              core::printable(place.path), kept));
  const bool removed = action != kept;
  if (removed && !text.empty()) return refuse(fmt::format("the action {} removes the file, so the text must be empty", action));
  if (!removed && !text.empty() && without_cr(text) != without_cr(file))
    return refuse(fmt::format("the text is not the file that {} has: leave it empty, the file stays as it is there", kept));
  place.removed = removed;
  place.answer.reset();
  if (!removed) place.answer = file;
  place.action = action;
  return {};
}

Result<void> Buffer::resolve(std::string_view region_id, std::string text, const std::string& action, const std::string& reason, Rung rung,
                             const std::string& rule) {
  const auto found = state_->by_id.find(region_id);
  if (found == state_->by_id.end())
    return refuse(fmt::format("no conflict has the id {}: list_conflicts names them", core::printable(region_id, 40)));
  TRY(check_reason(reason));
  Place& place = state_->places[found->second];
  if (place.whole) {
    TRY(state_->resolve_whole(place, text, action));
  } else {
    TRY_ASSIGN(std::string answer, spliced(place.region, text, state_->files.find(place.path)->second.style()));
    const std::string is = action_of(place.region, answer);
    if (!action.empty() && !bears_out(place.region, answer, action))
      return refuse(fmt::format("the action says {}, but by its lines the text is {}{}: say so, or change the text", action, is,
                                is == "new" ? ", it has a line that stands in none of base, ours and theirs" : ""));
    place.answer = std::move(answer);
    place.action = action.empty() ? is : action;
  }
  place.reason = reason;
  place.rung = rung;
  place.rule = rule;
  state_->drop_entries_of(place.region.id);
  return {};
}

void Buffer::sign(std::string_view region_id, const std::string& rule) {
  const auto found = state_->by_id.find(region_id);
  if (found != state_->by_id.end()) state_->places[found->second].rule = rule;
}

void Buffer::forget(Rung rung) {
  for (Place& place : state_->places) {
    if (!(place.answer || place.removed) || place.rung != rung) continue;
    place.answer.reset();
    place.removed = false;
    place.rung = Rung::model;
    place.rule.clear();
    place.action.clear();
    place.reason.clear();
    state_->drop_entries_of(place.region.id);
  }
}

// What the record said of a former answer.
void Buffer::State::drop_entries_of(const std::string& region_id) {
  std::erase_if(account, [&](const AccountEntry& entry) {
    return (entry.code == "SIDE" || entry.code == "FORMAT_EQUAL") && entry.arg.substr(0, entry.arg.find(' ')) == region_id;
  });
}

std::vector<const std::string*> Buffer::State::answers(std::string_view path) const {
  std::vector<const std::string*> out;
  const auto found = places_of.find(path);
  if (found == places_of.end()) return out;
  for (const std::size_t k : found->second) out.push_back(places[k].answer ? &*places[k].answer : nullptr);
  return out;
}

Result<ProposedFile> Buffer::State::editable(const std::string& path) const {
  if (const auto found = files.find(path); found != files.end()) return found->second;
  const std::string shown = core::printable(path);
  TRY_ASSIGN(const auto entry, world.reader->entry(world.merged_tree, path));
  if (!entry) return refuse(fmt::format("there is no file {} in the proposed tree", shown));
  if (entry->mode != 0100644 && entry->mode != 0100755) return refuse(fmt::format("{} is no plain file", shown));
  auto text = world.reader->blob(entry->oid);
  if (!text.ok() && text.error().kind == ErrorKind::not_found) return refuse(fmt::format("{} is not in the store", shown));
  if (!text.ok()) return std::move(text.error());
  if (!unfit(*text).empty()) return refuse(fmt::format("{} is no UTF-8 text, so no text can change it", shown));
  git::MergedFile cut;
  cut.text.push_back(*text);
  return ProposedFile(path, entry->mode, std::move(cut), *text, style_of(*text));
}

Result<void> Buffer::adapt(const std::string& path, std::string_view old_text, std::string_view new_text, const std::string& code,
                           const std::string& reason) {
  const std::string shown = core::printable(path);
  if (const std::string why = wrong_path(path); !why.empty()) return refuse(fmt::format("{} {}", shown, why));
  if (std::find(adapt_codes.begin(), adapt_codes.end(), code) == adapt_codes.end())
    return refuse(fmt::format("no adaptation has the code {}", core::printable(code, 40)));
  TRY(check_reason(reason));
  if (old_text.empty()) return refuse("the old text is empty: give the exact text that shall change");
  for (const std::string_view text : {old_text, new_text}) {
    if (const std::string why = unfit(text); !why.empty())
      return refuse(fmt::format("the {} text {}", text.data() == old_text.data() ? "old" : "new", why));
  }
  if (const std::string line = new_marker(new_text, {old_text}); !line.empty())
    return refuse(fmt::format("the new text holds the conflict marker line \"{}\"", line));
  if (state_->world.protected_why) {
    if (const std::string why = state_->world.protected_why(path); !why.empty()) return refuse(fmt::format("{} cannot be changed: {}", shown, why));
  }
  if (const auto places = state_->places_of.find(path); places != state_->places_of.end() && state_->places[places->second.front()].whole)
    return refuse(fmt::format("{} is a conflict of the whole file ({}): answer it with resolve_region", shown,
                              state_->places[places->second.front()].region.id));
  TRY_ASSIGN(ProposedFile file, state_->editable(path));
  if (auto done = file.edit(state_->answers(path), old_text, new_text, code, reason); !done.ok())
    return refuse(fmt::format("{}: the old text {}", shown, done.error().message));
  state_->files.insert_or_assign(path, std::move(file));
  state_->adaptations.push_back({path, std::string(old_text), std::string(new_text), code, reason});
  return {};
}

const std::vector<Adaptation>& Buffer::adaptations() const { return state_->adaptations; }
const std::vector<AccountEntry>& Buffer::entries() const { return state_->account; }

Result<void> Buffer::account(AccountEntry entry) {
  std::string joined = entry.path + entry.arg + entry.because;
  if (const std::string why = unfit(joined); !why.empty()) return refuse(fmt::format("an entry of the record {}", why));
  entry.because = because_of(std::move(entry.because));
  TRY_ASSIGN(entry, model::parse_account_entry(model::to_json(entry), state_->account.size()));
  const auto former = std::find_if(state_->account.begin(), state_->account.end(), [&](const auto& e) { return same_item(e, entry); });
  if (former != state_->account.end()) {
    *former = std::move(entry);
    return {};
  }
  if (state_->account.size() >= most_entries) return refuse(fmt::format("the record has {} entries, which is its limit", most_entries));
  state_->account.push_back(std::move(entry));
  return {};
}

Result<std::optional<std::string>> Buffer::text(std::string_view path) const {
  if (const auto file = state_->files.find(path); file != state_->files.end())
    return std::optional(file->second.render(state_->answers(path)));
  if (const auto places = state_->places_of.find(path); places != state_->places_of.end()) {
    const Place& place = state_->places[places->second.front()];
    if (place.removed) return std::optional<std::string>();
  }
  return state_->world.reader->file(state_->world.merged_tree, path);
}

Buffer::Spot Buffer::spot(std::string_view region_id) const {
  const Place* wanted = place(region_id);
  SLUICE_CHECK(wanted != nullptr && !wanted->whole);
  std::vector<ProposedFile::Span> spans;
  const std::string text = state_->files.find(wanted->path)->second.render(state_->answers(wanted->path), &spans);
  const ProposedFile::Span& span = spans.at(wanted->region.ordinal);
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(span.begin);
  const auto first = static_cast<std::size_t>(std::count(text.begin(), begin, '\n')) + 1;
  return {first, core::split_lines(std::string_view(text).substr(span.begin, span.end - span.begin)).size()};
}

Result<Draft> Buffer::draft() const {
  Draft out;
  out.base = state_->world.merged_tree;
  out.complete = true;
  out.resolutions = state_->world.answered;
  out.account = state_->world.answered_account;
  for (const auto& [path, file] : state_->files) {
    if (!file.edited() && file.regions().empty()) continue;
    out.files.push_back({path, file.render(state_->answers(path)), file.mode()});
    for (AccountEntry& entry : file.entries(*state_->world.reader)) {
      entry.because = because_of(std::move(entry.because));
      out.account.push_back(std::move(entry));
    }
  }
  for (const Place& place : state_->places) {
    if (!place.answer && !place.removed) {
      out.complete = false;
      continue;
    }
    if (place.removed) out.files.push_back({place.path, std::nullopt, 0});
    out.resolutions.push_back({place.path, place.whole ? std::string() : place.region.id, place.rung, place.rule, recorded(place), place.reason});
    if (place.whole) continue;
    const git::Region& region = place.region;
    auto side = model::side_entry(place.path, {region.id, region.base, region.ours, region.theirs}, *place.answer, because_of(place.reason));
    const auto said = [&](const AccountEntry& e) {
      return e.path == place.path && (e.code == "SIDE" || e.code == "FORMAT_EQUAL") && e.arg.starts_with(region.id);
    };
    if (side && std::none_of(state_->account.begin(), state_->account.end(), said)) out.account.push_back(std::move(*side));
  }
  out.account.insert(out.account.end(), state_->account.begin(), state_->account.end());
  return out;
}

}  // namespace sluice::tools

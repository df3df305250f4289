// SPDX-License-Identifier: Apache-2.0
#include "git/merge_process.h"

#include <fmt/format.h>

#include <charconv>

#include "core/text.h"
#include "git/isolation.h"

namespace sluice::git {

namespace {

constexpr std::int64_t answer_timeout_ms = 300'000;
constexpr std::size_t most_answer_bytes = 256u << 20;

constexpr std::string_view submodule_advice = "Recursive merging with submodules";

std::optional<std::string_view> take_field(std::string_view& bytes) {
  const auto end = bytes.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  const auto field = bytes.substr(0, end);
  bytes.remove_prefix(end + 1);
  return field;
}

Error bad_answer(std::string_view field) {
  return make_error(ErrorKind::internal, "git merge-tree answered in an unknown form: " + core::printable(field, 120));
}

// MODE SP OID SP STAGE TAB PATH
std::optional<model::Stage> parse_stage(std::string_view field) {
  model::Stage out;
  const auto tab = field.find('\t');
  if (tab == std::string_view::npos) return std::nullopt;
  const auto words = core::split(field.substr(0, tab), ' ');
  if (words.size() != 3 || !model::is_oid(words[1]) || words[2].size() != 1) return std::nullopt;
  std::from_chars(words[0].data(), words[0].data() + words[0].size(), out.mode, 8);
  out.oid = words[1];
  out.stage = words[2].front() - '0';
  out.path = field.substr(tab + 1);
  if (out.stage < 1 || out.stage > 3 || out.path.empty()) return std::nullopt;
  return out;
}

// Everything up to, not including, the NUL that ends an answer.
Result<bool> read_body(std::string_view& rest, MergeAnswer& out) {
  const auto status = take_field(rest);
  if (!status) return false;
  if (*status != "0" && *status != "1") return bad_answer(*status);
  out.clean = *status == "1";
  const auto tree = take_field(rest);
  if (!tree) return false;
  if (!model::is_oid(*tree)) return bad_answer(*tree);
  out.tree = *tree;
  while (true) {
    const auto field = take_field(rest);
    if (!field) return false;
    if (field->empty()) break;
    auto stage = parse_stage(*field);
    if (!stage) return bad_answer(*field);
    out.stages.push_back(std::move(*stage));
  }
  while (!rest.empty() && rest.front() != '\0') {
    // After a submodule conflict git prints advice for people into the stream, in front of the last NUL.
    if (rest.starts_with(submodule_advice)) {
      const auto end = rest.find('\0');
      if (end == std::string_view::npos) return false;
      rest.remove_prefix(end);
      break;
    }
    const auto count = take_field(rest);
    if (!count) return false;
    std::size_t paths = 0;
    const auto parsed = std::from_chars(count->data(), count->data() + count->size(), paths);
    if (parsed.ec != std::errc() || parsed.ptr != count->data() + count->size()) return bad_answer(*count);
    MergeMessage message;
    for (std::size_t i = 0; i < paths; ++i) {
      const auto path = take_field(rest);
      if (!path) return false;
      message.paths.emplace_back(*path);
    }
    const auto type = take_field(rest);
    const auto text = type ? take_field(rest) : std::nullopt;
    if (!text) return false;
    message.type = *type;
    message.text = *text;
    out.messages.push_back(std::move(message));
  }
  return true;
}

std::string first_oid(std::string_view text) {
  for (std::size_t i = 0; i + 40 <= text.size(); ++i)
    if (core::is_hex(text.substr(i, 40), 40)) return std::string(text.substr(i, 40));
  return {};
}

bool says_missing(std::string_view text) {
  for (const char* words : {"unable to read", "ould not read", "not something we can merge", "cannot read object",
                            "bad object", "unable to parse", "missing"})
    if (text.find(words) != std::string_view::npos) return true;
  return false;
}

}  // namespace

const std::vector<std::string>& merge_settings() {
  static const std::vector<std::string> settings = {"merge.directoryRenames=conflict", "merge.renames=true",
                                                    "merge.renameLimit=32767", "merge.conflictStyle=diff3",
                                                    "core.abbrev=40"};
  return settings;
}

Result<std::optional<MergeAnswer>> take_answer(std::string_view& bytes) {
  MergeAnswer out;
  std::string_view rest = bytes;
  TRY_ASSIGN(const bool whole, read_body(rest, out));
  if (!whole || rest.empty()) return std::optional<MergeAnswer>();
  rest.remove_prefix(1);
  bytes = rest;
  return std::optional<MergeAnswer>(std::move(out));
}

MergeProcess::MergeProcess(std::string git_dir, model::Oid sentinel, int most_merges)
    : git_dir_(std::move(git_dir)), sentinel_(std::move(sentinel)), most_merges_(most_merges) {}

Error MergeProcess::failure() {
  const int code = child_->wait(2'000);
  const std::string text = child_->take_stderr();
  const std::string words = core::printable(core::trim(text), 400);
  child_.reset();
  const std::string oid = first_oid(text);
  if (!oid.empty() && says_missing(text))
    return make_error(ErrorKind::not_found, fmt::format("object_missing: {} (git: {})", oid, words));
  return make_error(ErrorKind::internal, fmt::format("git merge-tree ended with status {}: {}", code,
                                                     words.empty() ? "no message" : words));
}

Result<MergeAnswer> MergeProcess::receive() {
  const std::string sentinel_answer = std::string("1\0", 2) + std::string(model::empty_tree) + std::string("\0\0", 2);
  std::string bytes;
  while (true) {
    const auto got = child_->read_some(bytes, answer_timeout_ms);
    if (!got.ok()) {
      child_.reset();
      return make_error(ErrorKind::transient, fmt::format("git merge-tree gave no answer within {} s", answer_timeout_ms / 1000));
    }
    if (*got == 0) return failure();
    if (bytes.size() > most_answer_bytes) {
      child_.reset();
      return make_error(ErrorKind::transient, fmt::format("git merge-tree answered more than the limit of {} bytes", most_answer_bytes));
    }
    if (!bytes.ends_with(sentinel_answer)) continue;
    std::string_view rest = bytes;
    // The NUL that ended the previous sentinel's answer.
    if (merges_ > 0) {
      if (rest.front() != '\0') break;
      rest.remove_prefix(1);
    }
    auto answer = take_answer(rest);
    if (!answer.ok()) break;
    if (!answer->has_value() || rest != sentinel_answer) continue;  // the bytes only looked like the end
    return std::move(**answer);
  }
  child_.reset();
  return bad_answer(bytes);
}

Result<MergeAnswer> MergeProcess::attempt(const std::string& request) {
  if (merges_ >= most_merges_) child_.reset();
  if (!child_) {
    core::ProcessOptions options;
    options.argv = git_command(git_dir_, {"merge-tree", "--write-tree", "--stdin", "-z", "--messages"}, merge_settings());
    options.env = isolated_environment();
    TRY_ASSIGN(child_, core::ChildProcess::start(options));
    merges_ = 0;
    ++starts_;
  }
  if (!child_->write(request).ok()) return failure();
  TRY_ASSIGN(MergeAnswer answer, receive());
  ++merges_;
  // Only stderr says so, never the answer itself; before the sentinel's flush, so it is there by now.
  answer.renames_skipped = child_->take_stderr().find("rename detection was skipped") != std::string::npos;
  return answer;
}

Result<MergeAnswer> MergeProcess::merge(const model::Oid& ours, const model::Oid& theirs) {
  const std::string request = fmt::format("{0} {1}\n{2} {2}\n", ours, theirs, sentinel_);
  auto answer = attempt(request);
  // A process that was killed from outside says nothing about this merge: one more try. What git itself
  // said (missing object, unrelated histories) would only be said again.
  if (!answer.ok() && answer.error().kind == ErrorKind::internal &&
      answer.error().message.find("no message") != std::string::npos)
    answer = attempt(request);
  return answer;
}

}  // namespace sluice::git

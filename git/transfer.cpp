// SPDX-License-Identifier: Apache-2.0
// Fetch and push through the git binary: it has the credentials machinery, and libgit2 moves needless
// objects. Fetched objects are checked in quarantine first.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/step.h"
#include "core/text.h"
#include "git/isolation.h"
#include "git/quarantine.h"
#include "git/remote.h"
#include "git/repo_state.h"

namespace sluice::git {

namespace {

constexpr std::int64_t push_timeout_ms = 600'000;

// Name of the object directory as it stands in objects/info/alternates.
std::string canonical_objects(const std::string& directory) {
  const std::string objects = object_directory(directory);
  std::error_code failed;
  const auto canonical = std::filesystem::canonical(objects, failed);
  return failed ? objects : canonical.string();
}

Result<Oid> local_tip(const Remote& remote, const std::string& name, const std::string& branch) {
  TRY_ASSIGN(const auto source, Reader::open(*remote.directory));
  auto tip = source.resolve(name);
  if (!tip.ok())
    return make_error(ErrorKind::not_found, fmt::format("repository {} has no branch {}", remote.shown, core::printable(branch)));
  TRY(source.commit(*tip));
  return *tip;
}

}  // namespace

Result<FetchOutcome> Repo::fetch(const std::string& url, const std::string& branch, const std::string& local_ref,
                                 const FetchLimits& limits, const std::atomic<bool>* cancel) {
  TRY_ASSIGN(const Remote remote, parse_remote(url));
  TRY_ASSIGN(const std::string name, remote_ref(branch));
  FetchOutcome out;
  const std::string own = object_directory(git_dir());
  const std::string theirs = remote.directory ? canonical_objects(*remote.directory) : std::string();
  const auto shared = read_alternates(own);
  if (!theirs.empty() && std::find(shared.begin(), shared.end(), theirs) != shared.end()) {
    TRY_ASSIGN(out.tip, local_tip(remote, name, branch));
    out.shared = true;
    out.note = fmt::format("objects of {} are read in place", remote.shown);
    TRY(set_ref(local_ref, out.tip, std::nullopt));
    return out;
  }
  TRY_ASSIGN(auto quarantine, Quarantine::create(git_dir()));
  TRY_ASSIGN(const auto run, quarantine.fetch(remote, name, limits, cancel));
  if (run.ok()) {
    TRY_ASSIGN(out.tip, quarantine.tip());
    TRY(quarantine.inspect(out.tip, limits, cancel));
    TRY_ASSIGN(const std::int64_t objects, quarantine.accept());
    out.note = fmt::format("{} new objects from {}", objects, remote.shown);
    TRY(set_ref(local_ref, out.tip, std::nullopt));
    return out;
  }
  if (quarantine.hit_pack_limit(limits))
    return make_error(ErrorKind::invalid, fmt::format("the pack of branch {} of {} is larger than the limit of {} bytes",
                                                      core::printable(branch), remote.shown, limits.pack_bytes));
  // A snapshot on this machine may lack blobs of its own history. It cannot be copied, but it can be used
  // where it stands; what is absent then is a named error of the pick that needs it.
  if (theirs.empty() || run.timed_out || run.cancelled || !source_lacks_objects(run)) return transfer_error(run, remote, branch);
  auto tip = local_tip(remote, name, branch);
  if (!tip.ok()) return transfer_error(run, remote, branch);
  TRY(add_alternates(git_dir(), {theirs}));
  out.tip = *tip;
  out.shared = true;
  const auto lines = core::split_lines(run.err);
  out.note = fmt::format("{} lacks objects of its own history, so it cannot be copied; its objects are read in place ({})",
                         remote.shown, lines.empty() ? "no detail" : core::printable(core::trim(lines.front())));
  TRY(set_ref(local_ref, out.tip, std::nullopt));
  return out;
}

Result<Oid> Repo::remote_tip(const std::string& url, const std::string& branch) const {
  TRY_ASSIGN(const Remote remote, parse_remote(url));
  TRY_ASSIGN(const std::string name, remote_ref(branch));
  if (model::is_oid(name)) return name;
  GitCall call{.git_dir = git_dir(), .args = {"ls-remote", "--quiet", remote.url, name}, .settings = transfer_settings()};
  call.network = true;
  call.timeout_ms = 120'000;
  TRY_ASSIGN(const auto run, run_git(call));
  if (!run.ok()) return transfer_error(run, remote, branch);
  // A pattern also matches the tail of longer names.
  for (const auto line : core::split_lines(run.out)) {
    const auto fields = core::split(line, '\t');
    if (fields.size() == 2 && fields[1] == name && model::is_oid(fields[0])) return Oid(fields[0]);
  }
  return make_error(ErrorKind::not_found, fmt::format("repository {} has no branch {}", remote.shown, core::printable(branch)));
}

namespace {

bool has(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view w) { return text.find(w) != std::string_view::npos; });
}

// One porcelain line: FLAG TAB FROM:TO TAB SUMMARY.
PushOutcome outcome_of_line(char flag, const std::string& summary, const std::string& stderr_text) {
  using Kind = PushOutcome::Kind;
  if (flag == ' ' || flag == '*' || flag == '=') return {Kind::landed, summary};
  const std::string text = core::to_lower(summary);
  // The server could not write its own files: that is no race.
  if (has(text, {"failed to update ref"}) && has(core::to_lower(stderr_text), {"permission denied", "read-only file system"}))
    return {Kind::rejected, summary};
  // The last five are the server's words when the ref moved between its two reads.
  if (has(text, {"stale info", "non-fast-forward", "fetch first", "needs force", "but expected", "incorrect old value",
                 "failed to update ref", "cannot lock ref", "reference already exists"}))
    return {Kind::moved, summary};
  if (has(text, {"remote failure"})) return {Kind::lost, summary};
  return {Kind::rejected, summary};
}

PushOutcome classify_push(const core::ProcessResult& run, const Remote& remote, const std::string& ref) {
  using Kind = PushOutcome::Kind;
  const std::string words = git_words(run, 400);
  for (const auto line : core::split_lines(run.out)) {
    const auto fields = core::split(line, '\t');
    if (fields.size() != 3 || fields[0].size() != 1 || !fields[1].ends_with(":" + ref)) continue;
    PushOutcome out = outcome_of_line(fields[0].front(), core::printable(fields[2], 300), run.err);
    if (out.kind == Kind::landed && !run.ok()) return {Kind::lost, words};  // reported, then broke off
    if (out.kind != Kind::landed && !words.empty()) out.detail += "; " + words;
    return out;
  }
  if (run.timed_out) return {Kind::lost, fmt::format("no answer from {} within {} s", remote.shown, push_timeout_ms / 1000)};
  const Error error = transfer_error(run, remote, ref);
  const bool refused = error.kind == ErrorKind::denied || error.kind == ErrorKind::not_found || error.kind == ErrorKind::invalid;
  return {refused ? Kind::rejected : Kind::lost, error.message};
}

}  // namespace

Result<PushOutcome> Repo::push(const std::string& url, const Oid& commit, const std::string& ref_name, const Oid& expected_old) {
  TRY_ASSIGN(const Remote remote, parse_remote(url));
  TRY_ASSIGN(const std::string name, remote_ref(ref_name));
  if (model::is_oid(name)) return make_error(ErrorKind::invalid, "a push needs a ref, not a commit id");
  TRY(reader().commit(commit));
  if (!expected_old.empty()) {
    // A lease alone would let a rewind through; this is the proof that the push only adds.
    auto proof = reader().is_ancestor(expected_old, commit);
    if (!proof.ok() && proof.error().kind != ErrorKind::not_found) return proof.error();
    if (!proof.ok() || !*proof)
      return make_error(ErrorKind::conflict, fmt::format("{} does not contain {}, the expected tip of {}: pushing it would "
                                                         "rewind the branch", commit, expected_old, core::printable(name)));
  }
  GitCall call{.git_dir = git_dir(),
               .args = {"push", "--porcelain", "--no-verify", "--no-follow-tags", "--force-with-lease=" + name + ":" + expected_old,
                        remote.url, commit + ":" + name},
               .settings = transfer_settings()};
  call.network = true;
  call.timeout_ms = push_timeout_ms;
  core::step("before push " + name);
  TRY_ASSIGN(const auto run, run_git(call));
  core::step("push " + name);
  return classify_push(run, remote, name);
}

}  // namespace sluice::git

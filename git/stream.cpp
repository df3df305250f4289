// SPDX-License-Identifier: Apache-2.0
// The changes of a first-parent line from one `git log` process. Where git dies of an absent blob, that one
// commit is put together from what is there, and a new process goes on behind it.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "git/change_stream.h"
#include "git/isolation.h"
#include "git/repo_state.h"

namespace sluice::git {

namespace {

constexpr std::int64_t silence_ms = 600'000;  // longest wait for the next byte

std::vector<std::string> log_command(const std::string& git_dir) {
  return git_command(git_dir,
                     {"log", "--no-walk=unsorted", "--stdin", "--diff-merges=first-parent", "--raw", "-p", "-M", "-U0", "-z",
                      "--inter-hunk-context=0", "--no-abbrev", "--full-index", "--format=tformat:%x01%H", "--no-color",
                      "--no-ext-diff", "--no-textconv", "--no-notes", "--no-decorate", "--no-show-signature",
                      "--no-mailmap", "--no-relative", "--submodule=short", "--ignore-submodules=none"},
                     {"log.showRoot=true"});
}

bool is_text_entry(const TreeEntry& e) { return e.mode == 0 || (e.mode & 0170000) == 0100000 || e.mode == 0120000; }

model::ChangeStatus status_of(const TreeDelta& delta) {
  if (delta.before.mode == 0) return model::ChangeStatus::added;
  if (delta.after.mode == 0) return model::ChangeStatus::deleted;
  if ((delta.before.mode & 0170000) != (delta.after.mode & 0170000)) return model::ChangeStatus::type_changed;
  return model::ChangeStatus::modified;
}

// A pure move is visible in the ids alone; it costs no blob.
void join_exact_renames(std::vector<StreamedFile>& files) {
  for (auto& added : files) {
    if (added.change.status != model::ChangeStatus::added) continue;
    const auto gone = std::find_if(files.begin(), files.end(), [&](const StreamedFile& f) {
      return f.change.status == model::ChangeStatus::deleted && f.change.old_blob == added.change.new_blob &&
             (f.change.old_mode & 0170000) == (added.change.new_mode & 0170000) && f.change.path == f.change.old_path &&
             !f.change.old_path.empty();
    });
    if (gone == files.end()) continue;
    added.change.status = model::ChangeStatus::renamed;
    added.change.old_path = gone->change.path;
    added.change.old_mode = gone->change.old_mode;
    added.change.old_blob = gone->change.old_blob;
    added.change.hunks.clear();
    added.change.binary = false;
    added.removed.clear();
    added.added.clear();
    gone->change.old_path.clear();  // taken
  }
  std::erase_if(files, [](const StreamedFile& f) {
    return f.change.status == model::ChangeStatus::deleted && f.change.old_path.empty();
  });
}

Result<StreamedFile> without_git(const Reader& reader, const TreeDelta& delta) {
  StreamedFile out;
  out.change = {.path = delta.path, .old_path = delta.path, .status = status_of(delta), .old_mode = delta.before.mode,
                .new_mode = delta.after.mode, .old_blob = delta.before.oid, .new_blob = delta.after.oid, .binary = false,
                .hunks = {}, .removed_sha = {}, .added_sha = {}};
  TextDiff diff;
  if (is_text_entry(delta.before) && is_text_entry(delta.after)) {
    auto compared = reader.diff_blobs(delta.before.oid, delta.after.oid);
    if (!compared.ok() && compared.error().kind != ErrorKind::not_found) return compared.error();
    if (compared.ok()) diff = std::move(*compared);
    else diff.binary = true;  // absent: nothing is known of its lines
  } else {
    const auto text = [&reader](const TreeEntry& e) -> std::string {
      if (e.mode == 0160000) return "Subproject commit " + e.oid + "\n";
      return e.mode == 0 ? std::string() : reader.blob(e.oid).value_or(std::string());
    };
    diff = reader.diff_text(text(delta.before), text(delta.after));
  }
  out.change.binary = diff.binary;
  out.change.hunks = std::move(diff.hunks);
  for (auto& line : diff.lines) (line.side == '-' ? out.removed : out.added).push_back(std::move(line.text));
  return out;
}

Result<StreamedCommit> commit_without_git(const Reader& reader, const Oid& oid) {
  StreamedCommit out;
  out.oid = oid;
  TRY_ASSIGN(const Commit commit, reader.commit(oid));
  Oid before;
  if (!commit.parents.empty()) {
    TRY_ASSIGN(before, reader.tree_of(commit.parents.front()));
  }
  TRY_ASSIGN(const auto deltas, reader.diff_trees(before, commit.tree));
  for (const auto& delta : deltas) {
    TRY_ASSIGN(auto file, without_git(reader, delta));
    out.files.push_back(std::move(file));
  }
  join_exact_renames(out.files);
  for (auto& file : out.files) hash_lines(file);
  return out;
}

class Walk {
 public:
  Walk(const Repo& repo, std::vector<Oid> line, const std::function<Result<void>(StreamedCommit&&)>& visit)
      : repo_(repo), line_(std::move(line)), visit_(visit) {}

  Result<void> run() {
    while (done_ < line_.size()) {
      const std::size_t before = done_;
      bool missing = false;
      TRY(one_process(missing));
      if (done_ == line_.size()) break;
      if (!missing && done_ == before) return make_error(ErrorKind::internal, "git log ended without the commit " + line_[done_]);
      TRY_ASSIGN(auto commit, commit_without_git(repo_.reader(), line_[done_]));
      TRY(hand_over(std::move(commit)));
    }
    return {};
  }

 private:
  Result<void> hand_over(StreamedCommit&& commit) {
    if (done_ >= line_.size() || commit.oid != line_[done_])
      return make_error(ErrorKind::internal, "git log named the commit " + commit.oid + " out of turn");
    ++done_;
    return visit_(std::move(commit));
  }

  Result<void> one_process(bool& missing) {
    core::ProcessOptions options;
    options.argv = log_command(repo_.git_dir());
    options.env = isolated_environment();
    TRY_ASSIGN(auto child, core::ChildProcess::start(options));
    std::string ids;
    for (std::size_t i = done_; i < line_.size(); ++i) ids += line_[i] + "\n";
    TRY(child.write(ids));
    child.close_stdin();
    ChangeParser parser([this](StreamedCommit&& commit) { return hand_over(std::move(commit)); });
    std::string bytes;
    while (true) {
      bytes.clear();
      TRY_ASSIGN(const std::size_t got, child.read_some(bytes, silence_ms));
      if (got == 0) break;
      TRY(parser.feed(bytes));
    }
    const int code = child.wait(60'000);
    if (code == 0) return parser.finish();
    const std::string words = child.take_stderr();
    missing = words.find("unable to read") != std::string::npos || words.find("ould not read") != std::string::npos ||
              words.find("cannot read") != std::string::npos;
    if (missing) return {};
    return make_error(ErrorKind::internal, fmt::format("git log ended with status {}: {}", code,
                                                       core::printable(core::trim(words), 300)));
  }

  const Repo& repo_;
  std::vector<Oid> line_;
  const std::function<Result<void>(StreamedCommit&&)>& visit_;
  std::size_t done_ = 0;
};

}  // namespace

Result<void> stream_changes(const Repo& repo, const Oid& after, const Oid& tip,
                            const std::function<Result<void>(StreamedCommit&&)>& visit) {
  TRY_ASSIGN(auto line, repo.reader().first_parents(after, tip));
  return Walk(repo, std::move(line), visit).run();
}

}  // namespace sluice::git

// SPDX-License-Identifier: Apache-2.0
// Front door of git/: the bare store, picks, writes, transfer. All of it with an isolated configuration
// (no user, system or in-tree configuration, no hooks, no filters).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/config.h"
#include "core/model/pick.h"
#include "core/model/proposal.h"
#include "git/read.h"

namespace sluice::git {

// The settings and the git version that a pick depends on; another value is another pick.
std::string pick_recipe_version();
// Versions of what reads and merges: "git", "libgit2".
std::map<std::string, std::string> tool_versions();

struct FetchLimits {
  std::int64_t pack_bytes = std::int64_t{4} << 30;
  std::int64_t objects = 20'000'000;
  int tree_depth = 100;
  std::size_t path_bytes = 4096;
  std::int64_t timeout_s = 3600;
};

struct FetchOutcome {
  Oid tip;
  bool shared = false;   // objects are read in place from a local repository that lacks some of them
  std::string note;      // for people: what was done or partly missing
};

// Landing's compare-and-swap, as git reported it.
struct PushOutcome {
  enum class Kind { landed, moved, rejected, lost } kind = Kind::lost;
  // moved: lease stale (trunk is elsewhere). rejected: permission, hook, protected (not retried).
  // lost: no answer; the caller re-reads the ref.
  std::string detail;
};

struct TreeUpdate {
  std::string path;
  std::optional<TreeEntry> entry;  // nullopt = remove
};

struct CommitSpec {
  Oid tree;
  std::vector<Oid> parents;
  model::Person author, committer;
  std::string message;  // UTF-8
};

class Repo;

// Picks through long-lived `git merge-tree --stdin` processes. One Picker per thread.
// Writes its objects into the repository it was opened on (a scratch one for planning).
class Picker {
 public:
  // `paths`: policy for missing blobs, deleted paths and `upstream = "ours"`. `merges_a_process`: how long a git
  // process lives. It keeps every object that it parsed (127 MB after 300 merges of a real line, 208 MB after
  // 2,000), and a new one reads them again (some 80 ms there): fewer where several Pickers work side by side.
  static Result<Picker> open(const Repo& repo, std::vector<model::PathConfig> paths, int merges_a_process = 256);
  Picker(Picker&&) noexcept;
  Picker& operator=(Picker&&) noexcept;
  ~Picker();
  // The machine merge M of `upstream` (against its mainline parent) onto tree `onto`, after policy
  // (GUARDRAILS 2.1). Never fails for one pick: trouble is status `error` with its cause.
  model::Pick pick(const Oid& upstream, const Oid& onto);
  // Reverse pick: the tree of `onto` with `commit` undone.
  model::Pick unpick(const Oid& commit, const Oid& onto);
  // Is the merge commit's tree git's own merge of its parents? True for a non-merge.
  Result<bool> is_own_merge(const Oid& merge_commit);

 private:
  struct State;
  explicit Picker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The bare store. Readers opened on `git_dir()` see everything it holds.
class Repo {
 public:
  // Creates it when absent; checks that it is bare and that info/attributes holds exactly our line.
  static Result<Repo> open(const std::string& git_dir);
  // A temporary repository whose object directory is its own and whose alternates are this store's:
  // for planning and gating. Removed on destruction.
  Result<Repo> scratch() const;
  // The same over foreign object stores (gate: two repositories and nothing else).
  static Result<Repo> scratch_over(const std::vector<std::string>& git_dirs);
  Repo(Repo&&) noexcept;
  Repo& operator=(Repo&&) noexcept;
  ~Repo();

  // What a killed process left: locks of refs, half-written objects, fetches under way. Without this one
  // `kill -9` would stop every later run at a ref that is locked by nobody.
  // REQUIRES: the caller is the only process that writes here (it holds the store's lock).
  Result<void> remove_left_over();

  const std::string& git_dir() const;
  Reader& reader() const;  // owned by the Repo; same thread rules

  // Tip of remote branch `branch` (or full commit id) into local ref `local_ref`. https, ssh and file
  // only; fsck of objects; caps; no tags, no submodules; `cancel` may be null.
  // A local repository that lacks objects is read in place through alternates (shared = true).
  // Errors: not_found (no such repository or branch: names both), denied (protocol, permission),
  // invalid (fsck, caps), transient (network, time-out).
  Result<FetchOutcome> fetch(const std::string& url, const std::string& branch, const std::string& local_ref,
                             const FetchLimits& limits, const std::atomic<bool>* cancel);
  // Errors: not_found when the branch is absent.
  Result<Oid> remote_tip(const std::string& url, const std::string& branch) const;
  // The branch that the remote's HEAD names. Errors: not_found (no repository, no or a detached HEAD).
  Result<std::string> default_branch(const std::string& url) const;
  // REQUIRES: expected_old is an ancestor of commit (checked; error conflict otherwise).
  // `git push --porcelain --force-with-lease=REF:OLD`, never forced.
  Result<PushOutcome> push(const std::string& url, const Oid& commit, const std::string& ref, const Oid& expected_old);

  Result<Oid> write_blob(std::string_view content);
  Result<Oid> write_tree(const Oid& base, const std::vector<TreeUpdate>& updates);  // base may be empty
  Result<Oid> write_commit(const CommitSpec& spec);
  // Compare-and-set: `expected_old` empty = must not exist; nullopt = whatever. Errors: conflict.
  Result<void> set_ref(const std::string& ref, const Oid& value, const std::optional<Oid>& expected_old);
  Result<void> delete_ref(const std::string& ref);
  Result<std::optional<Oid>> ref(const std::string& name) const;
  Result<std::vector<std::pair<std::string, Oid>>> refs(const std::string& prefix) const;
  // Copies commits/trees/blobs reachable from `oid` out of a scratch repository into this store.
  Result<void> adopt_objects(const Repo& from, const std::vector<Oid>& oids);
  // Writes a tree to an empty directory: no .git, refuses paths that leave it, submodules become empty
  // directories, blobs missing by policy are skipped and returned.
  Result<std::vector<model::DroppedPath>> export_tree(const Oid& tree, const std::string& dir,
                                                      const std::vector<model::PathConfig>& paths) const;
  // Three-way merge of three texts with diff3 markers of 31 characters (for the end-of-line rule).
  Result<std::string> merge_text(std::string_view base, std::string_view ours, std::string_view theirs, bool& clean) const;

  struct State;

 private:
  explicit Repo(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
  friend class Picker;
};


// Streams `git log --first-parent -m -p --raw -M -U0 -z` of a range, oldest first, in bounded memory:
// one process, no object read twice. Called once per commit with its files, hunks and changed lines.
struct StreamedFile {
  model::FileChange change;
  std::vector<std::string> removed, added;  // changed lines without LF, in order
};
struct StreamedCommit {
  Oid oid;
  std::vector<StreamedFile> files;
};
Result<void> stream_changes(const Repo& repo, const Oid& after, const Oid& tip,
                            const std::function<Result<void>(StreamedCommit&&)>& visit);

}  // namespace sluice::git

// SPDX-License-Identifier: Apache-2.0
// Front door of tools/: what a model may call while it answers the conflicts of one pick, and the virtual buffer that
// it edits. Nothing here writes a file, an object or a ref, runs a program or opens a connection. One file a tool.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/model/config.h"
#include "core/model/pick.h"
#include "core/model/proposal.h"
#include "core/model/upstream_commit.h"
#include "core/model/verdict.h"
#include "git/read.h"

namespace sluice::tools {

using model::Oid;

// What one run may see: the five names that the tools know, never a free ref. By value or not owned as said.
struct World {
  const git::Reader* reader = nullptr;  // not owned
  model::UpstreamCommit upstream;       // U
  Oid base_tree, ours_tree, theirs_tree, merged_tree;  // of B, D, U, M
  Oid onto_commit;                      // D as a commit, for why_line; empty = its history is not known
  std::vector<model::Conflict> conflicts;  // those that wait for an answer
  // What surer rungs did with the other conflicted files; `merged_tree` holds their text. Part of every draft.
  std::vector<model::Resolution> answered;
  std::vector<model::AccountEntry> answered_account;
  // False: no line of this path may be shown ([model] send, never_send). Null = all may.
  std::function<bool(std::string_view path)> may_send;
  // Why a path cannot be written ([[path]] protected and the like, G12); empty = it can. Null = all can.
  std::function<std::string(std::string_view path)> protected_why;
};

// One place that waits for an answer: a diff3 region, or (whole) a path that one side deleted.
struct Place {
  std::string path;
  git::Region region;      // whole: base, ours and theirs are the files; absent = empty
  bool whole = false;
  bool ours_absent = false, theirs_absent = false;  // whole only
  std::optional<std::string> answer;   // text in its place; whole: see `removed`
  bool removed = false;    // whole: the answer is that the path goes
  model::Rung rung = model::Rung::model;
  std::string rule;        // of a rule's answer; a model's: its endpoint and model
  std::string action, reason;  // action as the tools name it: ours, theirs, both_ours_first, ...
};

// What the buffer amounts to, against M. Trusted code makes a tree of it.
struct DraftFile {
  std::string path;
  std::optional<std::string> text;  // nullopt = removed
  std::uint32_t mode = 0100644;
};
struct Draft {
  Oid base;                         // the tree that `files` apply to: World::merged_tree
  std::vector<DraftFile> files;
  std::vector<model::Resolution> resolutions;
  std::vector<model::AccountEntry> account;
  bool complete = false;  // every place has an answer; else the markers of the rest stand in `files`
};

// One thing that the guardrails (or a compiler) say of a draft.
struct Finding {
  std::string rule;      // "G23", or the id of the build suite
  model::Judgement judgement = model::Judgement::explain;
  std::string path;
  std::int64_t line = 0;
  std::string text, detail;  // detail: what would lift it
  std::string item_id;   // sha256 of the line without whitespace: what account() takes; empty = none
  std::string kind;      // of the accounting entry that answers it; empty = none can
  int count = 1;
};
// Files of one conflicted path for a merge driver: git's %O %A %B, absent = nullopt.
struct DriverFiles {
  std::string path;
  std::string base, ours, theirs;
  int marker_size = 31;
};

// What trusted code does for a run. `service` implements it over guardrails and runners.
enum class Level { static_rules, compile };
class Checks {
 public:
  virtual ~Checks() = default;
  // Errors: those of git and of the runner; never "there are findings".
  virtual Result<std::vector<Finding>> findings(Level level, const Draft& draft) = 0;
  // Empty = the entry says the truth about this draft; else what is false.
  virtual Result<std::string> verify(const model::AccountEntry& entry, const Draft& draft) = 0;
  // The merged text, or nullopt where the driver left a conflict. Errors: the driver cannot be run.
  virtual Result<std::optional<std::string>> run_driver(const model::ResolverConfig& driver, const DriverFiles& files) = 0;
};

// An edit outside every region, as it was accepted.
struct Adaptation {
  std::string path, old_text, new_text, code, reason;
};

// The virtual buffer: M, its places, and what was put into them. One run, one thread.
class Buffer {
 public:
  // Errors: object_missing; invalid for a conflict that no text can answer (binary, submodule, ...): names the path.
  static Result<Buffer> open(const World& world);
  Buffer(Buffer&&) noexcept;
  Buffer& operator=(Buffer&&) noexcept;
  ~Buffer();

  const std::vector<Place>& places() const;
  const Place* place(std::string_view region_id) const;
  // Errors (all invalid, one sentence for the model): unknown id, text with a marker line, NUL, not UTF-8, longer than
  // base + ours + theirs + 40 lines, an action that the text does not bear out. An empty action is computed: for rungs
  // that are trusted code, whose SIDE entries are written as well.
  Result<void> resolve(std::string_view region_id, std::string text, const std::string& action, const std::string& reason,
                       model::Rung rung = model::Rung::model, const std::string& rule = "");
  void sign(std::string_view region_id, const std::string& rule);  // which model answered
  void forget(model::Rung rung);  // takes every answer of that rung out again
  // Exact text outside every region, once in the file. Errors: invalid.
  Result<void> adapt(const std::string& path, std::string_view old_text, std::string_view new_text, const std::string& code,
                     const std::string& reason);
  Result<void> account(model::AccountEntry entry);  // replaces an entry for the same item
  const std::vector<Adaptation>& adaptations() const;  // in the order in which they were made
  const std::vector<model::AccountEntry>& entries() const;  // what account() took; those of adapt() and resolve() are not among them
  // Content of `path` with what was answered so far (rev `proposed`); nullopt = absent or removed.
  Result<std::optional<std::string>> text(std::string_view path) const;
  // Where a region stands in text(path): its first line, 1-based, and its lines; none for an empty answer.
  struct Spot {
    std::size_t first_line = 1, lines = 0;
  };
  Spot spot(std::string_view region_id) const;  // REQUIRES: a place that is not whole
  Result<Draft> draft() const;

 private:
  struct State;
  explicit Buffer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// One tool as it is offered. The schema is the one that arguments are checked against.
struct Offer {
  std::string name, description;
  core::Json schema;
};

struct Answer {
  core::Json body;                  // untrusted text is wrapped: {"source":…,"untrusted":true,"text":…}
  bool is_error = false;
  bool schema_error = false;        // unknown tool or arguments that break its schema: the third in a row ends the run
  std::vector<std::string> paths;   // whose lines `body` holds
  enum class End { none, submitted, gave_up } end = End::none;
  std::string confidence, summary;  // submitted
  std::string category, question;   // gave_up
};

// The text of descriptions comes from prompts/, so that tools/ needs no edge to it: name -> description.
using Descriptions = std::vector<std::pair<std::string, std::string>>;

class Toolbox {
 public:
  // Not owned: world, buffer, checks. Errors: invalid when a tool has no description or one too many.
  static Result<Toolbox> open(const World& world, Buffer& buffer, Checks& checks, const Descriptions& descriptions);
  Toolbox(Toolbox&&) noexcept;
  Toolbox& operator=(Toolbox&&) noexcept;
  ~Toolbox();

  const std::vector<Offer>& offers() const;  // in the order of the table of tools
  // Total on any input. `arguments`: nullopt = they were no JSON value. Errors: outside failures only (git, runner).
  Result<Answer> call(std::string_view name, const std::optional<core::Json>& arguments);
  // For the stop conditions.
  int static_checks() const;   // run_checks and submit
  int compile_checks() const;
  int unchanged_rounds() const;  // rounds of checks since the set of findings last changed
  const std::vector<Finding>& last_findings() const;

 private:
  struct State;
  explicit Toolbox(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sluice::tools

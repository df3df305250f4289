// SPDX-License-Identifier: Apache-2.0
// Which upstream commits a commit of the fork says it brings: the one place that reads messages for it, asked by the
// import, by the score of what a team lands and by the history of a fork. Trees are compared elsewhere (recognise.h).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/model/disposition.h"
#include "core/model/oid.h"
#include "core/result.h"
#include "git/read.h"
#include "ingest/message.h"
#include "ingest/place.h"
#include "ingest/source_words.h"
#include "ingest/trailers.h"

namespace sluice::ingest {

// Shas as people write them: one that begins another is the same.
class ShaSet {
 public:
  void add(const std::string& sha) { shas_.insert(sha); }
  bool holds(std::string_view sha) const;

 private:
  std::set<std::string, std::less<>> shas_;
};

// A commit that lines of the message name.
struct NamedSource {
  std::string sha;    // as written
  Place place;        // absent, unless on upstream's line or brought by a merge of it
  model::Oid commit;  // the named commit; empty where no store has it
  bool older = false;  // behind the base: the fork has had it from the start
  model::Disposition disposition = model::Disposition::picked;
  bool configured = false;
  std::size_t rule = 0;  // as in trailers.h
  bool placed() const { return place.kind == Place::Kind::line || place.kind == Place::Kind::side; }
  bool lands() const { return disposition == model::Disposition::picked || disposition == model::Disposition::adapted; }
};

struct NamedSources {
  std::vector<NamedSource> named;  // the last of the text first, repeats kept
  std::string unit;                // Sluice-Unit
  // What the landed upstream commits say of others in their own messages. A pick repeats these words; they are
  // upstream's and decide nothing about the fork, whoever wrote them.
  ShaSet quoted, mentioned;
};

struct ListedSources {
  std::int64_t declared = 0;            // as in source_words.h
  bool several = false;
  std::vector<std::int64_t> positions;  // on the line
};

struct HeaderSource {
  std::int64_t position = 0;  // 0 = none
  bool author = false;        // subject, author and author date are upstream's
  std::string undoes;         // the subject of upstream that the header takes back
  bool ambiguous = false;     // several commits of upstream have that title
};

// Borrows the reader and the line. `base`: the commit before the line; empty = the line begins at its root.
class Sources {
 public:
  static Result<Sources> open(const git::Reader& reader, const std::vector<model::Oid>& line, model::Oid base,
                              const std::vector<std::string>& patterns);

  // Lines that name a sha.
  Result<NamedSources> named(const git::Commit& commit);
  // A bundle's list.
  Result<ListedSources> listed(const git::Commit& commit);
  // The longest words of the subject that are a subject of upstream, with its (#N) or with upstream's author and
  // date, and nothing in front that undoes it: `Revert "X (#1)" (#2)` is not X.
  Result<HeaderSource> header(const git::Commit& commit);
  // The subject without tags in front and numbers behind is that of one upstream commit. Weak: to be confirmed.
  Result<HeaderSource> title(const git::Commit& commit);
  // `Backport of #N` and the like, as positions; none when one of the numbers is nobody's. To be confirmed.
  Result<std::vector<std::int64_t>> numbered(const git::Commit& commit);

  // A message that reverts a commit of the fork may quote its trailers; what it quotes is what leaves. That commit.
  Result<std::optional<model::Oid>> undone(const git::Commit& commit, const model::Oid& upstream_tip) const;

  const MessageRules& messages() const { return messages_; }
  const SourceWords& words() const { return words_; }
  Place on_line(std::string_view sha) const { return placer_.on_line(sha); }
  Result<Place> find(std::string_view sha) { return placer_.find(sha); }
  const model::Oid& at(std::int64_t position) const { return (*line_)[static_cast<std::size_t>(position) - 1]; }

 private:
  Sources(const git::Reader& reader, const std::vector<model::Oid>& line, model::Oid base, TrailerRules trailers, MessageRules messages,
          SourceWords words);
  Result<void> load_index();
  Result<void> listen(const model::Oid& upstream, NamedSources& out) const;
  Result<void> look_behind_base(NamedSource& source) const;

  const git::Reader* reader_;
  const std::vector<model::Oid>* line_;
  model::Oid base_;
  TrailerRules trailers_;
  MessageRules messages_;
  SourceWords words_;
  Placer placer_;
  bool indexed_ = false;
  // Positions; 0 = several.
  std::unordered_map<std::string, std::int64_t> by_subject_, by_title_;
  std::unordered_map<std::int64_t, std::int64_t> by_number_;
};

}  // namespace sluice::ingest

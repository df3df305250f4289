// SPDX-License-Identifier: Apache-2.0
// One commit of a fork's history as a row, or the reason why it is none. Inner header of history.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "git/read.h"
#include "ingest/history.h"
#include "ingest/sources.h"

namespace sluice::ingest {

// Borrows all it is given. `one_base`: the fork left upstream once and never merged it, so that no commit of the line
// is in the fork by ancestry.
class LandedRows {
 public:
  LandedRows(const git::Reader& reader, Sources& sources, const HistoryOptions& options, bool one_base)
      : reader_(&reader), sources_(&sources), options_(&options), one_base_(one_base) {}

  Result<HistoryRow> row(const git::Commit& commit);

 private:
  struct Found {
    std::int64_t position = 0;  // 0 = behind the line's base
    Oid commit;
    std::int64_t time = 0;      // committer time, where position does not order
  };
  struct Doubt {  // why nothing was found, as far as it is known
    LeftOut why = LeftOut::no_source;
    std::string note;
    bool final = false;  // words of the subject do not mend it
  };
  // Each adds to `found` and says how; Result<void> is an error of reading.
  Result<void> by_lines(const git::Commit& commit, std::vector<Found>& found, HistoryRow& row, Doubt& doubt);
  static void sort_out(const std::vector<const NamedSource*>& lines, std::vector<Found>& found, Doubt& missing);
  static Result<void> give_up(const Doubt& why, std::vector<Found>& found, HistoryRow& row, Doubt& doubt);
  Result<void> by_words(const git::Commit& commit, std::vector<Found>& found, HistoryRow& row, Doubt& doubt);
  Result<bool> contains(const git::Commit& commit, const Found& found) const;
  Result<void> drop_by_date(const git::Commit& commit, std::vector<Found>& found, Doubt& doubt) const;
  Result<bool> takes_back(const git::Commit& commit, const std::vector<Found>& found, std::string& note) const;
  Result<void> confirm(const git::Commit& commit, HistoryRow& row) const;
  std::size_t kind_of(const NamedSource& source) const;
  void add(std::vector<Found>& found, std::int64_t position) const;

  const git::Reader* reader_;
  Sources* sources_;
  const HistoryOptions* options_;
  bool one_base_;
};

}  // namespace sluice::ingest

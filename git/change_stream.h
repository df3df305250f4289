// SPDX-License-Identifier: Apache-2.0
// Parser of `git log -z --raw -p -M -U0 --format=tformat:%x01%H`, fed in pieces. Inner header of git/.
//
//   commit := 0x01 OID NUL [ LF raw+ NUL section* ]
//   raw    := ':' OLDMODE SP NEWMODE SP OLDOID SP NEWOID SP LETTER [SCORE] NUL PATH NUL [ NEWPATH NUL ]
//   section := "diff --git ..." LF header lines, hunks
//   hunk   := "@@ -A[,B] +C[,D] @@..." LF, B lines '-', D lines '+', each maybe followed by "\ No newline"
// Sections come in the order of the raw records; a change of type has two. Hunk lines are counted, never
// recognised, so bytes in a file that look like any of this do no harm.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/hash.h"
#include "git/git.h"

namespace sluice::git {

class ChangeParser {
 public:
  using Visit = std::function<Result<void>(StreamedCommit&&)>;

  // `visit` is called for every commit that is known to be whole: the next one began, or `finish`.
  explicit ChangeParser(Visit visit) : visit_(std::move(visit)) {}
  Result<void> feed(std::string_view bytes);
  // End of a process that succeeded. Errors: invalid when the text breaks off.
  Result<void> finish();

 private:
  enum class At { commit, after_commit, raw, section, hunk_lines };
  Result<bool> step();  // false: more bytes are needed
  Result<bool> step_raw();
  Result<bool> step_section();
  Result<bool> step_hunk_line();
  Result<void> end_commit();
  bool open_hunk(std::string_view line);
  bool take_until(char end, std::string_view& field);

  Visit visit_;
  std::string buffer_;
  std::size_t offset_ = 0;
  At at_ = At::commit;
  bool in_commit_ = false;
  StreamedCommit commit_;
  std::size_t next_file_ = 0;      // raw record of the next section
  std::size_t file_ = 0;           // record of the section at hand
  int type_sections_ = 0;          // sections seen of a change of type
  std::uint64_t removed_left_ = 0, added_left_ = 0;
  std::size_t text_bytes_ = 0;     // changed lines held for the commit
};

// Fills removed_sha and added_sha from the changed lines.
void hash_lines(StreamedFile& file);

}  // namespace sluice::git

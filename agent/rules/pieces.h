// SPDX-License-Identifier: Apache-2.0
// A text as a sequence of pieces that are compared by id and printed as they were written. What a comparison passes
// over (blank lines between lines, blanks between tokens) stays with the piece behind it, so nothing is lost.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sluice::agent::rules {

struct Pieces {
  struct Spelling {
    std::string_view gap, body;  // of the text; the gap stands before the body
  };
  std::vector<int> ids;             // equal piece, equal id, across the texts that one Reader read
  std::vector<Spelling> spellings;  // as many as ids
  std::string_view tail;            // behind the last piece
  std::size_t size() const { return ids.size(); }
};

class PieceReader {
 public:
  // Lines that are not blank, compared without whitespace: `norm`. The gap holds the blank lines before.
  Pieces lines(std::string_view text);
  // Runs of word characters and other characters one by one: `tok`. Bytes above 0x7F belong to words.
  Pieces tokens(std::string_view text);
  // As tokens, and each run of blanks and tabs and each line end is a token too: `tokw`. The last line end is the tail.
  Pieces spaced_tokens(std::string_view text);

 private:
  int id_of(std::string_view text);
  std::unordered_map<std::string, int> ids_;
};

}  // namespace sluice::agent::rules

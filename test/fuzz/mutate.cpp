// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/mutate.h"

#include <algorithm>
#include <array>

#include "core/text.h"

namespace sluice::fuzz {

std::uint64_t Random::next() {
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  return (state_ * 0x2545F4914F6CDD1Dull) >> 16;
}

std::string Mutator::mutate(std::string_view entry) {
  std::string text(entry.substr(0, most_bytes));
  for (std::size_t i = random_.below(4) + 1; i > 0; --i) change(text);
  if (text.size() > most_bytes) text.resize(most_bytes);
  return text;
}

// Of the dictionary, or what parsers stumble over.
std::string Mutator::some_bytes() {
  static const std::array<std::string, 16> nasty = {std::string(1, '\0'), "\n", "\r\n", "\\\n", "\\", "\"", "'", "\xff", "\xc3", "\xed\xa0\x80",
                                                    "\xef\xbb\xbf", "\t", " ", "((((((((", "]]]]", "99999999999999999999"};
  if (words_.empty() || random_.below(3) == 0) return nasty[random_.below(nasty.size())];
  return words_[random_.below(words_.size())];
}

void Mutator::change(std::string& text) {
  const std::size_t at = random_.below(text.size() + 1);
  const std::size_t rest = text.size() - at;
  switch (random_.below(9)) {
    case 0:  // bits
      for (std::size_t i = random_.below(8) + 1; i > 0 && !text.empty(); --i)
        text[random_.below(text.size())] ^= static_cast<char>(1u << random_.below(8));
      break;
    case 1:
      if (at < text.size()) text[at] = static_cast<char>(random_.below(256));
      break;
    case 2: text.insert(at, some_bytes()); break;
    case 3: {
      const std::string word = some_bytes();
      text.replace(at, std::min(word.size(), rest), word);
      break;
    }
    case 4: text.erase(at, random_.below(std::min<std::size_t>(rest, 64) + 1)); break;
    case 5: text.resize(at); break;
    case 6: {  // a piece of it, several times
      const std::string piece = text.substr(at, random_.below(48) + 1);
      text.insert(at, repeated(piece, piece.size() * (random_.below(64) + 1)));
      break;
    }
    case 7: {  // its head and another's tail
      const std::string& other = entries_[random_.below(entries_.size())];
      text.replace(at, std::string::npos, other.substr(random_.below(other.size() + 1), most_bytes));
      break;
    }
    default: {  // a piece moves elsewhere
      const std::string piece = text.substr(at, random_.below(32) + 1);
      text.erase(at, piece.size());
      text.insert(random_.below(text.size() + 1), piece);
    }
  }
}

std::string repeated(std::string_view entry, std::size_t bytes) {
  std::string out;
  if (entry.empty()) return out;
  out.reserve(bytes + entry.size());
  while (out.size() + entry.size() <= bytes) out += entry;
  return out;
}

std::vector<std::string> read_dictionary(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view line : core::split_lines(text)) {
    const std::size_t open = line.find('"'), close = line.rfind('"');
    if (line.starts_with('#') || open == std::string_view::npos || close <= open) continue;
    const std::string_view quoted = line.substr(open + 1, close - open - 1);
    std::string word;
    for (std::size_t i = 0; i < quoted.size(); ++i) {
      if (quoted[i] != '\\' || i + 1 == quoted.size()) {
        word += quoted[i];
      } else if (quoted[i + 1] == 'x' && i + 3 < quoted.size()) {
        word += static_cast<char>(std::stoi(std::string(quoted.substr(i + 2, 2)), nullptr, 16));
        i += 3;
      } else {
        word += quoted[++i];
      }
    }
    if (!word.empty()) out.push_back(word);
  }
  return out;
}

}  // namespace sluice::fuzz

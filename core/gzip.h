// SPDX-License-Identifier: Apache-2.0
// Reads a file that may be packed with gzip, piece by piece. zlib is included in gzip.cpp alone.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"

namespace sluice::core {

// A stream of lines. A file that does not begin with the two bytes of gzip is read as it is. Several packed members
// one after the other are one text, as gzip itself reads them.
class LineReader {
 public:
  struct Limits {
    std::size_t max_line = 64u << 20;   // bytes of one line
    std::size_t max_total = std::size_t{4} << 30;   // bytes after unpacking: a packed file may be a thousandth of what is in it
  };
  // Errors: not_found, denied, invalid (not a regular file).
  static Result<LineReader> open(const std::string& path, Limits limits);
  static Result<LineReader> open(const std::string& path) { return open(path, Limits{}); }
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  // The next line without its LF, valid until the next call; a last line without LF counts. False at the end.
  // Errors: invalid (damaged or cut short, beyond a limit), transient (the file cannot be read on).
  Result<bool> next(std::string_view& line);
  std::size_t number() const;  // of the line last returned, from 1

 private:
  struct State;
  explicit LineReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sluice::core

// SPDX-License-Identifier: Apache-2.0
// Which identifiers a patch defines, removes or re-signs, and names. Lexical, a line at a time: fast, and
// blind to what only a compiler knows. It may send a commit to a chain that could have been bundled; it is
// never evidence that something is safe.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::ingest {

struct Symbols {
  std::vector<std::string> defined, removed, named;  // sorted, distinct
};

class SymbolScan {
 public:
  // The changed lines of one file, without LF.
  void add(std::string_view path, const std::vector<std::string>& removed_lines,
           const std::vector<std::string>& added_lines);
  // A definition that is removed here and added there with the same signature has moved: neither. The same
  // name with another signature is re-signed: `removed` alone.
  Symbols finish();

 private:
  std::map<std::string, std::multiset<std::string>, std::less<>> before_, after_;  // name -> signatures
  std::set<std::string, std::less<>> named_;
};

// (name, signature) of the definition or declaration on this line, if there is one.
// C, C++, CUDA: functions, classes, enums, namespaces, aliases, macros. Python: def, class, constants at
// column 0. TableGen: def, defm, class, multiclass, and the mnemonic of an operation. CMake: targets,
// functions, macros, options, variables.
struct Definition {
  std::string name, signature;
};
std::vector<Definition> definitions(std::string_view path, std::string_view line);

}  // namespace sluice::ingest

// SPDX-License-Identifier: Apache-2.0
#include "runners/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "core/text.h"

namespace sluice::runners {
namespace {

bool in_path(char c) { return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_.-/", c) != nullptr; }

bool stands_alone(std::string_view text, std::size_t at, std::size_t end) {
  const bool option = at >= 2 && text[at - 2] == '-' && (at == 2 || text[at - 3] == ' ');
  return (at == 0 || option || !in_path(text[at - 1])) && (end == text.size() || text[end] == '/' || !in_path(text[end]));
}

}  // namespace

std::string place_paths(std::string_view text, const Places& places) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto place = std::find_if(places.begin(), places.end(), [&](const auto& p) {
      return text.substr(at).starts_with(p.first) && stands_alone(text, at, at + p.first.size());
    });
    if (place == places.end()) {
      out += text[at++];
    } else {
      out += place->second;
      at += place->first.size();
    }
  }
  return out;
}

Result<void> check_places(const Places& places) {
  for (const auto& [name, directory] : places) {
    const auto bad = std::find_if(directory.begin(), directory.end(), [](char c) { return !in_path(c) && std::strchr("+@%", c) == nullptr; });
    if (bad != directory.end() || std::find(directory.begin(), directory.end(), '\0') != directory.end())
      return make_error(ErrorKind::invalid, fmt::format("'{}' cannot stand in the place of {} in a command: it holds a sign other than letters, "
                                                        "digits and _ . - / + @ %; put the store elsewhere", core::printable(directory), name));
  }
  return {};
}

}  // namespace sluice::runners

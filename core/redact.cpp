// SPDX-License-Identifier: Apache-2.0
// The register of secrets behind core/log.h.
#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "core/log.h"

namespace sluice::core {
namespace {

constexpr std::size_t shortest_secret = 6;

struct Secrets {
  std::mutex mutex;
  std::vector<std::string> needles;  // longest first, so that no half of one stays behind
};

// State of the process for the same reason as the log: whoever prints must not need to know the secrets.
Secrets& secrets() {
  static Secrets s;
  return s;
}

std::string base64(std::string_view in, std::string_view last_two) {
  std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  alphabet += last_two;
  std::string out;
  unsigned bits = 0;
  int held = 0;
  for (const char c : in) {
    bits = (bits << 8) | static_cast<unsigned char>(c);
    held += 8;
    while (held >= 6) {
      held -= 6;
      out += alphabet[(bits >> held) & 63];
    }
  }
  return out;  // the last, partial digit is left out: it depends on what follows
}

// The digits of the value inside a longer encoded text ("user:token"), for each of the three positions
// at which it can begin. Digits that also hold bits of a neighbour are left out.
void add_base64(std::vector<std::string>& to, std::string_view value) {
  constexpr std::array<std::size_t, 3> shared_digits = {0, 2, 3};
  for (const std::string_view last_two : {"+/", "-_"}) {
    for (std::size_t shift = 0; shift < 3; ++shift) {
      const std::string digits = base64(std::string(shift, '\0') + std::string(value), last_two);
      if (digits.size() > shared_digits[shift]) to.push_back(digits.substr(shared_digits[shift]));
    }
  }
}

std::string url_encoded(std::string_view value, std::string_view hex) {
  std::string out;
  for (const char c : value) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += hex[byte >> 4];
      out += hex[byte & 15];
    }
  }
  return out;
}

std::string hex_digits(std::string_view value, std::string_view hex) {
  std::string out;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    out += hex[byte >> 4];
    out += hex[byte & 15];
  }
  return out;
}

}  // namespace

std::vector<std::string> secret_forms(std::string_view value) {
  if (value.size() < shortest_secret) return {};
  constexpr std::string_view upper = "0123456789ABCDEF", lower = "0123456789abcdef";
  std::vector<std::string> forms = {std::string(value), url_encoded(value, upper), url_encoded(value, lower),
                                    hex_digits(value, upper), hex_digits(value, lower)};
  add_base64(forms, value);
  return forms;
}

void register_secret(std::string_view value) {
  std::vector<std::string> forms = secret_forms(value);
  Secrets& s = secrets();
  const std::lock_guard lock(s.mutex);
  for (std::string& form : forms) {
    if (std::find(s.needles.begin(), s.needles.end(), form) == s.needles.end())
      s.needles.push_back(std::move(form));
  }
  std::stable_sort(s.needles.begin(), s.needles.end(),
                   [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
}

namespace {

// `https://user:token@host` in any text, registered or not: what stands between `://` and `@`. A bare user
// name stays for ssh (git@host), where it is no secret.
std::string without_url_credentials(std::string_view text) {
  std::string out;
  for (std::size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://")) {
    const std::string_view rest = text.substr(at + 3);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?# \t\r\n\"'<>"));
    const std::size_t host = authority.rfind('@');
    const bool ssh = text.substr(0, at).ends_with("ssh");
    const bool secret = host != std::string_view::npos && !(ssh && authority.substr(0, host).find(':') == std::string_view::npos);
    out += text.substr(0, at + 3);
    if (secret) out += "[redacted]";
    text = secret ? rest.substr(host) : rest;
  }
  return out += text;
}

}  // namespace

std::string redact(std::string_view text) {
  constexpr std::string_view mask = "[redacted]";
  std::string out = without_url_credentials(text);
  Secrets& s = secrets();
  const std::lock_guard lock(s.mutex);
  for (const std::string& needle : s.needles) {
    for (std::size_t at = out.find(needle); at != std::string::npos;
         at = out.find(needle, at + mask.size())) {
      out.replace(at, needle.size(), mask);
    }
  }
  return out;
}

}  // namespace sluice::core

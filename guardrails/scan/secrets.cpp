// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/secrets.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/log.h"
#include "core/text.h"

namespace sluice::guardrails {
namespace {

using std::string_view;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alnum(char c) { return is_lower(c) || is_upper(c) || is_digit(c); }
bool is_wide(char c) { return is_alnum(c) || c == '_' || c == '-'; }
bool is_upper_alnum(char c) { return is_upper(c) || is_digit(c); }
bool is_alnum_dash(char c) { return is_alnum(c) || c == '-'; }
bool is_base64(char c) { return is_alnum(c) || c == '+' || c == '/' || c == '_' || c == '-' || c == '='; }

// What an issuer prints in front, and the least that follows of which characters.
struct Form {
  string_view prefix, kind;
  std::size_t least;
  bool (*of)(char);
  std::size_t most = 512;  // exactly that many where `least` is the same
};
constexpr Form forms[] = {
    {"ghp_", "github token", 36, is_alnum},
    {"gho_", "github token", 36, is_alnum},
    {"ghu_", "github token", 36, is_alnum},
    {"ghs_", "github token", 36, is_alnum},
    {"ghr_", "github token", 36, is_alnum},
    {"github_pat_", "github token", 40, is_wide},
    {"glpat-", "gitlab token", 20, is_wide},
    {"AKIA", "aws key id", 16, is_upper_alnum, 16},
    {"ASIA", "aws key id", 16, is_upper_alnum, 16},
    {"xoxb-", "slack token", 10, is_alnum_dash},
    {"xoxp-", "slack token", 10, is_alnum_dash},
    {"xoxa-", "slack token", 10, is_alnum_dash},
    {"xoxr-", "slack token", 10, is_alnum_dash},
    {"xoxs-", "slack token", 10, is_alnum_dash},
    {"xapp-", "slack token", 20, is_alnum_dash},
    {"sk-ant-", "anthropic key", 20, is_wide},
    {"sk-proj-", "openai key", 20, is_wide},
    {"sk-", "openai key", 32, is_alnum},
    {"AIza", "google key", 35, is_wide, 35},
    {"npm_", "npm token", 36, is_alnum, 36},
    {"hf_", "hugging face token", 34, is_alnum, 40},
    {"pypi-AgEI", "pypi token", 50, is_wide},
};

std::size_t run_of(string_view text, std::size_t at, bool (*of)(char), std::size_t most) {
  std::size_t n = 0;
  while (n < most && at + n < text.size() && of(text[at + n])) ++n;
  return n;
}

SecretFound known_form_at(string_view text, std::size_t at) {
  if (at > 0 && is_alnum(text[at - 1])) return {};
  for (const Form& form : forms) {
    if (!text.substr(at).starts_with(form.prefix)) continue;
    const std::size_t from = at + form.prefix.size();
    const std::size_t n = run_of(text, from, form.of, form.most);
    if (n < form.least) continue;
    if (from + n < text.size() && is_alnum(text[from + n]) && form.most != 512) continue;  // longer: something else
    return {form.kind, at, form.prefix.size() + n};
  }
  return {};
}

// `-----BEGIN ... PRIVATE KEY-----`, to its end or to the end of the text.
SecretFound key_block_at(string_view text, std::size_t at) {
  constexpr string_view begin = "-----BEGIN ", end = "-----END ", dashes = "-----";
  constexpr std::size_t longest_label = 40;
  if (!text.substr(at).starts_with(begin)) return {};
  const string_view label = text.substr(at + begin.size(), longest_label + dashes.size());
  const std::size_t close = label.find(dashes);
  if (close == string_view::npos || label.substr(0, close).find("PRIVATE KEY") == string_view::npos) return {};
  std::size_t stop = text.find(end, at + begin.size());
  if (stop != string_view::npos) stop = text.find(dashes, stop + end.size());
  return {"private key", at, (stop == string_view::npos ? text.size() : stop + dashes.size()) - at};
}

// Three base64 parts, of which two begin as `{"` does.
SecretFound web_token_at(string_view text, std::size_t at) {
  constexpr std::size_t most = 8192;
  if (!text.substr(at).starts_with("eyJ") || (at > 0 && is_wide(text[at - 1]))) return {};
  const std::size_t header = run_of(text, at, is_wide, most);
  std::size_t next = at + header;
  if (header < 13 || next >= text.size() || text[next] != '.' || !text.substr(next + 1).starts_with("eyJ")) return {};
  const std::size_t payload = run_of(text, next + 1, is_wide, most);
  next += 1 + payload;
  if (payload < 13 || next >= text.size() || text[next] != '.') return {};
  const std::size_t signature = run_of(text, next + 1, is_wide, most);
  if (signature < 10) return {};
  return {"json web token", at, next + 1 + signature - at};
}

// Made by a generator, not by a person: many kinds of characters that change often, and few repeats. Names in code
// change from small to capital letters at their words only.
bool looks_random(string_view word) {
  constexpr std::size_t least = 20;
  constexpr double least_changes = 0.28, least_bits = 3.2;
  if (word.size() < least) return false;
  std::array<int, 256> count{};
  std::size_t changes = 0, digits = 0;
  bool hex = true;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    ++count[static_cast<unsigned char>(c)];
    digits += is_digit(c) ? 1 : 0;
    hex = hex && (is_digit(c) || (c >= 'a' && c <= 'f'));
    if (i == 0) continue;
    const char before = word[i - 1];
    const bool letters = (is_lower(c) || is_upper(c)) && (is_lower(before) || is_upper(before));
    if ((letters && is_lower(before) && is_upper(c)) || (is_alnum(c) && is_alnum(before) && is_digit(c) != is_digit(before))) ++changes;
  }
  if (digits == 0 || digits == word.size() || word.starts_with("0x")) return false;
  if (hex && (word.size() == 40 || word.size() == 64)) return false;  // ids of objects, checksums
  const auto n = static_cast<double>(word.size());
  double bits = 0;
  for (const int times : count) {
    if (times > 0) bits -= times / n * std::log2(times / n);
  }
  return bits >= least_bits && static_cast<double>(changes) / n >= least_changes;
}

// Words after which a value is a secret; `token` alone is a word of every parser, so the value must look random.
constexpr string_view secret_words[] = {"password", "passwd",     "secret",     "token",       "api_key",    "apikey",
                                        "api-key",  "access_key", "access-key", "private_key", "credential", "authorization"};

// The value that stands behind `=`, `:` or a blank after the word at `at`, if it looks random.
SecretFound beside_word_at(string_view text, std::size_t at) {
  constexpr std::size_t farthest = 24;
  const auto word = std::find_if(std::begin(secret_words), std::end(secret_words), [&](string_view w) {
    return text.size() - at >= w.size() && core::to_lower(text.substr(at, w.size())) == w;
  });
  if (word == std::end(secret_words)) return {};
  std::size_t i = at + word->size();
  while (i < text.size() && is_wide(text[i]) && i < at + word->size() + farthest) ++i;  // token_for_x
  bool assigned = false;
  for (std::size_t steps = 0; steps < farthest && i < text.size() && text[i] != '\n'; ++steps) {
    if (const std::size_t n = run_of(text, i, is_base64, 512); n > 0 && text[i] != '=') {
      if (assigned && looks_random(text.substr(i, n))) return {"random text beside a word for a secret", i, n};
      if (n > 8) return {};  // some other word in between
      i += n;
      continue;
    }
    assigned = assigned || text[i] == '=' || text[i] == ':' || text[i] == '"' || text[i] == '\'';
    ++i;
  }
  return {};
}

}  // namespace

SecretScanner::SecretScanner(std::span<const std::string> held) {
  for (const std::string& value : held) {
    for (std::string& form : core::secret_forms(value)) forms_.push_back(std::move(form));
  }
  std::sort(forms_.begin(), forms_.end());
  forms_.erase(std::unique(forms_.begin(), forms_.end()), forms_.end());
  std::stable_sort(forms_.begin(), forms_.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

std::vector<SecretFound> SecretScanner::find(string_view text) const {
  std::vector<SecretFound> all;
  for (const std::string& form : forms_) {
    for (std::size_t at = text.find(form); at != string_view::npos; at = text.find(form, at + form.size()))
      all.push_back({held_secret, at, form.size()});
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    SecretFound found;
    switch (text[i]) {  // every form begins with one of these
      case '-': found = key_block_at(text, i); break;
      case 'e': found = web_token_at(text, i); break;
      case 'g': case 'A': case 'x': case 's': case 'n': case 'h': case 'p': found = known_form_at(text, i); break;
      default: break;
    }
    if (found.length == 0 && std::string_view("pPsStTaAcC").find(text[i]) != string_view::npos) found = beside_word_at(text, i);
    if (found.length == 0) continue;
    all.push_back(found);
    // A value stands behind its word; what is in between was no secret.
    i = found.at + found.length - 1;
  }
  std::stable_sort(all.begin(), all.end(), [](const SecretFound& a, const SecretFound& b) { return a.at < b.at; });
  std::vector<SecretFound> out;
  for (const SecretFound& found : all) {
    if (out.empty() || found.at >= out.back().at + out.back().length) {
      out.push_back(found);
      continue;
    }
    // Two that overlap are one, and a held one gives the name.
    SecretFound& last = out.back();
    last.length = std::max(last.at + last.length, found.at + found.length) - last.at;
    if (found.kind == held_secret) last.kind = held_secret;
  }
  return out;
}

std::string SecretScanner::redact(string_view text) const {
  std::string out;
  std::size_t from = 0;
  for (const SecretFound& found : find(text)) {
    out += text.substr(from, found.at - from);
    out += "[redacted:";
    out += found.kind;
    out += ']';
    from = found.at + found.length;
  }
  return out += text.substr(from);
}

std::vector<SecretFound> find_secrets(string_view text, std::span<const std::string> held) { return SecretScanner(held).find(text); }

std::string redact(string_view text, std::span<const std::string> held) { return SecretScanner(held).redact(text); }

}  // namespace sluice::guardrails

// SPDX-License-Identifier: Apache-2.0
// Reading a transcript: is it a chain, and is everything there that it names?
#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "agent/loop/transcript_line.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

constexpr std::array types = {"start", "llm_request", "llm_response", "tool_call", "tool_result", "guardrail", "budget", "retry", "stop"};
constexpr std::size_t longest_file = 512u << 20;

Error broken(const std::string& dir, const std::string& run, std::int64_t line, std::string_view what) {
  return make_error(ErrorKind::invalid, fmt::format("{}:{}: {}", transcript_file(dir, run), line, what));
}

// Calls `each` with every whole line and its JSON.
template <class Each>
Result<ReadTranscript> read_lines(const std::string& dir, const std::string& run, Each&& each) {
  TRY(check_run_id(run));
  ReadTranscript out;
  const std::string file = transcript_file(dir, run);
  if (!core::exists(file)) return out;
  TRY_ASSIGN(const std::string text, core::read_file(file, longest_file));
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) {
      out.torn_bytes = rest.size();
      break;
    }
    const std::string_view line = rest.substr(0, end);
    const std::int64_t number = ++out.check.lines;
    const Result<core::Json> json = core::Json::parse(line);
    if (!json.ok()) return broken(dir, run, number, "it is not JSON: " + json.error().message);
    const std::string& type = (*json)["type"].as_string();
    if ((*json)["v"].as_int() != 1) return broken(dir, run, number, "its version is not 1");
    if (!is_known_type(type)) return broken(dir, run, number, fmt::format("'{}' is no type of event", core::printable(type)));
    if ((*json)["run"].as_string() != run) return broken(dir, run, number, "it belongs to another run");
    if ((*json)["seq"].as_int() != number) return broken(dir, run, number, fmt::format("its number is {}", (*json)["seq"].as_int()));
    if ((*json)["prev"].as_string() != out.check.last_sha256)
      return broken(dir, run, number, "it does not name the line before it: the chain is broken");
    TRY(each(number, *json));
    out.check.last_sha256 = core::sha256_hex(line);
    out.check.stopped = type == "stop";
    out.whole_bytes += end + 1;
    rest.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace

Result<void> check_run_id(std::string_view run) {
  const auto plain = [](unsigned char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_'; };
  if (!run.empty() && run.size() <= 64 && std::all_of(run.begin(), run.end(), plain)) return {};
  return make_error(ErrorKind::invalid, fmt::format("'{}' is no id of a run (letters, digits, - and _, at most 64)", core::printable(run)));
}

std::string transcript_file(const std::string& dir, const std::string& run) { return core::join_path(dir, run + ".jsonl"); }
std::string blob_file(const std::string& dir, std::string_view sha256) { return core::join_path(core::join_path(dir, "blobs"), sha256); }
bool is_known_type(std::string_view type) { return std::find(types.begin(), types.end(), type) != types.end(); }

core::Json masked_strings(const core::Json& value, const Mask& mask) {
  if (!mask) return value;
  if (value.is_string()) return core::Json(mask(value.as_string()));
  if (value.is_array()) {
    core::Json out = core::Json::array();
    for (const core::Json& item : value.items()) out.push(masked_strings(item, mask));
    return out;
  }
  if (!value.is_object()) return value;
  core::Json out = core::Json::object();
  for (const auto& [key, item] : value.members()) out.set(mask(key), masked_strings(item, mask));
  return out;
}

Result<ReadTranscript> read_transcript(const std::string& dir, const std::string& run) {
  return read_lines(dir, run, [](std::int64_t, const core::Json&) { return Result<void>(); });
}

Result<TranscriptCheck> verify_transcript(const std::string& dir, const std::string& run) {
  if (check_run_id(run).ok() && !core::exists(transcript_file(dir, run)))
    return make_error(ErrorKind::not_found, fmt::format("there is no transcript {}", transcript_file(dir, run)));
  TRY_ASSIGN(const ReadTranscript read, read_lines(dir, run, [&](std::int64_t number, const core::Json& line) -> Result<void> {
               for (const core::Json& blob : line["blobs"].items()) {
                 const std::string& sha = blob.as_string();
                 if (!core::is_hex(sha, 64)) return broken(dir, run, number, "it names a blob that is no sha256");
                 const Result<std::string> bytes = core::read_file(blob_file(dir, sha));
                 if (!bytes.ok()) return broken(dir, run, number, fmt::format("blob {} cannot be read: {}", sha, bytes.error().message));
                 if (core::sha256_hex(*bytes) != sha) return broken(dir, run, number, fmt::format("blob {} was changed", sha));
               }
               return {};
             }));
  if (read.torn_bytes > 0 && read.check.stopped)
    return broken(dir, run, read.check.lines + 1, "something stands after the line that ends the run");
  return read.check;
}

// 48 bits of time in milliseconds and 80 of chance, as 26 digits of Crockford's base 32.
std::string new_run_id(const core::Clock& clock) {
  constexpr std::string_view digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  std::array<unsigned char, 16> bytes{};
  const auto ms = static_cast<std::uint64_t>(std::max<core::UnixTime>(clock.now(), 0)) * 1000;
  for (std::size_t i = 0; i < 6; ++i) bytes[i] = static_cast<unsigned char>(ms >> (8 * (5 - i)));
  for (std::size_t have = 6; have < bytes.size();) {
    const ssize_t n = ::getrandom(bytes.data() + have, bytes.size() - have, 0);
    if (n > 0) have += static_cast<std::size_t>(n);
  }
  std::string out;
  unsigned value = 0;
  int bits = 2;  // 130 digits' bits hold 128: the first digit has two zeros in front
  for (const unsigned char byte : bytes) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out += digits[(value >> bits) & 31];
    }
  }
  return out;
}

}  // namespace sluice::agent

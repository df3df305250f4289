// SPDX-License-Identifier: Apache-2.0
// Recordings: a folder with `endpoint.json` (what the endpoint can do; neither its address nor its key) and one file
// an attempt, `000001.json` and so on in the order in which they were made:
//
//   {"v":1,"key":…,"request":{…},"status":200,"headers":[["request-id","…"]],"body":"…","chunks":[17,300],
//    "trouble":"","trouble_detail":"","sha256":…}
//
// `key`: sha256 over dialect, model and the canonical request. `body`: the bytes as they came, `chunks` the sizes of
// the pieces; `body_hex` instead where they are not UTF-8. `sha256`: over the file's other members, so that an altered
// file is found. Headers of the request are never in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/llm/llm.h"

namespace sluice::agent {

struct Cassette {
  std::string file;  // its name, for messages
  std::string key;
  core::Json request;
  WireAnswer answer;
};

std::string cassette_key(const model::EndpointConfig& endpoint, std::string_view canonical_request);

// Secrets that the process knows are masked in what is written. Errors: denied, transient.
Result<void> write_cassette(const std::string& dir, const model::EndpointConfig& endpoint, std::string_view request, const WireAnswer& answer);
// In recorded order. Errors: not_found; invalid, naming the file.
Result<std::vector<Cassette>> read_cassettes(const std::string& dir, const model::EndpointConfig& endpoint);

// Errors: invalid when another endpoint's recordings lie there; denied, transient.
Result<void> write_endpoint(const std::string& dir, const model::EndpointConfig& endpoint);
Result<model::EndpointConfig> read_endpoint(const std::string& dir);

// JSON pointer of the first place in which two values differ; "" when they are equal or differ as a whole.
std::string first_difference(const core::Json& a, const core::Json& b);

}  // namespace sluice::agent

// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text.h"

namespace sluice::core {
namespace {

void write_string(std::string& out, std::string_view bytes) {
  const std::string text = is_utf8(bytes) ? std::string(bytes) : to_utf8(bytes);
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void write_double(std::string& out, double d) {
  if (!std::isfinite(d)) {  // JSON has no word for it
    out += "null";
    return;
  }
  const std::string text = fmt::format("{}", d);  // shortest text that reads back as the same double
  out += text;
  if (text.find_first_of(".e") == std::string::npos) out += ".0";  // stays a double when read again
}

// indent < 0: everything on one line.
void write(std::string& out, const Json& j, int indent) {
  const int deeper = indent < 0 ? -1 : indent + 2;
  const auto newline = [&](int columns) {
    if (columns < 0) return;
    out += '\n';
    out.append(static_cast<std::size_t>(columns), ' ');
  };
  if (j.is_null()) {
    out += "null";
  } else if (j.is_bool()) {
    out += j.as_bool() ? "true" : "false";
  } else if (j.is_int()) {
    out += std::to_string(j.as_int());
  } else if (j.is_number()) {
    write_double(out, j.as_double());
  } else if (j.is_string()) {
    write_string(out, j.as_string());
  } else if (j.is_array()) {
    out += '[';
    bool first = true;
    for (const Json& item : j.items()) {
      if (!first) out += ',';
      first = false;
      newline(deeper);
      write(out, item, deeper);
    }
    if (!first) newline(indent);
    out += ']';
  } else {
    out += '{';
    bool first = true;
    for (const auto& [key, value] : j.members()) {
      if (!first) out += ',';
      first = false;
      newline(deeper);
      write_string(out, key);
      out += indent < 0 ? ":" : ": ";
      write(out, value, deeper);
    }
    if (!first) newline(indent);
    out += '}';
  }
}

// Builds our value from nlohmann's events: no second tree, and depth is checked on the way down.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(std::size_t max_depth) : max_depth_(max_depth) {}

  bool null() override { return add(Json()); }
  bool boolean(bool b) override { return add(Json(b)); }
  bool number_integer(number_integer_t i) override { return add(Json(static_cast<std::int64_t>(i))); }
  bool number_unsigned(number_unsigned_t u) override {
    // Beyond the signed range we keep the magnitude as other JSON readers do, never a wrapped number.
    if (u > static_cast<std::uint64_t>(INT64_MAX)) return add(Json(static_cast<double>(u)));
    return add(Json(static_cast<std::int64_t>(u)));
  }
  bool number_float(number_float_t d, const string_t&) override { return add(Json(d)); }
  bool string(string_t& s) override { return add(Json(std::move(s))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool key(string_t& k) override {
    stack_.back().key = std::move(k);
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) override {
    const std::string_view what = e.what();
    const std::size_t colon =
        what.find(": ");  // after "[json.exception...] parse error at line .., column .."
    error = fmt::format("not JSON at byte {}: {}", position,
                        printable(colon == std::string_view::npos ? what : what.substr(colon + 2)));
    return false;
  }

  Json root;
  std::string error;

 private:
  struct Level {
    Json value;
    std::string key;  // of the member being read; objects only
  };

  bool add(Json value) {
    if (stack_.empty()) {
      root = std::move(value);
    } else if (stack_.back().value.is_array()) {
      stack_.back().value.push(std::move(value));
    } else {
      stack_.back().value.set(stack_.back().key, std::move(value));
    }
    return true;
  }
  bool open(Json container) {
    if (stack_.size() >= max_depth_) {
      error = fmt::format("JSON is nested deeper than {} levels", max_depth_);
      return false;
    }
    stack_.push_back({std::move(container), {}});
    return true;
  }
  bool close() {
    Json done = std::move(stack_.back().value);
    stack_.pop_back();
    return add(std::move(done));
  }

  std::size_t max_depth_;
  std::vector<Level> stack_;
};

}  // namespace

Json Json::object(std::initializer_list<std::pair<std::string, Json>> members) {
  Object o;
  for (const auto& [key, value] : members) o.insert_or_assign(key, value);
  return Json(std::move(o));
}

bool Json::as_bool(bool otherwise) const {
  const bool* b = std::get_if<bool>(&v_);
  return b != nullptr ? *b : otherwise;
}

std::int64_t Json::as_int(std::int64_t otherwise) const {
  const std::int64_t* i = std::get_if<std::int64_t>(&v_);
  return i != nullptr ? *i : otherwise;
}

double Json::as_double(double otherwise) const {
  if (const double* d = std::get_if<double>(&v_)) return *d;
  if (const std::int64_t* i = std::get_if<std::int64_t>(&v_)) return static_cast<double>(*i);
  return otherwise;
}

const std::string& Json::as_string() const {
  static const std::string none;
  const std::string* s = std::get_if<std::string>(&v_);
  return s != nullptr ? *s : none;
}

const Json::Array& Json::items() const {
  static const Array none;
  const Array* a = std::get_if<Array>(&v_);
  return a != nullptr ? *a : none;
}

const Json::Object& Json::members() const {
  static const Object none;
  const Object* o = std::get_if<Object>(&v_);
  return o != nullptr ? *o : none;
}

const Json& Json::operator[](std::string_view key) const {
  static const Json none;
  const Object& o = members();
  const auto it = o.find(key);
  return it != o.end() ? it->second : none;
}

bool Json::has(std::string_view key) const { return members().contains(key); }

Json& Json::set(std::string_view key, Json value) {
  if (is_null()) v_ = Object{};
  SLUICE_CHECK(is_object());
  std::get<Object>(v_).insert_or_assign(std::string(key), std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  if (is_null()) v_ = Array{};
  SLUICE_CHECK(is_array());
  std::get<Array>(v_).push_back(std::move(value));
  return *this;
}

std::string Json::dump() const {
  std::string out;
  write(out, *this, -1);
  return out;
}

std::string Json::pretty() const {
  std::string out;
  write(out, *this, 0);
  out += '\n';
  return out;
}

Result<Json> Json::parse(std::string_view text, Limits limits) {
  if (text.size() > limits.max_bytes) {
    return make_error(ErrorKind::invalid, fmt::format("JSON of {} bytes is larger than the limit of {} bytes",
                                                      text.size(), limits.max_bytes));
  }
  Builder builder(limits.max_depth);
  try {
    if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return std::move(builder.root);
  } catch (const nlohmann::json::exception& e) {
    builder.error = fmt::format("not JSON: {}", printable(e.what()));
  }
  return make_error(ErrorKind::invalid, builder.error.empty() ? "not JSON" : std::move(builder.error));
}

}  // namespace sluice::core

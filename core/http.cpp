// SPDX-License-Identifier: Apache-2.0
#include "core/http.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <array>
#include <exception>
#include <mutex>

#include "core/clock.h"
#include "core/log.h"
#include "core/text.h"

namespace sluice::core {
namespace {

constexpr std::size_t max_head_bytes = 256u << 10;  // all header lines of one answer
constexpr int poll_ms = 100;

struct EasyEnd {
  void operator()(CURL* h) const { curl_easy_cleanup(h); }
};
struct MultiEnd {
  void operator()(CURLM* h) const { curl_multi_cleanup(h); }
};
struct ListEnd {
  void operator()(curl_slist* l) const { curl_slist_free_all(l); }
};
struct UrlEnd {
  void operator()(CURLU* u) const { curl_url_cleanup(u); }
};
using Easy = std::unique_ptr<CURL, EasyEnd>;
using Multi = std::unique_ptr<CURLM, MultiEnd>;
using List = std::unique_ptr<curl_slist, ListEnd>;

bool is_token(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                                 "!#$%&'*+-.^_`|~") == std::string_view::npos;
}

bool has_control(std::string_view text) {
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if ((u < 0x20 && c != '\t') || u == 0x7f) return true;
  }
  return false;
}

// The URL itself is in no message: a query may hold a key.
Result<void> check_url(const std::string& url) {
  const auto bad = [](std::string_view why) {
    return make_error(ErrorKind::invalid, fmt::format("this URL cannot be asked: {}; it must be http://... or https://...", why));
  };
  if (has_control(url) || url.find(' ') != std::string::npos) return bad("it holds a blank or a control character");
  const std::unique_ptr<CURLU, UrlEnd> parsed(curl_url());
  if (parsed == nullptr || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
    return bad("it has no scheme or no host");
  }
  const auto part = [&](CURLUPart which) {
    char* text = nullptr;
    std::string out;
    if (curl_url_get(parsed.get(), which, &text, 0) == CURLUE_OK && text != nullptr) out = text;
    curl_free(text);
    return out;
  };
  const std::string scheme = part(CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") return bad(fmt::format("its scheme is {}", printable(scheme, 20)));
  if (!part(CURLUPART_USER).empty() || !part(CURLUPART_PASSWORD).empty()) return bad("it holds a user or a password");
  return {};
}

Result<void> check_request(const HttpRequest& request) {
  TRY(check_url(request.url));
  if (!is_token(request.method)) {
    return make_error(ErrorKind::invalid, fmt::format("'{}' is no HTTP method", printable(request.method, 40)));
  }
  for (const auto& [name, value] : request.headers) {
    if (!is_token(name)) return make_error(ErrorKind::invalid, fmt::format("'{}' is no header name", printable(name, 60)));
    if (has_control(value)) {
      return make_error(ErrorKind::invalid,
                        fmt::format("the value of header {} holds a line end or another control character; nothing was sent", name));
    }
  }
  if (has_control(request.proxy)) return make_error(ErrorKind::invalid, "the URL of the proxy holds a control character");
  return {};
}

// What the callbacks of one exchange share.
struct Flow {
  const HttpRequest& request;
  const std::function<void(const HttpResponse&)>& on_head;
  const std::function<void(std::string_view)>& on_data;
  HttpResponse response;
  std::size_t head_bytes = 0, body_bytes = 0;
  curl_off_t moved = 0;
  std::int64_t last_byte_ms = steady_ms();
  bool headers_over = false, head_told = false, too_large = false;
  std::exception_ptr thrown;  // of a callback: it must not fly through C

  void tell_head() {
    if (std::exchange(head_told, true)) return;
    if (on_head) on_head(response);
  }
};

std::size_t take_header(char* bytes, std::size_t, std::size_t size, void* user) {
  auto& flow = *static_cast<Flow*>(user);
  const std::string_view line = trim(std::string_view(bytes, size));
  flow.head_bytes += size;
  if (flow.head_bytes > max_head_bytes) {
    flow.too_large = true;
    return 0;
  }
  if (flow.body_bytes > 0 || flow.head_told) return size;  // a trailer
  if (line.substr(0, 5) == "HTTP/") {
    flow.response = {};  // of a 1xx before the answer proper
    flow.headers_over = false;
    const std::size_t blank = line.find(' ');
    if (blank != std::string_view::npos) {
      for (const char c : line.substr(blank + 1, 3)) {
        if (c < '0' || c > '9') break;
        flow.response.status = flow.response.status * 10 + (c - '0');
      }
    }
  } else if (line.empty()) {
    flow.headers_over = flow.response.status >= 200;
  } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos && !flow.headers_over) {
    flow.response.headers.emplace_back(trim(line.substr(0, colon)), trim(line.substr(colon + 1)));
  }
  return size;
}

// Called with every round of the transfer. Own watch over silence: CURLOPT_LOW_SPEED_TIME goes by an average over
// some seconds, and notices it that much later.
int take_progress(void* user, curl_off_t, curl_off_t down, curl_off_t, curl_off_t up) {
  auto& flow = *static_cast<Flow*>(user);
  const curl_off_t moved = down + up + static_cast<curl_off_t>(flow.head_bytes);
  if (moved != flow.moved) flow.last_byte_ms = steady_ms();
  flow.moved = moved;
  return 0;
}

std::size_t take_data(char* bytes, std::size_t, std::size_t size, void* user) {
  auto& flow = *static_cast<Flow*>(user);
  if (size > flow.request.max_bytes - flow.body_bytes) {
    flow.too_large = true;
    return size + 1;  // anything but `size` ends the transfer
  }
  flow.body_bytes += size;
  try {
    flow.tell_head();
    if (flow.on_data) {
      flow.on_data(std::string_view(bytes, size));
    } else {
      flow.response.body.append(bytes, size);
    }
  } catch (...) {
    flow.thrown = std::current_exception();
    return size + 1;
  }
  return size;
}

List header_list(const HttpRequest& request) {
  List list;
  const auto add = [&](const std::string& line) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) return;
    (void)list.release();
    list.reset(longer);
  };
  // A body over 1 MiB would wait a second for a "100 Continue" that few servers send.
  add("Expect:");
  bool typed = false;
  for (const auto& [name, value] : request.headers) typed = typed || to_lower(name) == "content-type";
  if (!typed) add("Content-Type:");  // else curl says that a body is a form
  for (const auto& [name, value] : request.headers) add(value.empty() ? name + ";" : name + ": " + value);
  return list;
}

void set_options(CURL* h, const HttpRequest& request, Flow& flow, curl_slist* headers, char* error) {
  curl_easy_setopt(h, CURLOPT_ERRORBUFFER, error);
  curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(h, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(h, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(h, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  // Both set, else the environment (http_proxy, no_proxy) decides where a prompt goes.
  curl_easy_setopt(h, CURLOPT_PROXY, request.proxy.c_str());
  curl_easy_setopt(h, CURLOPT_NOPROXY, "");
  curl_easy_setopt(h, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(h, CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));  // a proxy sees no header of ours
  curl_easy_setopt(h, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  curl_easy_setopt(h, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(h, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(h, CURLOPT_SSL_VERIFYHOST, 2L);
  if (!request.ca_file.empty()) {  // it replaces the system's, it does not add to them
    curl_easy_setopt(h, CURLOPT_CAINFO, request.ca_file.c_str());
    curl_easy_setopt(h, CURLOPT_CAPATH, nullptr);
  }
  curl_easy_setopt(h, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
  curl_easy_setopt(h, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout_ms));
  curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, static_cast<long>(request.total_timeout_ms));
  curl_easy_setopt(h, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(h, CURLOPT_XFERINFOFUNCTION, take_progress);
  curl_easy_setopt(h, CURLOPT_XFERINFODATA, &flow);
  curl_easy_setopt(h, CURLOPT_QUICK_EXIT, 1L);  // a cancelled call does not wait for a name server
  curl_easy_setopt(h, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(h, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(h, CURLOPT_HEADERDATA, &flow);
  curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, take_data);
  curl_easy_setopt(h, CURLOPT_WRITEDATA, &flow);
  if (request.method == "GET") {
    curl_easy_setopt(h, CURLOPT_HTTPGET, 1L);
  } else if (request.method == "HEAD") {
    curl_easy_setopt(h, CURLOPT_NOBODY, 1L);
  } else {
    curl_easy_setopt(h, CURLOPT_POST, 1L);
    curl_easy_setopt(h, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(h, CURLOPT_POSTFIELDS, request.body.data());  // not copied: the request outlives the call
    if (request.method != "POST") curl_easy_setopt(h, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
}

bool is_connected(CURL* h) {
  curl_off_t before_transfer = 0;
  curl_easy_getinfo(h, CURLINFO_PRETRANSFER_TIME_T, &before_transfer);
  return before_transfer != 0;
}

bool is_silent(CURL* h, const Flow& flow) {
  return flow.request.idle_timeout_s > 0 && steady_ms() - flow.last_byte_ms > flow.request.idle_timeout_s * 1000 && is_connected(h);
}

HttpTrouble::Kind kind_of(CURLcode code, CURL* h, const Flow& flow) {
  using Kind = HttpTrouble::Kind;
  if (flow.too_large) return Kind::too_large;
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return Kind::resolve;
    case CURLE_COULDNT_CONNECT:
      return Kind::connect;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
      return Kind::tls;
    case CURLE_OPERATION_TIMEDOUT:
      return is_connected(h) ? Kind::time_out : Kind::connect;
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return Kind::reset;
    default:
      return Kind::other;
  }
}

std::string detail_of(HttpTrouble::Kind kind, CURLcode code, const char* error, const HttpRequest& request) {
  if (kind == HttpTrouble::Kind::too_large) return fmt::format("the answer is longer than {} bytes", request.max_bytes);
  if (kind == HttpTrouble::Kind::idle) return fmt::format("no byte came for {} s", request.idle_timeout_s);
  if (kind == HttpTrouble::Kind::time_out) return fmt::format("not complete after {} ms", request.total_timeout_ms);
  return redact(printable(error[0] != '\0' ? error : curl_easy_strerror(code)));
}

}  // namespace

std::string_view HttpResponse::header(std::string_view name) const {
  const std::string wanted = to_lower(name);
  for (const auto& [key, value] : headers) {
    if (to_lower(key) == wanted) return value;
  }
  return {};
}

std::string_view to_string(HttpTrouble::Kind kind) {
  switch (kind) {
    case HttpTrouble::Kind::resolve: return "resolve";
    case HttpTrouble::Kind::connect: return "connect";
    case HttpTrouble::Kind::tls: return "tls";
    case HttpTrouble::Kind::reset: return "reset";
    case HttpTrouble::Kind::idle: return "idle";
    case HttpTrouble::Kind::time_out: return "time_out";
    case HttpTrouble::Kind::too_large: return "too_large";
    case HttpTrouble::Kind::cancelled: return "cancelled";
    case HttpTrouble::Kind::other: break;
  }
  return "other";
}

// Connections live in multi handles, and each call borrows one for itself. One cache in a CURLSH would be simpler, but
// libcurl before 8.x must not share connections between threads that run at once (its KNOWN_BUGS says so).
struct HttpClient::State {
  std::mutex mutex;
  std::vector<Multi> idle;

  Multi borrow() {
    const std::lock_guard lock(mutex);
    if (idle.empty()) return Multi(curl_multi_init());
    Multi out = std::move(idle.back());
    idle.pop_back();
    return out;
  }
  void give_back(Multi multi) {
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(multi));
  }
};

HttpClient::HttpClient() : state_(std::make_unique<State>()) {
  // Not thread-safe in older builds; a static is initialised once, by one thread.
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  SLUICE_CHECK(ready == CURLE_OK);
}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

Result<HttpExchange> HttpClient::send(const HttpRequest& request, const std::function<void(const HttpResponse&)>& on_head,
                                      const std::function<void(std::string_view)>& on_data, const std::atomic<bool>* cancel) {
  TRY(check_request(request));
  Multi multi = state_->borrow();
  Easy easy(curl_easy_init());
  if (multi == nullptr || easy == nullptr) return make_error(ErrorKind::transient, "libcurl has no memory for a request");

  Flow flow{.request = request, .on_head = on_head, .on_data = on_data, .response = {}, .thrown = {}};
  const List headers = header_list(request);
  std::array<char, CURL_ERROR_SIZE> error{};
  set_options(easy.get(), request, flow, headers.get(), error.data());
  curl_multi_add_handle(multi.get(), easy.get());

  bool cancelled = false, silent = false;
  CURLcode code = CURLE_OK;
  for (int running = 1; running > 0;) {
    if (cancel != nullptr && cancel->load()) {
      cancelled = true;
      break;
    }
    CURLMcode trouble = curl_multi_perform(multi.get(), &running);
    silent = running > 0 && is_silent(easy.get(), flow);
    if (silent) break;
    if (trouble == CURLM_OK && running > 0) trouble = curl_multi_poll(multi.get(), nullptr, 0, poll_ms, nullptr);
    if (trouble != CURLM_OK) {
      code = CURLE_FAILED_INIT;
      break;
    }
  }
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
    if (message->msg == CURLMSG_DONE) code = message->data.result;
  }
  const HttpTrouble::Kind kind = silent ? HttpTrouble::Kind::idle : kind_of(code, easy.get(), flow);
  curl_multi_remove_handle(multi.get(), easy.get());
  state_->give_back(std::move(multi));
  if (flow.thrown) std::rethrow_exception(flow.thrown);
  if (!flow.head_told && flow.headers_over) flow.tell_head();  // an answer without a body

  HttpExchange out;
  if (cancelled) {
    out.trouble = std::make_unique<HttpTrouble>(HttpTrouble{HttpTrouble::Kind::cancelled, "cancelled"});
  } else if (silent || code != CURLE_OK) {
    out.trouble = std::make_unique<HttpTrouble>(HttpTrouble{kind, detail_of(kind, code, error.data(), request)});
  } else if (!flow.headers_over) {  // to libcurl, a head that stops with the connection is a whole one
    out.trouble = std::make_unique<HttpTrouble>(HttpTrouble{HttpTrouble::Kind::reset, "the connection ended within the head"});
  }
  if (!flow.headers_over) flow.response = {};
  out.response = std::move(flow.response);
  return out;
}

}  // namespace sluice::core

// SPDX-License-Identifier: Apache-2.0
#include "core/http.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <cstdlib>
#include <thread>

#include "core/file.h"
#include "core/process.h"
#include "test/support/raw_server.h"

namespace sluice::core {
namespace {

using Kind = HttpTrouble::Kind;
using test::RawConnection;
using test::RawServer;

HttpRequest get(const std::string& url) {
  HttpRequest out;
  out.method = "GET";
  out.url = url;
  return out;
}

HttpExchange sent(const HttpRequest& request, const std::atomic<bool>* cancel = nullptr) {
  HttpClient client;
  auto out = client.send(request, nullptr, nullptr, cancel);
  if (!out.ok()) {
    ADD_FAILURE() << out.error().message;
    return {};
  }
  return std::move(out).value();
}

std::string refusal(const HttpRequest& request) {
  HttpClient client;
  const auto out = client.send(request, nullptr, nullptr, nullptr);
  EXPECT_FALSE(out.ok());
  return out.ok() ? "" : out.error().message;
}

// A server of the library, on a port of its own.
struct Served {
  httplib::Server http;
  int port = 0;
  std::thread thread;
  void start() {
    port = http.bind_to_any_port("127.0.0.1");
    thread = std::thread([this] { http.listen_after_bind(); });
    while (!http.is_running()) std::this_thread::yield();
  }
  std::string url(const std::string& path) const { return "http://127.0.0.1:" + std::to_string(port) + path; }
  ~Served() {
    http.stop();
    if (thread.joinable()) thread.join();
  }
};

TEST(Http, a_request_goes_out_as_it_is_and_the_answer_comes_back_whole) {
  Served server;
  std::string method, body, header, encoding;
  server.http.Post("/x", [&](const httplib::Request& q, httplib::Response& r) {
    method = q.method;
    body = q.body;
    header = q.get_header_value("X-One");
    encoding = q.get_header_value("Accept-Encoding");
    r.set_header("X-Answer", "yes");
    r.status = 418;
    r.set_content("a teapot", "text/plain");
  });
  server.start();
  HttpRequest request;
  request.url = server.url("/x");
  request.headers = {{"X-One", "1: 2"}};
  request.body = std::string("a\0b", 3);
  const HttpExchange got = sent(request);
  EXPECT_EQ(got.trouble, nullptr);
  EXPECT_EQ(got.response.status, 418);
  EXPECT_EQ(got.response.body, "a teapot");
  EXPECT_EQ(got.response.header("x-ANSWER"), "yes");
  EXPECT_EQ(got.response.header("x-other"), "");
  EXPECT_EQ(method, "POST");
  EXPECT_EQ(body, request.body);
  EXPECT_EQ(header, "1: 2");
  EXPECT_NE(encoding.find("gzip"), std::string::npos);
}

TEST(Http, a_header_without_a_value_is_sent_and_no_form_is_made_of_a_body) {
  std::string seen;
  RawServer server([&](RawConnection& c) {
    seen = c.read_request();
    c.write("HTTP/1.1 204 No Content\r\n\r\n");
  });
  HttpRequest request;
  request.url = server.url();
  request.headers = {{"X-Empty", ""}};
  request.body = "a=b";
  EXPECT_EQ(sent(request).response.status, 204);
  EXPECT_NE(seen.find("\r\nX-Empty:"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("Content-Type"), std::string::npos) << seen;
}

TEST(Http, a_body_over_a_mebibyte_is_sent_without_asking_first) {
  Served server;
  std::size_t size = 0;
  bool expected = false;
  server.http.Post("/", [&](const httplib::Request& q, httplib::Response&) {
    size = q.body.size();
    expected = q.has_header("Expect");
  });
  server.start();
  HttpRequest request;
  request.url = server.url("/");
  request.body.assign(3u << 20, 'x');
  EXPECT_EQ(sent(request).response.status, 200);
  EXPECT_EQ(size, request.body.size());
  EXPECT_FALSE(expected);
}

TEST(Http, the_head_is_told_once_before_the_first_byte) {
  Served server;
  server.http.Get("/", [](const httplib::Request&, httplib::Response& r) {
    r.set_chunked_content_provider("text/plain", [](std::size_t, httplib::DataSink& sink) {
      for (const char* piece : {"one", "two", "three"}) sink.write(piece, std::string_view(piece).size());
      sink.done();
      return true;
    });
  });
  server.start();
  HttpClient client;
  std::string seen;
  const auto got = client.send(
      get(server.url("/")), [&](const HttpResponse& r) { seen += std::to_string(r.status) + std::string(r.header("content-type")) + ":"; },
      [&](std::string_view piece) { seen += piece; }, nullptr);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(seen, "200text/plain:onetwothree");
  EXPECT_EQ(got->response.body, "");
}

TEST(Http, the_head_of_an_answer_without_a_body_is_told_too) {
  RawServer server([](RawConnection& c) {
    c.read_request();
    c.write("HTTP/1.1 100 Continue\r\nX-No: 1\r\n\r\nHTTP/1.1 204 No Content\r\nX-Yes: 1\r\n\r\n");
  });
  HttpClient client;
  int heads = 0;
  const auto got = client.send(get(server.url()), [&](const HttpResponse& r) { heads += r.status; }, nullptr, nullptr);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(heads, 204);
  EXPECT_EQ(got->response.header("x-yes"), "1");
  EXPECT_EQ(got->response.header("x-no"), "");
}

TEST(Http, what_a_callback_throws_reaches_the_caller) {
  Served server;
  server.http.Get("/", [](const httplib::Request&, httplib::Response& r) { r.set_content("x", "text/plain"); });
  server.start();
  HttpClient client;
  const auto throwing = [](std::string_view) { throw std::runtime_error("mine"); };
  EXPECT_THROW((void)client.send(get(server.url("/")), nullptr, throwing, nullptr), std::runtime_error);
  EXPECT_TRUE(client.send(get(server.url("/")), nullptr, nullptr, nullptr).ok());
}

TEST(Http, a_connection_is_used_again) {
  RawServer server([](RawConnection& c) {
    while (!c.read_request().empty()) c.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  HttpClient client;
  for (int i = 0; i < 3; ++i) ASSERT_EQ(client.send(get(server.url()), nullptr, nullptr, nullptr)->response.body, "ok");
  EXPECT_EQ(server.connections(), 1);
}

TEST(Http, calls_of_several_threads_do_not_meet) {
  Served server;
  server.http.Post("/", [](const httplib::Request& q, httplib::Response& r) { r.set_content(q.body, "text/plain"); });
  server.start();
  HttpClient client;
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        HttpRequest request;
        request.url = server.url("/");
        request.body = std::to_string(t * 1000 + i);
        const auto got = client.send(request, nullptr, nullptr, nullptr);
        if (got.ok() && got->response.body == request.body) ++right;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, 80);
}

TEST(Http, a_redirect_is_an_answer_like_any_other) {
  Served server;
  bool followed = false;
  server.http.Get("/a", [](const httplib::Request&, httplib::Response& r) { r.set_redirect("/b"); });
  server.http.Get("/b", [&](const httplib::Request&, httplib::Response&) { followed = true; });
  server.start();
  EXPECT_EQ(sent(get(server.url("/a"))).response.status, 302);
  EXPECT_FALSE(followed);
}

TEST(Http, a_packed_body_is_unpacked_and_what_it_unpacks_to_is_capped) {
  Served server;  // packs what a client says it takes
  server.http.Get("/", [](const httplib::Request&, httplib::Response& r) { r.set_content(std::string(100'000, 'x'), "application/json"); });
  server.start();
  const HttpExchange got = sent(get(server.url("/")));
  EXPECT_EQ(got.response.header("content-encoding"), "gzip");
  EXPECT_EQ(got.response.body, std::string(100'000, 'x'));
  HttpRequest small = get(server.url("/"));
  small.max_bytes = 99'999;
  const HttpExchange refused = sent(small);
  ASSERT_NE(refused.trouble, nullptr);
  EXPECT_EQ(refused.trouble->kind, Kind::too_large);
  EXPECT_NE(refused.trouble->detail.find("99999"), std::string::npos);
}

TEST(Http, a_head_without_an_end_is_cut_off) {
  RawServer server([](RawConnection& c) {
    c.read_request();
    c.write("HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < 100'000; ++i) {
      if (!c.write("X-Filler: " + std::string(1000, 'x') + "\r\n")) return;
    }
  });
  const HttpExchange got = sent(get(server.url()));
  ASSERT_NE(got.trouble, nullptr);
  EXPECT_EQ(got.trouble->kind, Kind::too_large);
}

struct Broken {
  const char* name;
  std::function<void(RawConnection&)> behave;
  Kind want;
  int status;
  std::string body;
};

TEST(Http, each_way_to_break_off_is_told_apart_from_a_whole_answer) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";
  const std::vector<Broken> cases = {
      {"closed before the head", [](RawConnection& c) { c.read_request(); }, Kind::reset, 0, ""},
      {"reset before the head", [](RawConnection& c) { c.read_request(); c.reset(); }, Kind::reset, 0, ""},
      {"cut in the head", [](RawConnection& c) { c.read_request(); c.write("HTTP/1.1 200 OK\r\nContent-Le"); }, Kind::reset, 0, ""},
      {"closed after the head", [&](RawConnection& c) { c.read_request(); c.write(head); }, Kind::reset, 200, ""},
      {"closed in the body", [&](RawConnection& c) { c.read_request(); c.write(head + "12345"); }, Kind::reset, 200, "12345"},
      {"cut in a chunk", [](RawConnection& c) { c.read_request(); c.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12"); },
       Kind::reset, 200, "12"},
      {"no last chunk", [](RawConnection& c) { c.read_request(); c.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n12\r\n"); },
       Kind::reset, 200, "12"},
      {"no HTTP at all", [](RawConnection& c) { c.read_request(); c.write("SSH-2.0-OpenSSH\r\n"); }, Kind::other, 0, ""},
  };
  for (const Broken& one : cases) {
    RawServer server(one.behave);
    const HttpExchange got = sent(get(server.url()));
    ASSERT_NE(got.trouble, nullptr) << one.name;
    EXPECT_EQ(to_string(got.trouble->kind), to_string(one.want)) << one.name << ": " << got.trouble->detail;
    EXPECT_EQ(got.response.status, one.status) << one.name;
    EXPECT_EQ(got.response.body, one.body) << one.name;
    EXPECT_FALSE(got.trouble->detail.empty()) << one.name;
  }
}

TEST(Http, a_body_that_ends_with_its_connection_is_whole_in_the_old_version) {
  RawServer server([](RawConnection& c) {
    c.read_request();
    c.write("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil the end");
  });
  const HttpExchange got = sent(get(server.url()));
  EXPECT_EQ(got.trouble, nullptr);
  EXPECT_EQ(got.response.body, "until the end");
}

TEST(Http, silence_is_noticed_and_a_slow_drip_is_not_silence) {
  RawServer silent([](RawConnection& c) {
    c.read_request();
    c.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1");
    c.until_left();
  });
  HttpRequest request = get(silent.url());
  request.idle_timeout_s = 1;
  const HttpExchange got = sent(request);
  ASSERT_NE(got.trouble, nullptr);
  EXPECT_EQ(to_string(got.trouble->kind), "idle") << got.trouble->detail;

  RawServer slow([](RawConnection& c) {
    c.read_request();
    c.write("HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n");
    for (int i = 0; i < 16 && c.write("x"); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  });
  request.url = slow.url();
  const HttpExchange whole = sent(request);
  EXPECT_EQ(whole.trouble, nullptr);
  EXPECT_EQ(whole.response.body.size(), 16u);
}

TEST(Http, a_limit_of_the_whole_time_ends_a_drip) {
  RawServer slow([](RawConnection& c) {
    c.read_request();
    c.write("HTTP/1.1 200 OK\r\n\r\n");
    while (c.write("x")) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  HttpRequest request = get(slow.url());
  request.total_timeout_ms = 200;
  const HttpExchange got = sent(request);
  ASSERT_NE(got.trouble, nullptr);
  EXPECT_EQ(to_string(got.trouble->kind), "time_out") << got.trouble->detail;
  EXPECT_EQ(got.response.status, 200);
}

TEST(Http, a_call_is_cancelled_while_it_waits) {
  std::atomic<bool> cancel{false};
  RawServer server([&](RawConnection& c) {
    c.read_request();
    c.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1");
    cancel = true;
    c.until_left();
  });
  const HttpExchange got = sent(get(server.url()), &cancel);
  ASSERT_NE(got.trouble, nullptr);
  EXPECT_EQ(got.trouble->kind, Kind::cancelled);
}

TEST(Http, a_call_that_is_cancelled_beforehand_reaches_nobody) {
  RawServer server([](RawConnection& c) { c.read_request(); });
  const std::atomic<bool> cancel{true};
  EXPECT_EQ(sent(get(server.url()), &cancel).trouble->kind, Kind::cancelled);
  EXPECT_EQ(server.connections(), 0);
}

TEST(Http, nobody_at_the_address_and_no_such_name_are_told_apart) {
  int port = 0;
  { port = RawServer([](RawConnection&) {}).port(); }
  const HttpExchange nobody = sent(get("http://127.0.0.1:" + std::to_string(port) + "/"));
  ASSERT_NE(nobody.trouble, nullptr);
  EXPECT_EQ(to_string(nobody.trouble->kind), "connect");
  const HttpExchange no_name = sent(get("http://no-such-host.invalid/"));
  ASSERT_NE(no_name.trouble, nullptr);
  EXPECT_EQ(to_string(no_name.trouble->kind), "resolve");
}

TEST(Http, a_request_that_smuggles_a_line_is_refused_and_its_secret_stays_in) {
  HttpRequest request = get("http://127.0.0.1:9/");
  for (const std::string& value : {std::string("key\r\nX-Other: 1"), std::string("key\n"), std::string("ke\0y", 4)}) {
    request.headers = {{"Authorization", value}};
    const std::string why = refusal(request);
    EXPECT_NE(why.find("Authorization"), std::string::npos) << why;
    EXPECT_EQ(why.find("key"), std::string::npos) << why;
  }
  request.headers = {{"X: y\r\nZ", "1"}};
  EXPECT_NE(refusal(request).find("no header name"), std::string::npos);
  request.headers.clear();
  request.method = "GET / HTTP/1.1\r\nX: 1";
  EXPECT_NE(refusal(request).find("no HTTP method"), std::string::npos);
}

TEST(Http, only_an_ordinary_address_of_the_web_is_asked) {
  for (const char* url : {"", "example.com", "file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/", "http://",
                          "http://user:sesame@127.0.0.1/", "http://127.0.0.1/a b", "http://127.0.0.1/\r\nX: 1"}) {
    const std::string why = refusal(get(url));
    EXPECT_NE(why.find("http"), std::string::npos) << url;
    EXPECT_EQ(why.find("sesame"), std::string::npos) << why;
  }
}

TEST(Http, the_environment_names_no_proxy_and_a_request_may) {
  RawServer proxy([](RawConnection& c) {
    const std::string asked = c.read_request();
    const std::string body = asked.substr(0, asked.find('\r'));
    c.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  });
  RawServer server([](RawConnection& c) {
    c.read_request();
    c.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ndirect");
  });
  for (const char* name : {"http_proxy", "all_proxy", "ALL_PROXY"}) setenv(name, proxy.url().c_str(), 1);
  EXPECT_EQ(sent(get(server.url("/direct"))).response.body, "direct");
  for (const char* name : {"http_proxy", "all_proxy", "ALL_PROXY"}) unsetenv(name);
  setenv("no_proxy", "127.0.0.1", 1);
  HttpRequest request = get(server.url("/through"));
  request.proxy = proxy.url();
  EXPECT_EQ(sent(request).response.body, "GET " + server.url("/through") + " HTTP/1.1");
  unsetenv("no_proxy");
}

// A key and a certificate for 127.0.0.1 that signs itself.
struct Certificate {
  TempDir dir = TempDir::create("sluice-tls-").value();
  std::string key = join_path(dir.path(), "key.pem"), certificate = join_path(dir.path(), "cert.pem");
  bool made = false;
  explicit Certificate(const std::string& name) {
    ProcessOptions spec;
    spec.argv = {"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                 "-addext", "subjectAltName=" + name, "-keyout", key, "-out", certificate};
    const auto ran = run_process(spec);
    made = ran.ok() && exists(certificate);
  }
};

TEST(Http, a_certificate_counts_only_when_its_issuer_is_named) {
  const Certificate right("IP:127.0.0.1"), other("IP:127.0.0.1"), wrong_name("DNS:elsewhere.example");
  if (!right.made) GTEST_SKIP() << "no openssl command";
  const auto serve = [](const Certificate& c) {
    auto server = std::make_unique<httplib::SSLServer>(c.certificate.c_str(), c.key.c_str());
    server->Get("/", [](const httplib::Request&, httplib::Response& r) { r.set_content("sealed", "text/plain"); });
    return server;
  };
  for (const Certificate* c : {&right, &wrong_name}) {
    auto server = serve(*c);
    const int port = server->bind_to_any_port("127.0.0.1");
    std::thread thread([&] { server->listen_after_bind(); });
    while (!server->is_running()) std::this_thread::yield();
    HttpRequest request = get("https://127.0.0.1:" + std::to_string(port) + "/");
    const HttpExchange unknown = sent(request);
    request.ca_file = other.certificate;
    const HttpExchange stranger = sent(request);
    request.ca_file = c->certificate;
    const HttpExchange known = sent(request);
    request.ca_file = join_path(c->dir.path(), "none.pem");
    const HttpExchange no_file = sent(request);
    server->stop();
    thread.join();
    for (const HttpExchange* refused : {&unknown, &stranger, &no_file}) {
      ASSERT_NE(refused->trouble, nullptr);
      EXPECT_EQ(to_string(refused->trouble->kind), "tls") << refused->trouble->detail;
    }
    if (c == &right) {
      EXPECT_EQ(known.trouble, nullptr) << known.trouble->detail;
      EXPECT_EQ(known.response.body, "sealed");
    } else {
      ASSERT_NE(known.trouble, nullptr);
      EXPECT_EQ(to_string(known.trouble->kind), "tls") << known.trouble->detail;
    }
  }
}

}  // namespace
}  // namespace sluice::core

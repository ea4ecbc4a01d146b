// The samples have made-up values, in the forms that the vendors document.
#include "log/formats/known_formats.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/timestamp.h"
#include "log/log_parser.h"

namespace rlctl {
namespace {

struct First {
  std::string format;  // as found; empty: none
  std::string key;
  std::string sent;  // UTC
  std::string received;
  int status = 0;
  bool has_durations = false;
  std::string method;
  std::string path;
  std::string agent;
  std::string ip;
};

ParsedLogs parsed_with(std::string_view text, LogReadOptions options = {}) {
  for (const char* name : {"method", "path", "user_agent", "ip"}) options.columns.want(name);
  LogParser parser(options);
  parser.begin_file("test.log", 0);
  parser.feed(text);
  parser.end_file();
  return parser.finish();
}

First first_in(const ParsedLogs& logs, std::string_view line) {
  REQUIRE(logs.bad_lines == 0);
  const Log& log = logs.histories.at(0).log;
  REQUIRE(!log.records.empty());
  const Record& record = log.records[0];
  const FoundFormat found = find_format(line, {}, {});
  return {found.format == nullptr ? "" : found.format->program,
          log.keys[record.key],
          format_instant(record.sent_us),
          format_instant(record.received_us),
          record.status,
          !log.lacks_durations,
          log.names[0].of(0),
          log.names[1].of(0),
          log.names[2].of(0),
          log.names[3].of(0)};
}

First first_of(const std::string& line) { return first_in(parsed_with(line + "\n"), line); }

constexpr const char* kCombined =
    R"(203.0.113.7 - ann [21/Nov/2026:11:00:00 +0100] "GET /a/b?c=1 HTTP/1.1" 200 512 "-" "curl/8")";

TEST_CASE("common and combined logs: which moment the stamp marks is not known") {
  for (const std::string& line : {std::string(kCombined), std::string(kCombined).substr(0, 82)}) {
    CAPTURE(line);
    const First got = first_of(line);
    CHECK(got.format == "nginx or Apache, common or combined");
    CHECK(got.key == "203.0.113.7");
    CHECK(got.ip == "203.0.113.7");
    CHECK(got.sent == "2026-11-21 10:00:00.000000");
    CHECK(got.received == "2026-11-21 10:00:00.999999");
    CHECK_FALSE(got.has_durations);
    CHECK(got.method == "GET");
    CHECK(got.path == "/a/b");
  }
  CHECK(first_of(kCombined).agent == "curl/8");
}

TEST_CASE("a number after the combined format is a duration only with a label") {
  const First labelled = first_of(std::string(kCombined) + R"( "198.51.100.1" rt=0.250 urt="0.2")");
  CHECK(labelled.format == "nginx main with rt=");
  CHECK(labelled.sent == "2026-11-21 09:59:59.749001");
  CHECK(labelled.received == "2026-11-21 10:00:00.999999");
  CHECK(labelled.has_durations);
  const First bare = first_of(std::string(kCombined) + R"( "198.51.100.1" 0.250)");
  CHECK_FALSE(bare.has_durations);
  CHECK(bare.sent == "2026-11-21 10:00:00.000000");
}

TEST_CASE("Apache's vhost_combined names the host first") {
  const First got = first_of("www.example.com:443 " + std::string(kCombined));
  CHECK(got.format == "Apache, vhost_combined");
  CHECK(got.key == "203.0.113.7");
}

TEST_CASE("ingress-nginx logs the request time, and stamps the end") {
  const First got =
      first_of(std::string(kCombined) +
               R"( 432 0.120 [default-web-80] [] 10.1.2.3:8080 512 0.119 200 abcdef)");
  CHECK(got.format == "Kubernetes ingress-nginx");
  CHECK(got.sent == "2026-11-21 09:59:59.879001");
  CHECK(got.has_durations);
}

TEST_CASE("Traefik stamps the start, in its common format and in JSON") {
  const First text =
      first_of(std::string(kCombined) + R"( 17 "web@docker" "http://10.0.0.2:80" 25ms)");
  CHECK(text.format == "Traefik (CLF)");
  CHECK(text.sent == "2026-11-21 10:00:00.000000");
  CHECK(text.received == "2026-11-21 10:00:01.025998");
  const First json = first_of(
      R"({"ClientAddr":"203.0.113.7:5000","ClientHost":"203.0.113.7","DownstreamStatus":429,)"
      R"("Duration":1500000,"RequestMethod":"POST","RequestPath":"/a?b=1",)"
      R"("StartUTC":"2026-11-21T10:00:00.25Z","level":"info","time":"2026-11-21T11:00:01+01:00"})");
  CHECK(json.format == "Traefik (JSON)");
  CHECK(json.key == "203.0.113.7");
  CHECK(json.sent == "2026-11-21 10:00:00.250000");
  CHECK(json.received == "2026-11-21 10:00:00.261499");  // a resolution of 10 ms, and 1.5 ms
  CHECK(json.status == 429);
  CHECK(json.method == "POST");
  CHECK(json.path == "/a");
  const First local = first_of(
      R"({"ClientHost":"203.0.113.7","DownstreamStatus":200,"Duration":25000000,)"
      R"("StartLocal":"2026-11-21T11:00:00.123456789+01:00","time":"2026-11-21T11:00:01+01:00"})");
  CHECK(local.format == "Traefik in local time (JSON)");
  CHECK(local.sent == "2026-11-21 10:00:00.123456");
  CHECK(local.received == "2026-11-21 10:00:00.148456");
}

constexpr const char* kHaproxy =
    R"(2001:db8::7:33317 [21/Nov/2026:10:00:00.655] http-in~ static/srv1 10/0/30/69/+109 200 )"
    R"(2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET /index.html?a HTTP/1.1")";

TEST_CASE("HAProxy stamps the first byte of the request, and its addresses may hold colons") {
  const First got = first_of(kHaproxy);
  CHECK(got.format == "HAProxy (option httplog)");
  CHECK(got.key == "2001:db8::7");
  CHECK(got.sent == "2026-11-21 10:00:00.655000");
  CHECK(got.received == "2026-11-21 10:00:00.765998");
  CHECK(got.path == "/index.html");
}

TEST_CASE("Envoy and Istio, text and JSON") {
  const First text = first_of(
      R"([2026-11-21T10:00:00.310Z] "POST /api/v1?x HTTP/2" 204 - 154 0 226 100 "10.0.35.28" )"
      R"("nsq2http" "cc21d9b0" "locations" "tcp://10.0.2.1:80")");
  CHECK(text.format == "Envoy (text)");
  CHECK(text.key == "10.0.35.28");
  CHECK(text.sent == "2026-11-21 10:00:00.310000");
  CHECK(text.received == "2026-11-21 10:00:00.537998");
  CHECK(text.agent == "nsq2http");
  const First istio = first_of(
      R"([2026-11-21T10:00:00.310Z] "GET /a HTTP/1.1" 429 RL request_rate_limited - "-" 0 18 3 - )"
      R"("-" "curl/8" "id" "httpbin:8000" "127.0.0.1:80" inbound|8000|| 127.0.0.1:41854 )"
      R"(10.44.1.27:80 203.0.113.7:37652 outbound_.8000_._.httpbin.foo.svc.cluster.local default)");
  CHECK(istio.format == "Istio (Envoy, text)");
  CHECK(istio.key == "203.0.113.7");
  CHECK(istio.status == 429);
  CHECK(istio.received == "2026-11-21 10:00:00.314998");
  const First json = first_of(
      R"({"start_time":"2026-11-21T10:00:00.310Z","method":"GET","path":"/a?b","duration":3,)"
      R"("response_code":200,"x_forwarded_for":"203.0.113.7","user_agent":"curl/8"})");
  CHECK(json.format == "Envoy (JSON)");
  CHECK(json.received == "2026-11-21 10:00:00.314998");
  CHECK(json.path == "/a");
}

TEST_CASE("Istio and Envoy Gateway, JSON: the client is the downstream address") {
  const First istio = first_of(
      R"({"start_time":"2026-11-21T10:00:00.310Z","method":"GET","path":"/a?b","duration":3,)"
      R"("response_code":200,"x_forwarded_for":null,"user_agent":"curl/8",)"
      R"("downstream_remote_address":"[2001:db8::7]:37652","requested_server_name":null})");
  CHECK(istio.format == "Istio or Envoy Gateway (JSON)");
  CHECK(istio.key == "2001:db8::7");
  CHECK(istio.agent == "curl/8");
  const First gateway = first_of(
      R"({"start_time":"2026-11-21T10:00:00.310Z","method":"GET","x-envoy-origin-path":"/a?b",)"
      R"("response_code":"429","duration":"0","x-forwarded-for":"203.0.113.7",)"
      R"("user-agent":"curl/8","downstream_remote_address":"203.0.113.7:37652"})");
  CHECK(gateway.format == "Istio or Envoy Gateway (JSON)");
  CHECK(gateway.key == "203.0.113.7");
  CHECK(gateway.ip == "203.0.113.7");
  CHECK(gateway.status == 429);
  CHECK(gateway.path == "/a");
  CHECK(gateway.agent == "curl/8");
}

TEST_CASE("an Envoy that logs no client address does not make all of them one client") {
  const std::string line =
      R"([2026-11-21T10:00:00.310Z] "GET /a HTTP/1.1" 200 - 0 18 3 - "-" "curl/8" "id" "h" "-")";
  LogReadOptions options;
  options.bad_lines = 1;
  const ParsedLogs logs = parsed_with(line + "\n", options);
  CHECK(logs.bad_lines == 1);
  REQUIRE(!logs.examples.empty());
  CHECK(logs.examples[0].starts_with("test.log:1: the key is empty: "));
}

TEST_CASE("Caddy stamps the end, with a duration in seconds") {
  const First got = first_of(
      R"({"level":"info","ts":1795255200.5,"logger":"http.log.access","msg":"handled request",)"
      R"("request":{"remote_ip":"10.0.0.1","remote_port":"41342","client_ip":"203.0.113.7",)"
      R"("method":"GET","host":"localhost","uri":"/a?b","headers":{"User-Agent":["curl/8"]}},)"
      R"("bytes_read":0,"user_id":"","duration":0.25,"size":1,"status":200,"resp_headers":{}})");
  CHECK(got.format == "Caddy (JSON)");
  CHECK(got.key == "203.0.113.7");
  CHECK(got.sent == "2026-11-21 10:00:00.240001");
  CHECK(got.path == "/a");
  CHECK(got.has_durations);
}

std::string caddy(const std::string& time, const std::string& duration) {
  return R"({"level":"info","ts":)" + time +
         R"(,"logger":"http.log.access.log0","request":{"remote_ip":"10.0.0.1",)"
         R"("client_ip":"203.0.113.7"},"duration":)" +
         duration + R"(,"status":200})";
}

TEST_CASE("Caddy's time_format and duration_format choose other units") {
  CHECK(first_of(caddy("1795255200500.25", "0.25")).sent == "2026-11-21 10:00:00.240251");
  CHECK(first_of(caddy("1795255200500000000", "0")).sent == "2026-11-21 09:59:59.500001");
  CHECK(first_of(caddy(R"("2026-11-21T11:00:00.500+0100")", R"("250ms")")).sent ==
        "2026-11-21 10:00:00.249001");
  CHECK(first_of(caddy(R"("2026/11/21 10:00:00")", "0.25")).received ==
        "2026-11-21 10:00:00.999999");
  CHECK(first_of(caddy(R"("2026/11/21 10:00:00.500")", "0.250000")).sent ==
        "2026-11-21 10:00:00.250000");
  CHECK(first_of(caddy(R"("Sat, 21 Nov 2026 10:00:00 GMT")", "0.250000")).sent ==
        "2026-11-21 09:59:59.750000");
  CHECK(first_of(caddy("1795255200.5", R"("88.125µs")")).sent == "2026-11-21 10:00:00.499912");
  CHECK(first_of(caddy("1795255200.5", R"("1h2m3.5s")")).sent == "2026-11-21 08:57:56.900001");
  // 250 may be ms or ns.
  LogReadOptions options;
  options.bad_lines = 1;
  const ParsedLogs logs = parsed_with(caddy("1795255200.5", "250") + "\n", options);
  REQUIRE(!logs.examples.empty());
  CHECK(logs.examples[0] ==
        "test.log:1: the duration has no unit: add one with --duration-column NAME:s, ms or us");
}

TEST_CASE("an AWS load balancer logs both ends of a request") {
  const First got = first_of(
      R"(https 2026-11-21T10:00:01.500000Z app/lb/50dc6c495c0c9188 203.0.113.7:2817 10.0.0.1:80 )"
      R"(0.086 0.048 0.037 200 200 0 57 "GET https://www.example.com:443/a?b HTTP/1.1" "curl/8" )"
      R"(ECDHE TLSv1.2 arn:aws:tg "Root=1-58" "www.example.com" "arn:aws:acm" 1 )"
      R"(2026-11-21T10:00:01.329000Z "authenticate,forward" "-" "-" "10.0.0.1:80" "200" "-" "-")");
  CHECK(got.format == "AWS Application Load Balancer");
  CHECK(got.key == "203.0.113.7");
  CHECK(got.sent == "2026-11-21 10:00:01.329000");
  CHECK(got.received == "2026-11-21 10:00:01.500000");
  CHECK(got.has_durations);
  CHECK(got.path == "/a");
}

TEST_CASE("CloudFront and IIS name their columns in the file") {
  const std::string names =
      "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status "
      "cs(Referer) cs(User-Agent) time-taken";
  const std::string row =
      "2026-11-21\t10:00:05\tLAX1\t2390\t203.0.113.7\tGET\td111.cloudfront.net\t/a\t200\t-\t"
      "curl/8\t0.250";
  const First cloudfront =
      first_in(parsed_with("#Version: 1.0\n" + names + "\n" + row + "\n"), names);
  CHECK(cloudfront.format == "AWS CloudFront (standard logs)");
  CHECK(cloudfront.key == "203.0.113.7");
  CHECK(cloudfront.sent == "2026-11-21 10:00:04.749001");
  CHECK(cloudfront.received == "2026-11-21 10:00:05.999999");
  CHECK(cloudfront.agent == "curl/8");
  const std::string ms_names = names + " timestamp(ms)";
  const First ms = first_in(
      parsed_with("#Version: 1.0\n" + ms_names + "\n" + row + "\t1795255205492\n"), ms_names);
  CHECK(ms.format == "AWS CloudFront (with milliseconds)");
  CHECK(ms.sent == "2026-11-21 10:00:05.241001");
  CHECK(ms.received == "2026-11-21 10:00:05.492999");
  const std::string iis_names =
      "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip "
      "cs(User-Agent) sc-status sc-substatus sc-win32-status time-taken";
  const std::string iis_row =
      "2026-11-21 10:00:05 10.0.0.1 GET /a - 80 - 203.0.113.7 curl/8 200 0 0 250";
  const First iis =
      first_in(parsed_with("#Software: Microsoft Internet Information Services 10.0\n" + iis_names +
                           "\n" + iis_row + "\n" + iis_names + "\n" + iis_row + "\n"),
               iis_names);
  CHECK(iis.format == "IIS (W3C)");
  CHECK(iis.key == "203.0.113.7");
  // The stamp may be either end.
  CHECK(iis.sent == "2026-11-21 10:00:04.749001");
  CHECK(iis.received == "2026-11-21 10:00:06.250998");
}

TEST_CASE("CloudFront's version 2 writes JSON, with a date and a time or with milliseconds") {
  const std::string record =
      R"("date":"2026-11-21","time":"10:00:05","x-edge-location":"SIN2-P11","c-ip":"203.0.113.7",)"
      R"("cs-method":"GET","cs-uri-stem":"/a","sc-status":"429","time-taken":"0.250",)"
      R"x("cs(User-Agent)":"curl/8")x";
  const First seconds = first_of("{" + record + "}");
  CHECK(seconds.format == "AWS CloudFront (JSON)");
  CHECK(seconds.key == "203.0.113.7");
  CHECK(seconds.status == 429);
  CHECK(seconds.path == "/a");
  CHECK(seconds.agent == "curl/8");
  CHECK(seconds.sent == "2026-11-21 10:00:04.749001");
  CHECK(seconds.received == "2026-11-21 10:00:05.999999");
  const First ms =
      first_of(R"({"timestamp":"1795255205",)" + record + R"x(,"timestamp(ms)":"1795255205492"})x");
  CHECK(ms.format == "AWS CloudFront (JSON, with milliseconds)");
  CHECK(ms.sent == "2026-11-21 10:00:05.241001");
  CHECK(ms.received == "2026-11-21 10:00:05.492999");
}

TEST_CASE("a date and a time of day may be two columns of CSV") {
  const std::string names = "time,date,key,status";
  const First got = first_in(parsed_with(names + "\n10:00:05.5,2026-11-21,u1,200\n"), names);
  CHECK(got.sent == "2026-11-21 10:00:05.500000");
}

TEST_CASE("Google Cloud and Cloudflare") {
  const First gcp = first_of(
      R"({"httpRequest":{"latency":"0.250000s","remoteIp":"203.0.113.7:51234","requestMethod":"GET",)"
      R"("requestUrl":"https://example.com/a?b","status":302,"userAgent":"curl/8"},)"
      R"("receiveTimestamp":"2026-11-21T10:00:07Z","timestamp":"2026-11-21T10:00:05.123456789Z"})");
  CHECK(gcp.format == "Google Cloud load balancer");
  CHECK(gcp.key == "203.0.113.7");
  CHECK(gcp.sent == "2026-11-21 10:00:04.873456");
  CHECK(gcp.received == "2026-11-21 10:00:05.373456");
  CHECK(gcp.path == "/a");
  const First cloudflare =
      first_of(R"({"ClientIP":"203.0.113.7","ClientRequestMethod":"GET","ClientRequestURI":"/a?b",)"
               R"("EdgeEndTimestamp":1795255200500000000,"EdgeResponseStatus":429,)"
               R"("EdgeStartTimestamp":1795255200250000000,"RayID":"3a6050bcbe121a87"})");
  CHECK(cloudflare.format == "Cloudflare Logpush");
  CHECK(cloudflare.sent == "2026-11-21 10:00:00.250000");
  CHECK(cloudflare.received == "2026-11-21 10:00:00.500000");
  CHECK(cloudflare.path == "/a");
}

TEST_CASE("Cloudflare's other outputs: seconds, RFC 3339 and CSV") {
  const First seconds = first_of(
      R"({"ClientIP":"203.0.113.7","EdgeEndTimestamp":1795255201,"EdgeResponseStatus":200,)"
      R"("EdgeStartTimestamp":1795255200})");
  CHECK(seconds.sent == "2026-11-21 10:00:00.000000");
  CHECK(seconds.received == "2026-11-21 10:00:01.999999");
  const First calendar =
      first_of(R"({"ClientIP":"203.0.113.7","EdgeResponseStatus":200,"ClientRequestPath":"/a",)"
               R"("EdgeStartTimestamp":"2026-11-21T10:00:00Z"})");
  CHECK(calendar.format == "Cloudflare Logpush without the end");
  CHECK(calendar.sent == "2026-11-21 10:00:00.000000");
  CHECK(calendar.received == "2026-11-21 10:00:00.999999");
  CHECK_FALSE(calendar.has_durations);
  CHECK(calendar.path == "/a");
  const std::string names = "ClientIP,EdgeStartTimestamp,EdgeEndTimestamp,EdgeResponseStatus";
  const First csv = first_in(parsed_with(names + "\n\"203.0.113.7\",1795255200250000000,"
                                                 "1795255200500000000,429\n"),
                             names);
  CHECK(csv.format == "Cloudflare Logpush (CSV)");
  CHECK(csv.key == "203.0.113.7");
  CHECK(csv.status == 429);
  CHECK(csv.sent == "2026-11-21 10:00:00.250000");
  CHECK(csv.received == "2026-11-21 10:00:00.500000");
}

std::string in_json(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

TEST_CASE("syslog, journald and container runtimes carry any of them") {
  const std::string haproxy(kHaproxy);
  const std::string wrapped[] = {
      "Nov 21 10:00:01 lb haproxy[14389]: " + haproxy,
      "<134>Nov  1 10:00:01 haproxy[14389]: " + haproxy,
      "2026-11-21T10:00:01.123456+01:00 lb haproxy[1]: " + haproxy,
      "<134>1 2026-11-21T10:00:01.123Z lb haproxy 14389 - - " + haproxy,
      "<134>1 2026-11-21T10:00:01.123Z lb haproxy 14389 - [x@1 y=\"z\"] " + haproxy,
      "<134>1 2026-11-21T10:00:01.123Z lb haproxy 14389 - - \xEF\xBB\xBF" + haproxy,
      "2026-11-21T10:00:01.669794202Z stdout F " + haproxy,
      "lb-1  | " + haproxy,
      R"({"log":")" + in_json(haproxy) +
          R"(\n","stream":"stdout","time":"2026-11-21T10:00:01.1Z"})",
      R"({"__REALTIME_TIMESTAMP":"1795255201000000","_PID":"1","MESSAGE":")" + in_json(haproxy) +
          R"("})",
      R"({"log":")" + in_json("2026-11-21T10:00:01.6Z stdout F " + haproxy) +
          R"(\n","stream":"stdout","time":"2026-11-21T10:00:01.1Z"})",
  };
  for (const std::string& line : wrapped) {
    CAPTURE(line);
    const First got = first_of(line);
    CHECK(got.format == "HAProxy (option httplog)");
    CHECK(got.key == "2001:db8::7");
    CHECK(got.sent == "2026-11-21 10:00:00.655000");
  }
  const First combined = first_of("Nov 21 10:00:01 web nginx: " + std::string(kCombined));
  CHECK(combined.format == "nginx or Apache, common or combined");
  CHECK(combined.key == "203.0.113.7");
}

TEST_CASE("parts of a long line are joined, of each stream for itself") {
  const std::string agent(20'000, 'x');
  const std::string request =
      R"(203.0.113.7 - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" ")";
  const std::string whole = request + agent + "\"";
  const std::string short_line = request + "b\"";
  const auto agents = [](const std::string& text) {
    const ParsedLogs logs = parsed_with(text);
    CHECK(logs.bad_lines == 0);
    std::vector<std::size_t> lengths;
    const Log& log = logs.histories.at(0).log;
    for (std::size_t i = 0; i < log.records.size(); ++i)
      lengths.push_back(log.names[2].of(i).size());
    return lengths;
  };
  const std::vector<std::size_t> expected{1, 1, 20'000};
  const auto cri = [](const std::string& stream, char tag, const std::string& text) {
    return "2026-11-21T10:00:01.6Z " + stream + " " + tag + " " + text + "\n";
  };
  CHECK(agents(cri("stdout", 'F', short_line) + cri("stdout", 'P', whole.substr(0, 8'192)) +
               cri("stderr", 'F', short_line) + cri("stdout", 'P', whole.substr(8'192, 8'192)) +
               cri("stdout", 'F', whole.substr(16'384))) == expected);
  const auto docker = [](const std::string& stream, const std::string& text,
                         const std::string& end = "\\n") {
    return R"({"log":")" + in_json(text) + end + R"(","stream":")" + stream +
           R"(","time":"2026-11-21T10:00:01.1Z"})" + "\n";
  };
  CHECK(agents(docker("stdout", short_line) + docker("stdout", whole.substr(0, 16'384), "") +
               docker("stderr", short_line) + docker("stdout", whole.substr(16'384))) == expected);
  CHECK(agents(docker("stdout", short_line, "")).size() == 1);  // a program dropped the line end
  const auto journald = [](const std::string& more, const std::string& text) {
    return R"({"__REALTIME_TIMESTAMP":"1795255201000000","CONTAINER_ID_FULL":"c1",)" + more +
           R"("MESSAGE":")" + in_json(text) + "\"}\n";
  };
  CHECK(agents(journald("", short_line) + journald("", short_line) +
               journald(R"("CONTAINER_PARTIAL_MESSAGE":"true",)", whole.substr(0, 16'384)) +
               journald("", whole.substr(16'384))) == expected);
}

TEST_CASE("a log may begin with parts of a line, or with the rest of one") {
  const auto cri = [](char tag, const std::string& text) {
    return std::string("2026-11-21T10:00:01.6Z stdout ") + tag + " " + text + "\n";
  };
  const std::string line = kCombined;
  const std::string parts =
      cri('P', line.substr(0, 20)) + cri('P', line.substr(20, 30)) + cri('F', line.substr(50));
  const ParsedLogs begun = parsed_with(parts + cri('F', line));
  CHECK(begun.bad_lines == 0);
  CHECK(begun.histories.at(0).log.records.size() == 2);
  CHECK(parsed_with(parts).histories.at(0).log.records.size() == 1);
  LogReadOptions options;
  options.bad_lines = 1;
  const ParsedLogs rest = parsed_with(cri('F', "the rest") + parts + cri('F', line), options);
  CHECK(rest.bad_lines == 1);
  CHECK(rest.histories.at(0).log.records.size() == 2);
}

std::string refusal_of(std::string_view text, const LogReadOptions& options = {}) {
  try {
    parsed_with(text, options);
  } catch (const Error& error) {
    return std::string(error.what()) + "; " + error.hint();
  }
  return "none";
}

TEST_CASE("the case of a column's name does not matter, and an exact name goes first") {
  const auto key_of = [](const std::string& text, const LogReadOptions& options = {}) {
    const ParsedLogs logs = parsed_with(text, options);
    CHECK(logs.histories.at(0).log.records.at(0).outcome == Outcome::denied);
    return logs.histories[0].log.keys.at(0);
  };
  CHECK(key_of("Time,KEY,Status\n1795255200,a,429\n") == "a");
  CHECK(key_of("TIME_MS,Client_IP,status,Status\n1795255200500,a,429,200\n") == "a");
  CHECK(key_of("time,Key,key,status\n1795255200,a,b,429\n") == "b");
  CHECK(key_of("{\"Time\":1795255200,\"Key\":\"a\",\"Status\":429}\n") == "a");
  CHECK(key_of("{\"time\":1795255200,\"Key\":\"a\",\"ip\":\"b\",\"IP\":\"c\",\"Code\":429}\n") ==
        "b");
  LogReadOptions options;
  options.columns = LogColumns({}, parse_column_name("account"), {}, {});
  CHECK(key_of("Time,Account,key,Code\n1795255200,a,b,429\n", options) == "a");
  CHECK(key_of("{\"TS\": 1795255200, \"Account\": \"a\", \"Code\": 429}\n", options) == "a");
  // What is not needed may be something else.
  CHECK(key_of("{\"TS\": 1795255200, \"user\": \"a\", \"status\": 429, \"Cost\": 0.02}\n") == "a");
  const ParsedLogs named = parsed_with("time,key,status,User-Agent\n1795255200,a,200,curl\n");
  CHECK(named.histories.at(0).log.names[2].of(0) == "curl");
}

TEST_CASE("blanks around a number, a time or a word are none of it, but those of a name are") {
  const ParsedLogs logs =
      parsed_with("time , key , status, took\n 1795255200.5 , a ,\t429 , 250ms\n");
  const Log& log = logs.histories.at(0).log;
  CHECK(log.keys.at(0) == " a ");
  CHECK(log.records.at(0).status == 429);
  CHECK(format_instant(log.records[0].sent_us) == "2026-11-21 10:00:00.249001");
  CHECK(refusal_of("time,key,status\n17\x1b[2J,a,200\n")
            .find("2: the time '17\\x1b[2J' is not valid, or not between") != std::string::npos);
}

TEST_CASE("a column that comes twice is refused if it is read, as in JSON") {
  CHECK(refusal_of("time,key,status,status\n1795255200,a,200,429\n") ==
        "the column 'status' comes twice; rename or remove one of them; the columns are time, key, "
        "status, status");
  CHECK(refusal_of("time,key,status,x,x\n1795255200,a,200,1,2\n") == "none");
}

TEST_CASE("an empty key is no client, whatever the format") {
  for (const std::string text :
       {"time,key,status\n1795255200,,200\n", "time,key,status\n1795255200,\"\",200\n",
        "{\"time\":1795255200,\"key\":\"\",\"status\":200}\n",
        "#Fields: date time c-ip sc-status\n2026-11-21 10:00:00 - 200\n"}) {
    CAPTURE(text);
    CHECK(refusal_of(text).find(": the key is empty: ") != std::string::npos);
  }
  for (const std::string text :
       {"# {\"rlctl_log\":2}\nsent_us,key,outcome\n1,,denied\n",
        "{\"rlctl_log\":2}\n{\"sent_us\":1,\"key\":\"\",\"outcome\":\"denied\"}\n"})
    CHECK(parsed_with(text).histories.at(0).log.keys.at(0).empty());  // rlctl sent it
}

TEST_CASE("a row of CSV over several lines is told, with what to do") {
  CHECK(refusal_of("time,key,status\n1795255200,\"a\nb\",200\n")
            .find("rows over several lines are not read; export the cells without line ends") !=
        std::string::npos);
}

TEST_CASE("journald writes bytes as numbers, and null for what it left out") {
  const std::string line =
      R"(203.0.113.7 - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "b")";
  const auto journald = [](const std::string& message) {
    return R"({"__REALTIME_TIMESTAMP":"1795255201000000","MESSAGE":)" + message + "}\n";
  };
  std::string bytes = "[ ";
  for (const char c : line + "\x1b") bytes += std::to_string(static_cast<int>(c)) + ", ";
  bytes.replace(bytes.size() - 2, 2, " ]");
  const First got = first_of(journald(bytes));
  CHECK(got.key == "203.0.113.7");
  CHECK(got.agent == "b");
  LogReadOptions options;
  options.bad_lines = 1;
  const ParsedLogs logs =
      parsed_with(journald("\"" + in_json(line) + "\"") + journald("null"), options);
  CHECK(logs.bad_lines == 1);
  REQUIRE(!logs.examples.empty());
  CHECK(logs.examples[0] == "test.log:2: its text was left out: give journalctl --all");
}

TEST_CASE("nginx's escapes survive a wrapper") {
  const std::string line =
      R"(web-1 | 203.0.113.7 - - [21/Nov/2026:10:00:00 +0000] "GET /\x22a HTTP/1.1" 200 5 "-" "b")";
  CHECK(first_of(line).path == "/\"a");
}

TEST_CASE("a name for --format chooses among its rows") {
  LogReadOptions options;
  options.format = "apache";
  const ParsedLogs logs = parsed_with(std::string(kCombined) + "\n", options);
  CHECK(logs.histories[0].log.slow_before_us == 0);
  CHECK(logs.histories[0].log.slow_after_us > 0);
  options.format = "traefic";
  CHECK_THROWS_WITH_AS(parsed_with("", options), "--format: there is no format 'traefic'", Error);
}

TEST_CASE("each row has a name, a program, and columns that are read") {
  for (const KnownFormat& format : known_formats()) {
    CAPTURE(format.program);
    CHECK(std::string(format.name).find(' ') == std::string::npos);
    CHECK(!std::string(format.program).empty());
  }
  CHECK(format_names().front() == "ingress-nginx");
}

TEST_CASE("a line in no known format is shown in parts, with the option to type") {
  const std::string line = "2026-11-21T10:00:00Z 203.0.113.7 \"GET /a HTTP/1.1\" 200 x\x1b[31m";
  std::string text;
  for (int i = 0; i < 21; ++i) text += line + "\n";
  try {
    parsed_with(text);
    FAIL("it was read");
  } catch (const Error& error) {
    CHECK(error.hint() ==
          "its first line has a time '2026-11-21T10:00:00Z', an address '203.0.113.7', a status "
          "'200', a request 'GET /a HTTP/1.1'; if that is right, add --format '$time_local "
          "$remote_addr \"$request\" $status $v5'");
  }
  LogReadOptions options;
  options.format = R"($time_local $remote_addr "$request" $status $v5)";
  CHECK(parsed_with(text, options).histories[0].log.records.size() == 21);
}

}  // namespace
}  // namespace rlctl

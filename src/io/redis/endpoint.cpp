#include "io/redis/endpoint.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "io/byte_source.h"
#include "io/tls/tls_client.h"

namespace rlctl {
namespace {

constexpr std::uint16_t kSentinelPort = 26379;

// The message never contains the URL itself, which may hold a password.
[[noreturn]] void reject(const std::string& what) {
  throw Error(
      Exit::usage, "--redis: " + what,
      "write redis://[user:password@]host[:port][/db] (of a cluster also host:port,host:port), "
      "rediss:// for TLS, unix:///path/to/socket[?db=N] or "
      "redis+sentinel://host[:port],host[:port]/name");
}

std::optional<int> parse_int(std::string_view text, int max) {
  const auto value = parse_whole<int>(text);
  return value && *value >= 0 && *value <= max ? value : std::nullopt;
}

std::string percent_decode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size() || hex_value(text[i + 1]) < 0 || hex_value(text[i + 2]) < 0)
      reject("a '%' in user or password must be followed by two hex digits ('%25' is a '%')");
    decoded += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
    i += 2;
  }
  return decoded;
}

void parse_database(std::string_view text, Endpoint& endpoint) {
  const auto database = parse_int(text, 1'000'000);
  if (!database) reject("the database must be a number");
  endpoint.database = *database;
  endpoint.names_database = true;
}

// Other programs, and unix:// here, take ?db=N. The only path of `rest` is that of the database.
// What follows may be a part of a password, so only numbers are shown.
void refuse_query(std::string_view rest) {
  const std::size_t query = rest.find("?db=");
  if (query == rest.npos) return;
  const auto database = parse_int(rest.substr(query + 4), 1'000'000);
  if (!database) return;
  const std::string number = std::to_string(*database);
  const std::size_t slash = std::min(rest.find('/'), query);
  const std::string_view path = rest.substr(slash, query - slash);
  if (path.size() > 1 && !parse_int(path.substr(1), 1'000'000)) return;
  if (path.size() > 1)
    reject("the URL names the database twice, by " + std::string(path) + " and by ?db=" + number +
           ": remove ?db=" + number);
  reject("the database of such a URL is a path: write /" + number + " in place of " +
         std::string(path) + "?db=" + number);
}

void parse_credentials(std::string_view text, Endpoint& endpoint) {
  const auto colon = text.find(':');
  endpoint.user = percent_decode(text.substr(0, colon));
  if (colon != std::string_view::npos) endpoint.password = percent_decode(text.substr(colon + 1));
}

void parse_port(std::string_view text, Endpoint& endpoint) {
  const auto port = parse_int(text, 65535);
  // The message does not quote the value: in `redis://user:password` without a host it is the
  // password.
  if (!port || *port == 0) reject("the port must be a number from 1 to 65535");
  endpoint.port = static_cast<std::uint16_t>(*port);
}

void parse_host_port(std::string_view text, Endpoint& endpoint) {
  std::size_t host_end = text.rfind(':');
  if (!text.empty() && text.front() == '[') {
    const auto bracket = text.find(']');
    if (bracket == std::string_view::npos) reject("']' is missing after the IPv6 address");
    endpoint.host = text.substr(1, bracket - 1);
    if (endpoint.host.empty()) reject("there is no address between '[' and ']'");
    host_end = bracket + 1 < text.size() ? bracket + 1 : std::string_view::npos;
    if (host_end != std::string_view::npos && text[host_end] != ':')
      reject("only ':port' may follow ']'");
  } else if (const auto host = text.substr(0, host_end); !host.empty()) {
    if (host.find(':') != std::string_view::npos)
      reject("an IPv6 address needs brackets: redis://[::1]:6379");
    endpoint.host = host;
  }
  if (host_end != std::string_view::npos) parse_port(text.substr(host_end + 1), endpoint);
}

Endpoint parse_unix(std::string_view rest) {
  Endpoint endpoint;
  const auto query = rest.find('?');
  endpoint.unix_path = rest.substr(0, query);
  if (endpoint.unix_path.size() < 2 || endpoint.unix_path.front() != '/')
    reject("a unix socket needs its full path");
  if (endpoint.unix_path.size() > kLongestSocketPath)
    reject("a unix socket's path has at most 107 bytes");
  if (query == std::string_view::npos) return endpoint;
  const auto option = rest.substr(query + 1);
  if (option.substr(0, 3) != "db=") reject("only '?db=N' may follow the path of a unix socket");
  parse_database(option.substr(3), endpoint);
  return endpoint;
}

// The last '@', since a password may contain one that is not encoded.
std::string_view take_credentials(std::string_view rest, Endpoint& endpoint) {
  const auto at = rest.rfind('@');
  if (at == std::string_view::npos) return rest;
  parse_credentials(rest.substr(0, at), endpoint);
  return rest.substr(at + 1);
}

// The first node of a cluster, and the others.
void parse_nodes(std::string_view hosts, Endpoint& endpoint) {
  parse_host_port(take_until(hosts, ','), endpoint);
  while (!hosts.empty()) {
    Endpoint other;
    parse_host_port(take_until(hosts, ','), other);
    endpoint.others.push_back({other.host, other.port});
  }
}

void parse_sentinels(std::string_view hosts, std::string_view service, Endpoint& endpoint) {
  endpoint.service = percent_decode(service);
  if (endpoint.service.empty())
    reject("the name of the master is missing: redis+sentinel://host:26379/mymaster");
  while (!hosts.empty()) {
    Endpoint sentinel;
    sentinel.port = kSentinelPort;
    parse_host_port(take_until(hosts, ','), sentinel);
    endpoint.sentinels.push_back({sentinel.host, sentinel.port});
  }
  if (endpoint.sentinels.empty()) reject("redis+sentinel:// needs the address of a Sentinel");
}

}  // namespace

std::string NodeAddress::text() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Endpoint Endpoint::for_another_thread() const {
  Endpoint other = *this;
  if (tls) other.tls = std::make_shared<TlsClient>(tls->settings());
  other.detour = nullptr;
  return other;
}

std::string Endpoint::name() const {
  const std::string db = std::to_string(database);
  if (!sentinels.empty()) {
    std::vector<std::string> all;
    for (const NodeAddress& sentinel : sentinels) all.push_back(sentinel.text());
    return std::string(tls ? "rediss" : "redis") +
           escape_for_terminal("+sentinel://" + joined(all, ",") + "/" + service) +
           (database != 0 ? "/" + db : "");
  }
  if (!unix_path.empty())
    return "unix://" + escape_for_terminal(unix_path) + (database != 0 ? "?db=" + db : "");
  std::string all = NodeAddress{host, port}.text();
  for (const NodeAddress& other : others) all += "," + other.text();
  return (tls ? "rediss://" : "redis://") + escape_for_terminal(all) +
         (database != 0 ? "/" + db : "");
}

std::string options_for(const Endpoint& endpoint) {
  std::string text;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) text += std::string(" ") + option + " " + shell_word(value);
  };
  if (endpoint.name() != Endpoint().name()) add("--redis", endpoint.name());
  const auto add_file = [&](const char* option, const std::string& path) {
    if (can_be_named_again(path)) add(option, path);
  };
  add("--user", endpoint.user);
  add_file("--pass-file", endpoint.password_file);
  if (!endpoint.tls) return text;
  const TlsSettings& tls = endpoint.tls->settings();
  add_file("--cacert", tls.ca_file);
  add_file("--cert", tls.cert_file);
  add_file("--cert-key", tls.key_file);
  add("--sni", tls.sni);
  return text + (tls.insecure ? " --insecure" : "");
}

std::string rlctl_command(const std::string& words, const Endpoint& endpoint) {
  return "rlctl " + words + options_for(endpoint);
}

Endpoint parse_endpoint(std::string_view url, const TlsSettings& tls) {
  if (url.starts_with("unix://")) return parse_unix(url.substr(7));
  const std::size_t mark = url.find("://");
  const std::string_view scheme = url.substr(0, mark);
  const bool secure = scheme == "rediss" || scheme == "rediss+sentinel";
  const bool by_sentinels = scheme == "redis+sentinel" || scheme == "rediss+sentinel";
  if (mark == url.npos || (!secure && !by_sentinels && scheme != "redis"))
    reject("the address must begin with redis://, rediss://, unix:// or redis+sentinel://");
  Endpoint endpoint;
  if (secure) endpoint.tls = std::make_shared<TlsClient>(tls);
  std::string_view rest = take_credentials(url.substr(mark + 3), endpoint);
  std::string_view behind_name = rest;  // of the master, whose path is no database
  if (by_sentinels) take_until(behind_name, '/');
  refuse_query(behind_name);
  const std::string_view hosts = take_until(rest, '/');
  if (by_sentinels)
    parse_sentinels(hosts, take_until(rest, '/'), endpoint);
  else
    parse_nodes(hosts, endpoint);
  if (!rest.empty()) parse_database(rest, endpoint);
  return endpoint;
}

}  // namespace rlctl

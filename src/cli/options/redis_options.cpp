#include "cli/options/redis_options.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/output/output.h"

namespace rlctl {
namespace {

int number_from(const std::string& text, const char* option, int least, int most) {
  const auto number = parse_whole<int>(text);
  if (number && *number >= least && *number <= most) return *number;
  throw Error(Exit::usage, std::string(option) + ": " + in_quotes(text) + " is not valid",
              "use a number from " + std::to_string(least) + " to " + std::to_string(most));
}

// It may be relative, as with redis-cli.
Endpoint endpoint_of_socket(const std::string& socket) {
  Endpoint endpoint;
  endpoint.unix_path = std::filesystem::absolute(socket);
  if (endpoint.unix_path.size() > kLongestSocketPath)
    throw Error(Exit::usage, "-s: a unix socket's path has at most 107 bytes",
                "write it as a shorter path, or as a link");
  return endpoint;
}

// Without a password nobody logs in: the commands would be those of `default`, who may do more. The
// user of a URL is not shown: it may be a password in the wrong place.
void refuse_without_password(const Endpoint& endpoint, const std::string& user_option) {
  if (endpoint.user.empty() || endpoint.user == "default" || !endpoint.password.empty()) return;
  constexpr const char* kRemedy =
      "add --pass-file FILE or REDISCLI_AUTH; a user with `nopass` takes any password";
  if (!user_option.empty())
    throw Error(Exit::usage, "there is no password for the user " + in_quotes(user_option),
                kRemedy);
  throw Error(Exit::usage, "the URL has a user, but there is no password",
              std::string(kRemedy) + "; a URL with a password alone: redis://:PASSWORD@HOST");
}

}  // namespace

void RedisOptions::add_to(Options& app, WithoutUrl without_url) {
  without_url_ = without_url;
  const bool embeds = without_url == WithoutUrl::embedded;
  app.add_option("-u,--redis", url_,
                 "redis(s)://[user:pass@]host:port/db, of a cluster also host:port,host:port; "
                 "redis+sentinel://host:port,host:port/NAME; unix:///path?db=N " +
                     std::string(embeds ? "[a private server, which rlctl starts]"
                                        : "[redis://127.0.0.1:6379]"))
      .type_name("URL");
  app.add_option("-h", host_, "the server's host, as with redis-cli; -h alone is --help")
      .type_name("HOST");
  app.add_option("-p", port_, "the server's port [6379]").type_name("PORT");
  app.add_option("-s", socket_, "the server's unix socket").type_name("FILE");
  app.add_option("-n", database_, "the database's number [0]").type_name("N");
  tls_.add_to(app);
  app.add_option("--user", user_, "the user's name [default]").type_name("NAME");
  app.add_option("-a,--pass", password_, "the password; safer: --pass-file or REDISCLI_AUTH")
      .type_name("PASSWORD");
  app.add_option("--pass-file", pass_file_,
                 "file with the password in its first line [REDISCLI_AUTH]; it is never shown")
      .type_name("FILE");
  app.add_option(
         "--timeout", timeout_,
         "time-out of connecting and of each command [2s; in rlctl run, what the scenario says]")
      .type_name("DURATION");
  app.add_flag("--cluster", cluster_, "the URL must be a node of a cluster [detected]");
  if (!embeds) return;
  app.add_option("--embedded", embedded_,
                 "the private server: single, cluster:3, or cluster:3+3 (masters and replicas) "
                 "[single]")
      .type_name("KIND");
  app.add_option("--redis-server", server_program_, "the server program to start [found on PATH]")
      .type_name("FILE");
}

std::int64_t RedisOptions::timeout_us() const {
  return has_timeout() ? parse_positive_duration_us(timeout_, "--timeout") : Endpoint{}.timeout_us;
}

void RedisOptions::check_private_server() const {
  if (!embedded()) return;
  if (cluster_)
    throw Error(Exit::usage, "--cluster says what --redis URL must be, and there is no URL",
                "for a private cluster: --embedded cluster:3");
  for (const auto& [option, value] : {std::pair{"--pass-file", &pass_file_},
                                      {"--pass", &password_},
                                      {"--user", &user_},
                                      {"-n", &database_}})
    if (!value->empty())
      throw Error(Exit::usage, std::string(option) + " is not for the private server",
                  std::string("add --redis URL or -h HOST, or remove ") + option);
  if (const std::string option = tls_.given(); !option.empty())
    throw Error(Exit::usage, option + ": the private server speaks no TLS",
                "add --redis rediss://host:port, or remove " + option);
}

EmbeddedSpec RedisOptions::embedded_spec() const {
  const std::vector<std::string> named = naming_server();
  for (const auto& [option, value] :
       {std::pair{"--embedded", &embedded_}, {"--redis-server", &server_program_}})
    if (!named.empty() && !value->empty())
      throw Error(Exit::usage, std::string(option) + ": " + named.front() + " names the server",
                  "leave out one of them");
  return {server_program_,
          embedded_.empty() ? std::nullopt : parse_embedded(embedded_, "--embedded")};
}

// The options that do. One server may need both -h and -p.
std::vector<std::string> RedisOptions::naming_server() const {
  std::vector<std::string> named;
  if (!url_.empty()) named.emplace_back("--redis");
  if (!socket_.empty()) named.emplace_back("-s");
  if (!host_.empty() || !port_.empty()) named.emplace_back(port_.empty() ? "-h" : "-p");
  return named;
}

std::string RedisOptions::password() const {
  if (pass_file_.empty()) {
    const char* inherited = std::getenv("REDISCLI_AUTH");
    return inherited != nullptr ? inherited : "";
  }
  std::ifstream file(pass_file_);
  std::string line;
  if (!file)
    throw Error(Exit::usage, "--pass-file: can't read " + in_quotes(pass_file_),
                "write the password in its first line");
  std::getline(file, line);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line.empty())
    throw Error(Exit::usage,
                "--pass-file: the first line of " + in_quotes(pass_file_) + " is empty",
                "write the password in its first line");
  return line;
}

// The list of processes does not show it (hide_secrets in main.cpp).
void RedisOptions::warn_of_password(const char* option) const {
  if (std::exchange(warned_, true)) return;
  tell(std::string(option) +
       ": a password on the command line stays in the shell's history; safer: REDISCLI_AUTH or "
       "--pass-file");
}

Endpoint RedisOptions::named_server() const {
  if (const std::vector<std::string> named = naming_server(); named.size() > 1)
    throw Error(Exit::usage, joined(named, " and ") + " both name a server", "remove one of them");
  if (!url_.empty()) {
    Endpoint endpoint = parse_endpoint(url_, tls_.settings());
    if (!endpoint.password.empty()) warn_of_password("--redis");
    return endpoint;
  }
  if (!socket_.empty()) return endpoint_of_socket(socket_);
  Endpoint endpoint;
  if (!host_.empty()) endpoint.host = host_;
  if (!port_.empty())
    endpoint.port = static_cast<std::uint16_t>(number_from(port_, "-p", 1, 65'535));
  return endpoint;
}

// Of -n, or of the URL: a verb must not read another database than a part of its line says.
int RedisOptions::database_of(const Endpoint& named) const {
  if (database_.empty()) return named.database;
  const int database = number_from(database_, "-n", 0, 1'000'000);
  if (named.names_database && named.database != database)
    throw Error(Exit::usage,
                "--redis names database " + std::to_string(named.database) + ", and -n names " +
                    std::to_string(database),
                "remove one of them");
  return database;
}

Endpoint RedisOptions::endpoint() const {
  Endpoint endpoint = named_server();
  tls_.apply_to(endpoint);
  endpoint.database = database_of(endpoint);
  if (!user_.empty()) endpoint.user = user_;
  if (!password_.empty()) endpoint.password = password_;
  if (!password_.empty()) warn_of_password("--pass");
  return completed(std::move(endpoint));
}

Endpoint RedisOptions::endpoint_of(const std::string& url) const {
  if (url.empty()) return endpoint();
  return completed(parse_endpoint(url, tls_.settings()));
}

Endpoint RedisOptions::completed(Endpoint endpoint) const {
  endpoint.timeout_us = timeout_us();
  endpoint.cluster = cluster_;
  if (!endpoint.password.empty() && !pass_file_.empty())
    throw Error(Exit::usage,
                std::string("--pass-file and ") + (password_.empty() ? "the URL" : "--pass") +
                    " both give a password",
                "remove one of them");
  if (endpoint.password.empty()) {
    endpoint.password = password();
    endpoint.password_file = pass_file_;
  }
  refuse_without_password(endpoint, user_);
  return endpoint;
}

namespace {

Endpoint choose_endpoint(const RedisOptions& options, std::optional<EmbeddedRedis>& server,
                         Loop& loop) {
  const EmbeddedSpec spec = options.embedded_spec();
  if (!options.embedded()) return options.endpoint();
  options.check_private_server();
  const std::int64_t timeout_us = options.timeout_us();
  server.emplace(spec);
  loop.run(server->get_ready(loop));
  Endpoint endpoint = server->endpoint();
  endpoint.timeout_us = timeout_us;
  return endpoint;
}

}  // namespace

RedisSession::RedisSession(const RedisOptions& options, OnReplica on_replica, Loop::Timers timers)
    : loop_(timers), deployment_(loop_, choose_endpoint(options, server_, loop_)) {
  loop_.watch_signals();
  loop_.run(deployment_.discover());
  redis_ = deployment_.client();
  loop_.run(redis_->connect());
  if (embedded() || deployment_.is_cluster()) return;
  replica_ = loop_.run(read_replica(*redis_));
  if (on_replica == OnReplica::refuse) require_master();
  if (replica_ && on_replica == OnReplica::tell) tell(replica_->remark());
}

void RedisSession::require_master() const {
  if (replica_)
    throw Error(Exit::target,
                "this is " + replica_->whose() + ": what is written here does not reach its master",
                "connect to the master");
}

std::string RedisSession::lag() const { return replica_ ? replica_->unseen() : ""; }

std::string RedisSession::unseen() {
  const std::string unseen = lag();
  if (!loop_.interrupted()) loop_.run(redis_->look_back());
  return unseen.empty() ? redis_->unseen() : unseen;
}

void RedisSession::tell_once(const std::string& words) {
  if (told_.insert(words).second) tell(words);
}

RedisSession::RedisSession(const RedisOptions& options, LoadPacer pacer) : RedisSession(options) {
  paced_.emplace(loop_, *redis_, std::move(pacer));
}

}  // namespace rlctl

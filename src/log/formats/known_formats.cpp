#include "log/formats/known_formats.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "base/timestamp.h"
#include "log/formats/access_rows.h"
#include "log/formats/csv_rows.h"
#include "log/formats/json_rows.h"
#include "log/formats/wrapped_rows.h"

namespace rlctl {
namespace {

// The common and the combined format begin alike; what follows the status may be missing.
#define RLCTL_COMBINED                                                      \
  "$remote_addr $identity $remote_user [$time_local] \"$request\" $status " \
  "$body_bytes_sent \"$http_referer\" \"$http_user_agent\""

// The comment of a row names the document that says what its columns are.
constexpr KnownFormat kFormats[] = {
    // ingress-nginx, "Log format": upstreaminfo. Times as in nginx.
    {"ingress-nginx", "Kubernetes ingress-nginx", LogShape::text,
     RLCTL_COMBINED " $request_length $request_time [$proxy_upstream_name] [$alternative] ", "",
     StampAt::end},
    // Traefik, "Access Logs", and its CommonLogFormatter: StartUTC, the duration in whole ms.
    {"traefik", "Traefik (CLF)", LogShape::text,
     RLCTL_COMBINED " $requests \"$router\" \"$server\" ${duration_ms}ms", "", StampAt::start},
    // nginx, ngx_http_log_module: $time_local is the time of the log write; $request_time is in
    // seconds with ms, from the first bytes of the request to the log write. Only a number with a
    // label is a duration for certain.
    {"nginx", "nginx main with rt=", LogShape::text,
     RLCTL_COMBINED " \"$http_x_forwarded_for\" rt=$request_time", "", StampAt::end},
    {"nginx", "nginx with rt=", LogShape::text, RLCTL_COMBINED " rt=$request_time", "",
     StampAt::end},
    // Apache, mod_log_config: %t is the time the request was received. What follows the user agent
    // (%I and %O of combinedio) is not read; %D is in µs.
    {"apache", "Apache, vhost_combined", LogShape::text, "$host:$port " RLCTL_COMBINED, "",
     StampAt::start},
    {"combined", "nginx or Apache, common or combined", LogShape::text, RLCTL_COMBINED},
    {"nginx", "nginx, combined", LogShape::text, RLCTL_COMBINED, "", StampAt::end},
    {"apache", "Apache, common or combined", LogShape::text, RLCTL_COMBINED, "", StampAt::start},
    // HAProxy, configuration manual 8.2.3: request_date is that of the request's first byte, in
    // local time without a zone; Ta, the last of the times, lasts to the last byte of the response.
    {"haproxy", "HAProxy (option httplog)", LogShape::text,
     "$client_ip:$client_port [$time_local] $frontend $backend/$server "
     "$request_ms/$wait_ms/$connect_ms/$response_ms/$duration_ms $status $body_bytes_sent "
     "$request_cookie $response_cookie $termination $connections $queues $captures\"$request\"",
     "", StampAt::start},
    // Istio, "Envoy Access Logs": its default format. Between pods there is no x-forwarded-for, and
    // Envoy's downstream remote address is what that header says wherever Envoy trusts it.
    {"envoy", "Istio (Envoy, text)", LogShape::text,
     "[$timestamp] \"$request\" $status $flags $details $termination \"$failure\" "
     "$bytes_received $bytes_sent $duration_ms $upstream_time \"$http_x_forwarded_for\" "
     "\"$http_user_agent\" \"$request_id\" \"$host\" \"$upstream\" $upstream_cluster "
     "$upstream_local_address $downstream_local_address $downstream_remote_address "
     "$requested_server_name $route_name",
     "key=downstream_remote_address:host", StampAt::start},
    // Envoy, "Access logging": the default format string. START_TIME is UTC, with ms; DURATION is
    // in ms, to the last byte out.
    {"envoy", "Envoy (text)", LogShape::text,
     "[$timestamp] \"$request\" $status $flags $bytes_received $bytes_sent $duration_ms "
     "$upstream_time \"$http_x_forwarded_for\" \"$http_user_agent\" \"$request_id\" \"$host\" "
     "\"$upstream\"",
     "key=http_x_forwarded_for:host", StampAt::start},
    // AWS, "Access logs for your Application Load Balancer": the time is when it generated the
    // response, request_creation_time when it received the request; both in UTC.
    {"aws-alb", "AWS Application Load Balancer", LogShape::text,
     "$type $timestamp $elb $client_ip:$client_port $target $request_processing "
     "$target_processing $response_processing $status $target_status $received_bytes "
     "$sent_bytes \"$request\" \"$http_user_agent\" $ssl_cipher $ssl_protocol $target_group "
     "\"$trace_id\" \"$host\" \"$certificate\" $priority $request_creation_time \"$actions\"",
     "", StampAt::end},
    // AWS, CloudFront "Standard logging reference", of version 2 and before: date and time, in UTC,
    // are when the server finished responding; time-taken is in seconds, from the request to the
    // last byte. Version 2 writes JSON, too, and in its records timestamp(ms) is in that second.
    {"cloudfront", "AWS CloudFront (with milliseconds)", LogShape::w3c,
     "#Fields: x-edge-location timestamp(ms)",
     "time=timestamp(ms):ms key=c-ip status=sc-status duration=time-taken:s", StampAt::end},
    {"cloudfront", "AWS CloudFront (standard logs)", LogShape::w3c, "#Fields: x-edge-location",
     "key=c-ip status=sc-status duration=time-taken:s", StampAt::end},
    {"cloudfront", "AWS CloudFront (JSON, with milliseconds)", LogShape::json,
     "\"x-edge-location\" \"sc-status\" \"timestamp(ms)\"",
     "time=timestamp(ms):ms key=c-ip status=sc-status duration=time-taken:s", StampAt::end},
    {"cloudfront", "AWS CloudFront (JSON)", LogShape::json, "\"x-edge-location\" \"sc-status\"",
     "key=c-ip status=sc-status duration=time-taken:s", StampAt::end},
    // Microsoft, "W3C Logging": UTC, "when the activity occurred", which leaves the moment open;
    // time-taken is in ms, from the first byte to the end of the last send (KB 944884).
    {"iis", "IIS (W3C)", LogShape::w3c, "#Fields: c-ip sc-status",
     "key=c-ip status=sc-status duration=time-taken:ms"},
    // Traefik, "Access Logs": the start, and the duration in ns. StartLocal is there for those who
    // drop StartUTC.
    {"traefik", "Traefik (JSON)", LogShape::json, "\"DownstreamStatus\" \"StartUTC\"",
     "time=StartUTC key=ClientHost status=DownstreamStatus duration=Duration:ns", StampAt::start},
    {"traefik", "Traefik in local time (JSON)", LogShape::json,
     "\"DownstreamStatus\" \"StartLocal\"",
     "time=StartLocal key=ClientHost status=DownstreamStatus duration=Duration:ns", StampAt::start},
    // Caddy, "How Logging Works" and "log (Caddyfile directive)": ts is when the entry is written.
    // time_format and duration_format choose units and forms ("wall" is 2026/11/21 10:00:00, in UTC
    // unless time_local is set; "string" is Go's 1m0.25s); a duration with decimals is in seconds,
    // and a whole number leaves its unit open.
    {"caddy", "Caddy (JSON)", LogShape::json, "http.log.access \"client_ip\"",
     "time=ts key=request.client_ip status=status duration=duration", StampAt::end},
    {"caddy", "Caddy before 2.7 (JSON)", LogShape::json, "http.log.access \"remote_ip\"",
     "time=ts key=request.remote_ip status=status duration=duration", StampAt::end},
    // Google Cloud, "LogEntry" and "HttpRequest": timestamp is "the time the event occurred", which
    // leaves the moment open (receiveTimestamp is when Logging got the entry); latency is in
    // seconds, from request to response; remoteIp may have a port.
    {"gcp", "Google Cloud load balancer", LogShape::json, "\"httpRequest\" \"remoteIp\"",
     "time=timestamp key=httpRequest.remoteIp:host status=httpRequest.status "
     "duration=httpRequest.latency:s"},
    // Cloudflare, "HTTP requests": when the edge received the request, and when it finished
    // sending. "Log Output Options": in ns, seconds or RFC 3339 with seconds, as JSON or CSV.
    {"cloudflare", "Cloudflare Logpush", LogShape::json,
     "\"EdgeResponseStatus\" \"EdgeEndTimestamp\"",
     "time=EdgeEndTimestamp key=ClientIP status=EdgeResponseStatus", StampAt::end},
    {"cloudflare", "Cloudflare Logpush without the end", LogShape::json,
     "\"EdgeResponseStatus\" \"EdgeStartTimestamp\"",
     "time=EdgeStartTimestamp key=ClientIP status=EdgeResponseStatus", StampAt::start},
    {"cloudflare", "Cloudflare Logpush (CSV)", LogShape::csv, "EdgeResponseStatus EdgeEndTimestamp",
     "time=EdgeEndTimestamp key=ClientIP status=EdgeResponseStatus", StampAt::end},
    {"cloudflare", "Cloudflare Logpush without the end (CSV)", LogShape::csv,
     "EdgeResponseStatus EdgeStartTimestamp",
     "time=EdgeStartTimestamp key=ClientIP status=EdgeResponseStatus", StampAt::start},
    // Istio's and Envoy Gateway's default JSON. The key is as in Istio's text.
    {"envoy", "Istio or Envoy Gateway (JSON)", LogShape::json,
     "\"start_time\" \"response_code\" \"downstream_remote_address\"",
     "time=start_time key=downstream_remote_address:host status=response_code "
     "duration=duration:ms",
     StampAt::start},
    {"envoy", "Envoy (JSON)", LogShape::json,
     "\"start_time\" \"response_code\" \"x_forwarded_for\"",
     "time=start_time key=x_forwarded_for:host status=response_code duration=duration:ms",
     StampAt::start},
    {"json", "any JSON Lines, also rlctl's own", LogShape::json, "", "", StampAt::end},
    {"csv", "any CSV with names, also rlctl's own", LogShape::csv, "", "", StampAt::end},
};

#undef RLCTL_COMBINED

// As above.
constexpr LogWrapper kWrappers[] = {
    // Docker, "JSON File logging driver", and its jsonfilelog.go and copier.go: a part of a long
    // line fills the buffer and has no line end.
    {"docker json-file", LogShape::json, "\"log\": \"stream\": \"time\":", "log", "stream", "",
     16'384},
    // systemd, "Journal JSON Format": bytes that are no text are an array of numbers, and
    // journalctl writes null for more than 4,096 of them without --all. Docker's journald.go marks
    // parts.
    {"journald JSON", LogShape::json, "\"__REALTIME_TIMESTAMP\" \"MESSAGE\"", "MESSAGE",
     "CONTAINER_ID_FULL", "CONTAINER_PARTIAL_MESSAGE=true"},
    // RFC 5424, 6: SYSLOG-MSG.
    {"syslog (RFC 5424)", LogShape::text,
     "<$priority>1 $stamp $host $program $process $id - $message"},
    {"syslog (RFC 5424) with data", LogShape::text,
     "<$priority>1 $stamp $host $program $process $id [$data] $message"},
    // RFC 3164, 4.1, and journalctl's short forms with a calendar time. With and without a host.
    {"syslog or journald, text", LogShape::text,
     "$day_and_hour:$minute:$second $program: $message"},
    // Kubernetes, "kubelet-cri-logging", and kubelet's logs.go: stdout or stderr; the first of the
    // tags is F (full) or P (partial).
    {"Kubernetes (CRI)", LogShape::text, "$stamp std$stream $tag $message", "message", "stream",
     "tag=P"},
    {"docker compose", LogShape::text, "$service | $message"},
};

bool holds_all(std::string_view line, std::string_view words) {
  return std::ranges::all_of(split(words, ' '), [&](const std::string& word) {
    return line.find(word) != std::string_view::npos;
  });
}

bool looks_like_csv(std::string_view line) {
  return !line.starts_with('#') && line.find_first_of(",;\t") != std::string_view::npos &&
         line.find_first_of("{}[]") == std::string_view::npos;
}

bool is_plain_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

// A line can be cut at the texts of a format by chance: its values must make sense, too.
bool has_sense(const LogRow& row) {
  const std::string_view time = row[Field::time];
  const bool is_time = is_plain_number(time) ? likely_unit(time) != TimeUnit::detected
                                             : parse_calendar_time(time).has_value();
  std::string_view duration = row[Field::duration];
  if (duration.starts_with('+')) duration.remove_prefix(1);
  const std::string_view status = row[Field::status];
  return is_time && (status == "-" || parse_whole<int>(status).has_value()) &&
         (!row.has(Field::duration) || duration == "-" || is_plain_number(duration)) &&
         (!row.has(Field::key) || row[Field::key].find(' ') == std::string_view::npos ||
          row[Field::key].find(", ") != std::string_view::npos);
}

// The columns of the format, unless the user names others.
LogColumns completed(const LogColumns& columns, std::string_view said) {
  ColumnName time = columns.time();
  ColumnName key = columns.key();
  ColumnName status = columns.status();
  ColumnName duration = columns.duration();
  const std::array fields{std::pair{"time", &time}, std::pair{"key", &key},
                          std::pair{"status", &status}, std::pair{"duration", &duration}};
  for (const std::string& pair : split(said, ' ')) {
    std::string_view column = pair;
    const std::string_view name = take_until(column, '=');
    for (const auto& [field, target] : fields)
      if (field == name && target->name.empty()) *target = parse_column_name(column);
  }
  LogColumns all(time, key, status, duration);
  if (columns.time().name.empty()) all.keep_begun();
  if (!columns.has_options()) all.set_by_no_option();
  for (const LogColumns::Wanted& wanted : columns.names()) all.want(wanted.name, wanted.column);
  return all;
}

std::unique_ptr<RowParser> rows_of(const KnownFormat& format, const LogColumns& columns) {
  switch (format.shape) {
    case LogShape::text:
      return std::make_unique<AccessRows>(format.tell, true, columns);
    case LogShape::json:
      return std::make_unique<JsonRows>(columns);
    case LogShape::w3c:
      return std::make_unique<CsvRows>(columns, CsvRows::Names::w3c);
    case LogShape::csv:
      break;
  }
  return std::make_unique<CsvRows>(columns);
}

FoundFormat begun(const KnownFormat& format, const LogColumns& columns) {
  FoundFormat found{&format, std::make_unique<LogColumns>(completed(columns, format.columns)), {}};
  found.rows = rows_of(format, *found.columns);
  return found;
}

bool is_generic(const KnownFormat& format) { return *format.tell == '\0'; }

bool fits(const KnownFormat& format, std::string_view line) {
  switch (format.shape) {
    case LogShape::text: {
      LogRow row;
      const LogColumns columns = completed({}, format.columns);
      return AccessRows(format.tell, true, columns).parse(line, row) == nullptr && has_sense(row);
    }
    case LogShape::w3c:
      return line.starts_with("#Fields:") && holds_all(line, format.tell);
    case LogShape::json:
      return line.starts_with('{') && holds_all(line, format.tell);
    case LogShape::csv:
      break;
  }
  return looks_like_csv(line) && holds_all(line, format.tell);
}

FoundFormat find_among(std::string_view line, std::string_view name, const LogColumns& columns,
                       bool generic) {
  for (const KnownFormat& format : kFormats) {
    if (is_generic(format) != generic || (!name.empty() && name != format.name)) continue;
    if (fits(format, line)) return begun(format, columns);
  }
  return {};
}

using Lines = std::span<const std::string>;

FoundFormat find_inside(std::string_view line, std::string_view name, const LogColumns& columns,
                        int depth, Lines before);

std::unique_ptr<MessageReader> reader_after(Lines before, const LogWrapper& wrapper) {
  auto reader = std::make_unique<MessageReader>(wrapper);
  std::string_view message;
  for (const std::string& line : before) reader->read(line, message);
  return reader;
}

FoundFormat find_wrapped(std::string_view line, std::string_view name, const LogColumns& columns,
                         int depth, Lines before) {
  FoundFormat none;
  for (const LogWrapper& wrapper : kWrappers) {
    const bool json = wrapper.shape == LogShape::json;
    if (json && (!line.starts_with('{') || !holds_all(line, wrapper.tell))) continue;
    auto outer = reader_after(before, wrapper);
    std::string_view message;
    const char* problem = outer->read(line, message);
    none.is_part = none.is_part || (problem == kNoRow && !message.empty());
    if (problem != nullptr || message.empty()) continue;
    FoundFormat found = find_inside(message, name, columns, depth + 1, {});
    if (found.format == nullptr) continue;
    if (!before.empty()) outer = reader_after(before, wrapper);  // it has taken this line's parts
    found.rows = std::make_unique<WrappedRows>(std::move(outer), std::move(found.rows));
    return found;
  }
  return none;
}

// A wrapped line of CSV cannot be told from any other text.
FoundFormat find_inside(std::string_view line, std::string_view name, const LogColumns& columns,
                        int depth, Lines before) {
  constexpr int kDeepest = 2;
  FoundFormat found;
  if (depth < kDeepest) found = find_wrapped(line, name, columns, depth, before);
  if (found.format != nullptr || found.is_part) return found;
  found = find_among(line, name, columns, false);
  if (found.format == nullptr && (depth == 0 || line.starts_with('{')))
    found = find_among(line, name, columns, true);
  return found;
}

}  // namespace

std::span<const KnownFormat> known_formats() { return kFormats; }

std::span<const LogWrapper> log_wrappers() { return kWrappers; }

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const KnownFormat& format : kFormats)
    if (std::ranges::find(names, format.name) == names.end()) names.emplace_back(format.name);
  return names;
}

FoundFormat find_format(std::string_view line, std::string_view name, const LogColumns& columns,
                        std::span<const std::string> before) {
  return find_inside(line, name, columns, 0, before);
}

FoundFormat begin_format(std::string_view name, const LogColumns& columns) {
  for (const KnownFormat& format : kFormats)
    if (is_generic(format) && name == format.name) return begun(format, columns);
  return {};
}

}  // namespace rlctl

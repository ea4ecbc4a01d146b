// A library for LD_PRELOAD: the call FAIL_CALL fails when it is made for the FAIL_NTH time, with
// the errno FAIL_ERRNO. Then the file FAIL_MARK appears. Without FAIL_NTH nothing fails, and the
// file has a line at the end for each call that was made: how often, and its name. Programs that
// this one starts are spared.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <string>

namespace {

struct Counted {
  const char* name;
  std::atomic<long> calls = 0;
};
Counted counted[] = {{"socket"}, {"connect"}, {"accept4"}, {"read"},       {"write"},     {"recv"},
                     {"send"},   {"open"},    {"rename"},  {"linkat"},     {"ftruncate"}, {"fsync"},
                     {"flock"},  {"pipe2"},   {"fork"},    {"epoll_wait"}, {"epoll_ctl"}};

struct Plan {
  std::string call;
  std::string mark;
  long nth = 0;
  int error = 0;
};

std::string variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

// Made at the first call, which may come before the constructors of this library; never destroyed.
Plan& plan() {
  static Plan& plan = [&]() -> Plan& {
    auto* made = new Plan;
    made->call = variable("FAIL_CALL");
    made->mark = variable("FAIL_MARK");
    made->nth = atol(variable("FAIL_NTH").c_str());
    made->error = atoi(variable("FAIL_ERRNO").c_str());
    unsetenv("LD_PRELOAD");
    return *made;
  }();
  return plan;
}

int create(const std::string& path) {
  return static_cast<int>(
      syscall(SYS_openat, AT_FDCWD, path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600));
}

bool fails(const char* call) {
  Plan& known = plan();
  long calls = 0;
  for (Counted& one : counted)
    if (strcmp(one.name, call) == 0) calls = ++one.calls;
  if (known.call != call || calls != known.nth) return false;
  close(create(known.mark));
  errno = known.error;
  return true;
}

__attribute__((destructor)) void tell_counts() {
  if (plan().nth > 0 || plan().mark.empty()) return;
  std::string lines;
  for (const Counted& one : counted)
    if (one.calls > 0) lines += std::to_string(one.calls) + " " + one.name + "\n";
  const int descriptor = create(plan().mark);
  syscall(SYS_write, descriptor, lines.data(), lines.size());
  close(descriptor);
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int socket(int domain, int type, int protocol) {
  if (fails("socket")) return -1;
  return next<int(int, int, int)>("socket")(domain, type, protocol);
}

int connect(int descriptor, const sockaddr* address, socklen_t size) {
  if (fails("connect")) return -1;
  return next<int(int, const sockaddr*, socklen_t)>("connect")(descriptor, address, size);
}

ssize_t read(int descriptor, void* bytes, size_t size) {
  if (fails("read")) return -1;
  return next<ssize_t(int, void*, size_t)>("read")(descriptor, bytes, size);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  if (fails("write")) return -1;
  return next<ssize_t(int, const void*, size_t)>("write")(descriptor, bytes, size);
}

ssize_t recv(int descriptor, void* bytes, size_t size, int flags) {
  if (fails("recv")) return -1;
  return next<ssize_t(int, void*, size_t, int)>("recv")(descriptor, bytes, size, flags);
}

ssize_t send(int descriptor, const void* bytes, size_t size, int flags) {
  if (fails("send")) return -1;
  return next<ssize_t(int, const void*, size_t, int)>("send")(descriptor, bytes, size, flags);
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  if (fails("open")) return -1;
  return next<int(const char*, int, ...)>("open")(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  return open(path, flags, mode);
}

int rename(const char* from, const char* to) {
  if (fails("rename")) return -1;
  return next<int(const char*, const char*)>("rename")(from, to);
}

int linkat(int from_directory, const char* from, int to_directory, const char* to, int flags) {
  if (fails("linkat")) return -1;
  return next<int(int, const char*, int, const char*, int)>("linkat")(from_directory, from,
                                                                      to_directory, to, flags);
}

int ftruncate(int descriptor, off_t size) {
  if (fails("ftruncate")) return -1;
  return next<int(int, off_t)>("ftruncate")(descriptor, size);
}

int flock(int descriptor, int operation) {
  if (fails("flock")) return -1;
  return next<int(int, int)>("flock")(descriptor, operation);
}

int accept4(int descriptor, sockaddr* address, socklen_t* size, int flags) {
  if (fails("accept4")) return -1;
  return next<int(int, sockaddr*, socklen_t*, int)>("accept4")(descriptor, address, size, flags);
}

int epoll_wait(int descriptor, epoll_event* events, int most, int timeout_ms) {
  if (fails("epoll_wait")) return -1;
  return next<int(int, epoll_event*, int, int)>("epoll_wait")(descriptor, events, most, timeout_ms);
}

int epoll_ctl(int descriptor, int operation, int about, epoll_event* event) noexcept {
  if (fails("epoll_ctl")) return -1;
  return next<int(int, int, int, epoll_event*)>("epoll_ctl")(descriptor, operation, about, event);
}

int fsync(int descriptor) {
  if (fails("fsync")) return -1;
  return next<int(int)>("fsync")(descriptor);
}

int pipe2(int* ends, int flags) {
  if (fails("pipe2")) return -1;
  return next<int(int*, int)>("pipe2")(ends, flags);
}

pid_t fork() {
  if (fails("fork")) return -1;
  return next<pid_t()>("fork")();
}

}  // extern "C"

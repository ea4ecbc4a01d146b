// A library for LD_PRELOAD: the FAIL_NTH allocation of at least FAIL_BYTES fails. Then the file
// FAIL_MARK appears. Programs that this one starts are spared. glibc's own names, because to look
// for the next malloc is to allocate.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void* __libc_malloc(size_t bytes);
extern void* __libc_calloc(size_t count, size_t bytes);
extern void* __libc_realloc(void* block, size_t bytes);

static atomic_long made;
static long nth;
static size_t least_bytes;
static const char* mark;

__attribute__((constructor)) static void read_plan(void) {
  const char* value = getenv("FAIL_NTH");
  nth = value == NULL ? 0 : atol(value);
  value = getenv("FAIL_BYTES");
  least_bytes = value == NULL ? 0 : (size_t)atol(value);
  mark = getenv("FAIL_MARK");
  unsetenv("LD_PRELOAD");
}

static int fails(size_t bytes) {
  if (nth == 0 || bytes < least_bytes || atomic_fetch_add(&made, 1) + 1 != nth) return 0;
  const int descriptor =
      (int)syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (descriptor >= 0) close(descriptor);
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t bytes) { return fails(bytes) ? NULL : __libc_malloc(bytes); }

void* calloc(size_t count, size_t bytes) {
  return fails(count * bytes) ? NULL : __libc_calloc(count, bytes);
}

void* realloc(void* block, size_t bytes) {
  return fails(bytes) ? NULL : __libc_realloc(block, bytes);
}

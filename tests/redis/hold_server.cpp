// Runs an embedded server, as rlctl does, until its standard input ends. The tests kill this
// program. It prints the server's socket.
#include <unistd.h>

#include <cstdio>

#include "base/error.h"
#include "io/redis/server_process.h"

int main() {
  try {
    const rlctl::ServerProcess server;
    std::puts(server.endpoint().unix_path.c_str());
    std::fflush(stdout);
    char byte = 0;
    while (read(STDIN_FILENO, &byte, 1) > 0) continue;
  } catch (const rlctl::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}

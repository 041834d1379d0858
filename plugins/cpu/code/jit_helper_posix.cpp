// plugins/cpu/code/jit_helper_posix.cpp -- see jit_helper.h.
#if !defined(_WIN32)
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "plugins/cpu/code/jit_helper.h"
#include "plugins/cpu/runtime/host.h"
#include "plugins/cpu/runtime/os.h"
#include "plugins/jit/api/jit_build.h"
#include "plugins/jit/helper/protocol.h"
#include "plugins/shared/host/barrier.h"

namespace gpuopt::cpu {
namespace {

using helper::Header;
using helper::Message;

constexpr uint32_t kSecondsToStart = 60;  // libgpuopt_jit may be on a slow disk
constexpr size_t kMostIdle = 4;
constexpr int kBeat = 20;  // milliseconds after which a waiting thread asks its watch

std::string words_of(int error) { return std::strerror(error); }

// The sockets of this process's helpers, one for each.
struct Sockets {
  pid_t owner = getpid();
  std::mutex mutex;
  std::vector<int> open, idle;
};

// This needs no allocation, which may fail while the plugin is opened, when there is no way yet to report an error.
alignas(Sockets) unsigned char first_place[sizeof(Sockets)];
std::atomic<Sockets *> current_sockets{new (first_place) Sockets};

// Returns the sockets of this process. In the child of a fork that ran while this library was loaded, no handler has
// replaced the parent's sockets, and another thread of the parent may have held the lock.
Sockets &sockets() {
  Sockets *known = current_sockets.load();
  if (known->owner == getpid()) return *known;
  auto own = std::make_unique<Sockets>();
  return current_sockets.compare_exchange_strong(known, own.get()) ? *own.release() : *known;
}

// A child of fork() starts without helpers. It closes its parent's sockets, as these helpers belong to the parent. As a
// rule no thread holds the mutex during a fork (tier_up.cpp, and the host for its calls). If the fork could not wait
// for that, the child leaves its parent's sockets open, and sockets() makes others.
[[maybe_unused]] const bool kHandled = [] {
  const auto forget = [] {
    Sockets &all = *current_sockets.load();
    if (!all.mutex.try_lock()) return;
    for (const int socket : all.open) close(socket);
    all.open.clear();
    all.idle.clear();
    all.owner = getpid();
    all.mutex.unlock();
  };
  on_fork(nullptr, nullptr, forget);
  return true;
}();

void drop(int socket) {
  Sockets &all = sockets();
  const std::lock_guard lock(all.mutex);
  if (std::erase(all.open, socket)) close(socket);
}

int take_idle() {
  Sockets &all = sockets();
  const std::lock_guard lock(all.mutex);
  if (all.idle.empty()) return -1;
  const int socket = all.idle.back();
  all.idle.pop_back();
  return socket;
}

// A helper that one thread uses at the moment.
class Borrowed {
 public:
  explicit Borrowed(int socket) : socket_(socket) {}
  ~Borrowed() {
    if (socket_ >= 0) drop(socket_);
  }
  Borrowed(const Borrowed &) = delete;
  Borrowed &operator=(const Borrowed &) = delete;
  int socket() const { return socket_; }
  void give_back() {
    Sockets &all = sockets();
    const std::lock_guard lock(all.mutex);
    if (all.idle.size() >= kMostIdle) return;
    all.idle.push_back(socket_);
    socket_ = -1;
  }
  int release() { return std::exchange(socket_, -1); }

 private:
  int socket_;
};

void limit_silence(int socket, uint32_t seconds) {
  const timeval limit{static_cast<time_t>(seconds), 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

// The settings of posix_spawn: a socket as standard input, no other file of this process, and default signal handling.
struct SpawnPlan {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  explicit SpawnPlan(int socket) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, socket, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan &) = delete;
  SpawnPlan &operator=(const SpawnPlan &) = delete;
};

// Starts a helper. The process that is started forks the helper and ends, so that the helper is no child of ours. Only
// the process that was started is waited for.
void run(const std::string &program, const std::string &library, int socket) {
  const SpawnPlan plan(socket);
  const char *const path = setting(Setting::LD_LIBRARY_PATH);
  std::string search = std::string(name_of(Setting::LD_LIBRARY_PATH)) + "=" + (path ? path : ""), build = jit_build(),
              file = library, name = program;
  char *const arguments[] = {name.data(), file.data(), build.data(), nullptr};
  char *const environment[] = {path ? search.data() : nullptr, nullptr};
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program.c_str(), &plan.files, &plan.attributes, arguments, environment);
  if (error) throw NoHelper(program + ": " + words_of(error));
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// Moves a socket above the numbers of the standard files, which a program that has closed them may open again.
int above_standard(int socket) {
  if (socket > 2) return socket;
  const int moved = fcntl(socket, F_DUPFD_CLOEXEC, 3);
  close(socket);
  return moved;
}

// Returns the socket of a new helper. No fork can happen meanwhile, as its child would hold the helper's end open, too.
int spawn(const std::string &program, const std::string &library) {
  Sockets &all = sockets();
  const std::lock_guard lock(all.mutex);
  all.open.reserve(all.open.size() + 1);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw NoHelper("a socket: " + words_of(errno));
  const int own = above_standard(ends[0]);
  try {
    if (own < 0) throw NoHelper("a socket: " + words_of(errno));
    run(program, library, ends[1]);
  } catch (...) {
    close(ends[1]);
    close(own);
    throw;
  }
  close(ends[1]);
  all.open.push_back(own);
  return own;
}

helper::Priority priority_of(Urgency urgency) {
  if (urgency == Urgency::kAwaited) return helper::Priority::normal;
  return urgency == Urgency::kLow ? helper::Priority::low : helper::Priority::idle;
}

std::string request_of(const gpuopt_jit_source &source, Urgency urgency) {
  const helper::Request request{source.flags, source.vector_bits, priority_of(urgency)};
  std::string text(reinterpret_cast<const char *>(&request), sizeof request);
  for (const char *part : {source.name, source.processor, source.code}) text.append(part, std::strlen(part) + 1);
  return text;
}

[[noreturn]] void refuse(gpuopt_status status, const std::string &why) {
  throw plugin::Failure{status, GPUOPT_REASON_NONE, 0, why};
}

std::string name_of(int signal) {
  static constexpr struct {
    int number;
    const char *name;
  } kNames[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"}, {SIGFPE, "SIGFPE"},
                {SIGABRT, "SIGABRT"}, {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"}};
  for (const auto &row : kNames)
    if (row.number == signal) return row.name;
  return "signal " + std::to_string(signal);
}

// Waits for the answer, or until the watch ends the compilation.
void wait_for_answer(int socket, JitWatch &watch) {
  for (;;) {
    pollfd answer{socket, POLLIN, 0};
    const int ready = poll(&answer, 1, kBeat);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return;
    if (watch.is_over()) watch.refuse();
  }
}

// Returns the object file; throws for any other answer.
std::string read_answer(Borrowed &from, JitWatch &watch) {
  wait_for_answer(from.socket(), watch);
  Header header;
  std::string text;
  if (!helper::receive_message(from.socket(), &header, &text)) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) watch.refuse();
    refuse(GPUOPT_ERR_COMPILE, "the compiler's process was killed, as systems do that are short of memory");
  }
  switch (header.message) {
    case Message::object:
      from.give_back();
      return text;
    case Message::refused:
      from.give_back();
      refuse(GPUOPT_ERR_COMPILE, text);
    case Message::no_memory:
      throw std::bad_alloc();
    default:
      refuse(GPUOPT_ERR_COMPILE, "the compiler crashed (" + name_of(header.number) + ")");
  }
}

}  // namespace

JitHelpers::JitHelpers(std::string program, std::string library)
    : program_(std::move(program)), library_(std::move(library)) {
  Borrowed(start(&compiler_)).give_back();
}

int JitHelpers::start(std::string *compiler) const {
  Borrowed made(spawn(program_, library_));
  limit_silence(made.socket(), kSecondsToStart);
  Header header;
  std::string text;
  if (!helper::receive_message(made.socket(), &header, &text)) throw NoHelper(program_ + " ended at once");
  if (header.message != Message::ready) refuse(GPUOPT_ERR_JIT_UNAVAILABLE, text);
  if (compiler) *compiler = text;
  return made.release();
}

int JitHelpers::start_again() const try { return start(nullptr); } catch (const NoHelper &why) {
  refuse(GPUOPT_ERR_JIT_UNAVAILABLE, std::string("the compiler's process cannot be started: ") + why.what());
}

std::string JitHelpers::compile(const gpuopt_jit_source &source, uint32_t seconds, JitWatch &watch,
                                Urgency urgency) const {
  const std::string request = request_of(source, urgency);
  for (bool is_new = false;;) {
    int socket = take_idle();
    if (socket < 0) {
      is_new = true;
      socket = start_again();
    }
    Borrowed with(socket);
    limit_silence(socket, seconds);
    Header header;
    std::string nothing;
    if (helper::send_message(socket, Message::compile, request.data(), request.size()) &&
        helper::receive_message(socket, &header, &nothing))
      return read_answer(with, watch);
    if (errno == EAGAIN || errno == EWOULDBLOCK) watch.refuse();
    if (is_new) refuse(GPUOPT_ERR_JIT_UNAVAILABLE, "the compiler's process was killed before it began");
  }
}

}  // namespace gpuopt::cpu
#endif

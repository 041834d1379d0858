// tools/run/job.cpp -- see job.h.
#include "tools/run/job.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace gpuopt::tools {
namespace {

using Clock = std::chrono::steady_clock;

volatile sig_atomic_t interrupted = 0;  // the signal by which this program was asked to end

[[noreturn]] void fail_system(const std::string &what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

std::string new_secret() {
  std::array<unsigned char, 32> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) fail_system("getrandom");
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// The directory of the ranks' sockets, which nobody else may enter; removed at the end with what is left in it.
class Meeting {
 public:
  explicit Meeting(int ranks) : ranks_(ranks) {
    const char *base = std::getenv("TMPDIR");
    // The path of a socket has 107 characters at most.
    path_ = std::string(base && *base == '/' && std::strlen(base) < 70 ? base : "/tmp") + "/gpuopt-run-XXXXXX";
    if (!mkdtemp(path_.data())) fail_system(path_);
  }
  Meeting(const Meeting &) = delete;
  Meeting &operator=(const Meeting &) = delete;
  ~Meeting() {
    for (int r = 0; r < ranks_; ++r) unlink((path_ + "/" + std::to_string(r)).c_str());
    rmdir(path_.c_str());
  }
  std::string hosts() const {
    std::string list;
    for (int r = 0; r < ranks_; ++r) list += (r ? ",unix:" : "unix:") + path_ + "/" + std::to_string(r);
    return list;
  }

 private:
  int ranks_;
  std::string path_;
};

// A stream of a process that is passed on in whole lines.
struct Pipe {
  int from = -1, to = -1;
  std::string label, line;
};

struct Process {
  pid_t id = -1;
  bool running = false;
};

void write_whole(int to, const char *data, size_t bytes) {
  while (bytes) {
    const ssize_t written = write(to, data, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody reads our output any more
    data += written;
    bytes -= static_cast<size_t>(written);
  }
}

void pass_lines(Pipe &pipe, bool rest) {
  for (size_t end; (end = pipe.line.find('\n')) != std::string::npos || (rest && !pipe.line.empty());) {
    const size_t length = end == std::string::npos ? pipe.line.size() : end;
    const std::string whole = pipe.label + pipe.line.substr(0, length) + "\n";
    write_whole(pipe.to, whole.data(), whole.size());
    pipe.line.erase(0, length + 1);
  }
}

// Reads what there is. At the end of the stream, the pipe is closed.
void pass_on(Pipe &pipe) {
  char buffer[65536];
  const ssize_t got = read(pipe.from, buffer, sizeof buffer);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got > 0) pipe.line.append(buffer, static_cast<size_t>(got));
  pass_lines(pipe, got <= 0);
  if (got > 0) return;
  close(pipe.from);
  pipe.from = -1;
}

class Job {
 public:
  explicit Job(const JobOptions &options)
      : options_(options), meeting_(options.ranks), hosts_(meeting_.hosts()), secret_(new_secret()) {}

  int run() {
    for (int r = 0; r < options_.ranks; ++r) start(r);
    while (std::any_of(processes_.begin(), processes_.end(), [](const Process &one) { return one.running; })) {
      listen();
      reap();
      end_when_due();
    }
    while (std::any_of(pipes_.begin(), pipes_.end(), [](const Pipe &pipe) { return pipe.from >= 0; }))
      if (!listen()) break;  // something that a rank has started holds its output, and says nothing
    for (Pipe &pipe : pipes_) pass_lines(pipe, true);
    return status_;
  }

  // Ends whatever still runs, where run() has thrown.
  ~Job() {
    signal_all(SIGKILL);
    for (const Process &one : processes_)
      if (one.running) waitpid(one.id, nullptr, 0);
  }
  Job(const Job &) = delete;
  Job &operator=(const Job &) = delete;

 private:
  void start(int rank) {
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    if (options_.label && (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)) fail_system("pipe");
    int file = -1;
    if (!options_.output.empty()) {
      const std::string path = options_.output + "/rank-" + std::to_string(rank) + ".txt";
      file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
      if (file < 0) fail_system(path);
    }
    set_variables(rank);
    const pid_t parent = getpid(), id = fork();
    if (id < 0) fail_system("fork");
    if (id == 0) become(rank, file >= 0 ? file : out[1], file >= 0 ? file : err[1], parent);
    processes_.push_back({id, true});
    for (const int descriptor : {out[1], err[1], file})
      if (descriptor >= 0) close(descriptor);
    if (!options_.label) return;
    const std::string label = "[" + std::to_string(rank) + "] ";
    pipes_.push_back({out[0], STDOUT_FILENO, label, {}});
    pipes_.push_back({err[0], STDERR_FILENO, label, {}});
  }

  void set_variables(int rank) const {
    setenv("GPUOPT_RING_RANK", std::to_string(rank).c_str(), 1);
    setenv("GPUOPT_RING_HOSTS", hosts_.c_str(), 1);
    setenv("GPUOPT_RING_SECRET", secret_.c_str(), 1);
    const int share = static_cast<int>(std::thread::hardware_concurrency()) / options_.ranks;
    setenv("GPUOPT_NUM_THREADS", std::to_string(std::max(1, share)).c_str(), 0);
  }

  // In the child: becomes the program, or says why it cannot.
  [[noreturn]] void become(int rank, int out, int err, pid_t parent) const {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // no rank outlives this program
    if (getppid() != parent) _exit(127);
    if (out >= 0) dup2(out, STDOUT_FILENO);
    if (err >= 0) dup2(err, STDERR_FILENO);
    const int nothing = rank ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    signal(SIGPIPE, SIG_DFL);
    execvp(options_.program[0], options_.program.data());
    std::fprintf(stderr, "gpuopt-run: %s: %s\n", options_.program[0], std::strerror(errno));
    _exit(127);
  }

  // Waits a moment for output and passes it on. Returns whether there was any.
  bool listen() {
    constexpr int moment = 20;  // milliseconds, after which processes are looked at again
    std::vector<pollfd> polled;
    std::vector<size_t> which;
    for (size_t i = 0; i < pipes_.size(); ++i) {
      if (pipes_[i].from < 0) continue;
      polled.push_back({pipes_[i].from, POLLIN, 0});
      which.push_back(i);
    }
    if (poll(polled.data(), polled.size(), moment) <= 0) return false;
    for (size_t i = 0; i < polled.size(); ++i)
      if (polled[i].revents) pass_on(pipes_[which[i]]);
    return true;
  }

  void reap() {
    for (size_t r = 0; r < processes_.size(); ++r) {
      int status = 0;
      if (!processes_[r].running || waitpid(processes_[r].id, &status, WNOHANG) <= 0) continue;
      processes_[r].running = false;
      const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
      if (code == 0 || status_ != 0) continue;
      status_ = code;
      std::fprintf(stderr, "gpuopt-run: rank %zu %s %d; the others are ended\n", r,
                   WIFSIGNALED(status) ? "was ended by signal" : "returned", WIFSIGNALED(status) ? code - 128 : code);
      due_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.grace));
    }
  }

  // After a rank has failed, or a signal asked for the end: the others are asked to end, and after as long again they
  // are killed.
  void end_when_due() {
    if (interrupted && !asked_) {
      if (!status_) status_ = 128 + interrupted;
      due_ = Clock::now();
    }
    if (!status_ || Clock::now() < due_) return;
    signal_all(asked_ ? SIGKILL : SIGTERM);
    asked_ = true;
    due_ = Clock::now() + std::chrono::seconds(5);
  }

  void signal_all(int number) const {
    for (const Process &one : processes_)
      if (one.running) kill(one.id, number);
  }

  const JobOptions &options_;
  Meeting meeting_;
  std::string hosts_, secret_;
  std::vector<Process> processes_;
  std::vector<Pipe> pipes_;
  int status_ = 0;
  bool asked_ = false;
  Clock::time_point due_;
};

void note_signal(int number) { interrupted = number; }

}  // namespace

int run_job(const JobOptions &options) {
  if (!options.output.empty() && mkdir(options.output.c_str(), 0777) != 0 && errno != EEXIST)
    fail_system(options.output);
  struct sigaction action {};
  action.sa_handler = note_signal;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return Job(options).run();
}

}  // namespace gpuopt::tools

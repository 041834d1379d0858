// tools/plugin_test/phase.cpp -- runs a phase in a child process, which sends its findings through a pipe.
#include "tools/plugin_test/phase.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace gpuopt::plugin_test {
namespace {

// Sends one line per event, with fields separated by tabs: "B rule" begins a rule, "A place" says where it is, "E
// verdict detail" ends it, and "D" ends the phase. Each begin() and at() restarts the alarm that ends a process that
// hangs.
class PipeRecorder : public Recorder {
 public:
  using Recorder::end;
  PipeRecorder(int pipe, unsigned patience) : pipe_(pipe), patience_(patience) {}
  void begin(const std::string &rule) override {
    alarm(patience_);
    send("B", rule);
  }
  void at(const std::string &place) override {
    alarm(patience_);
    send("A", place);
  }
  void end(Verdict verdict, const std::string &detail) override {
    send("E", std::to_string(static_cast<int>(verdict)) + "\t" + cleaned(detail));
  }
  void done() { send("D", ""); }

 private:
  static std::string cleaned(std::string text) {
    for (char &c : text) c = c == '\n' || c == '\t' ? ' ' : c;
    return text;
  }
  void send(const char *kind, const std::string &text) {
    const std::string line = std::string(kind) + "\t" + text + "\n";
    for (size_t sent = 0; sent < line.size();) {
      const ssize_t now = write(pipe_, line.data() + sent, line.size() - sent);
      if (now < 0 && errno != EINTR) _exit(1);
      sent += now > 0 ? static_cast<size_t>(now) : 0;
    }
  }
  const int pipe_;
  const unsigned patience_;
};

// Runs the phase in the child, which gets its own process group, so that processes the plugin starts can be ended, too.
[[noreturn]] void run_child(int pipe, const Phase &phase, const Subject &subject) {
  setpgid(0, 0);
  PipeRecorder recorder(pipe, subject.patience);
  alarm(subject.patience);  // covers the time before the first rule
  try {
    phase(subject, recorder);
  } catch (const std::exception &problem) {
    recorder.begin("this phase");
    recorder.end(Verdict::kFail, problem.what());
  }
  recorder.done();
  _exit(0);  // skips destructors, since threads and devices of the plugin may still exist
}

// Parses the lines that PipeRecorder sends, and collects the findings.
class Reader {
 public:
  Reader(std::string phase, unsigned patience) : phase_(std::move(phase)), patience_(patience) {}
  void take(const std::string &line) {
    const std::string rest = line.size() > 2 ? line.substr(2) : "";
    if (line[0] == 'B') rule_ = rest, place_.clear(), open_ = true;
    if (line[0] == 'A') place_ = rest;
    if (line[0] == 'D') done_ = true;
    if (line[0] != 'E' || rest.size() < 2) return;
    findings_.push_back({phase_, rule_, static_cast<Verdict>(rest[0] - '0'), rest.substr(2)});
    open_ = false;
  }
  bool done() const { return done_; }
  void is_late() { late_ = true; }  // nothing came for too long
  // Returns the findings, with a failure added if the phase did not end properly. `status` is that of waitpid().
  std::vector<Finding> finish(int status) {
    const std::string where = place_.empty() ? "" : ", at " + place_;
    const std::string rule = open_ ? rule_ : "this phase";
    if (done_ && !open_) {  // how the process ends after that does not matter
    } else if (late_ || (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)) {
      findings_.push_back({phase_, rule, Verdict::kFail,
                           "it hangs: no answer within " + std::to_string(patience_) + " seconds" + where});
    } else if (WIFSIGNALED(status)) {
      const std::string signal = strsignal(WTERMSIG(status));
      findings_.push_back({phase_, rule, Verdict::kFail, "it crashed: " + signal + where});
    } else if (WEXITSTATUS(status) != 0 || !done_ || open_) {
      findings_.push_back({phase_, rule, Verdict::kFail,
                           "it ended the process, status " + std::to_string(WEXITSTATUS(status)) + where});
    }
    return std::move(findings_);
  }

 private:
  std::string phase_, rule_, place_;
  unsigned patience_;
  bool open_ = false, done_ = false, late_ = false;
  std::vector<Finding> findings_;
};

// Reads lines until the phase is done, the pipe is closed, or nothing comes for longer than the child's alarm allows.
// The last case is needed because a plugin may block that signal, or start a process that keeps the pipe open.
void read_events(int pipe, Reader *reader, unsigned patience) {
  constexpr int kGrace = 3;  // seconds, so that the child's alarm comes first
  std::string text;
  char piece[4096];
  while (!reader->done()) {
    pollfd event{pipe, POLLIN, 0};
    const int ready = poll(&event, 1, (static_cast<int>(std::min(patience, 1000000u)) + kGrace) * 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return reader->is_late();
    const ssize_t got = read(pipe, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    text.append(piece, static_cast<size_t>(got));
    for (size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
      reader->take(text.substr(0, end));
  }
}

}  // namespace

std::vector<Finding> run_phase(const std::string &name, const Phase &phase, const Subject &subject) {
  int ends[2];
  if (pipe(ends) != 0) return {{name, "this phase", Verdict::kFail, std::strerror(errno)}};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run_child(ends[1], phase, subject);
  }
  close(ends[1]);
  if (child < 0) return close(ends[0]), std::vector<Finding>{{name, "this phase", Verdict::kFail, "fork failed"}};
  setpgid(child, child);  // as in the child, whichever comes first
  Reader reader(name, subject.patience);
  read_events(ends[0], &reader, subject.patience);
  close(ends[0]);
  kill(-child, SIGKILL);  // the whole group, with what the plugin has started
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return reader.finish(status);
}

}  // namespace gpuopt::plugin_test

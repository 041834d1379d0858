// tests/loader/loader_probe.cpp -- opens each request given as an argument and prints what came of it, one line each:
//   <request>|<status>|<error reason>|<device>|<why it fell back>|<message>
// "-" asks for NULL, "" for the empty string. Other arguments are commands:
//   report, report-json  print the discovery report
//   chdir:<path>         go there
//   fork                 what follows is done by a forked child, whose end this process awaits
//   add                  adds arrays on the device opened last; see add()
//   synchronize          synchronises the device opened last and makes a stream: "synchronize|<status>|<status>"
//   where                the names under which the dynamic linker knows plugins called cuda: "where|<path>", POSIX only
//   secure               whether the kernel started this process with raised rights: "secure|1"
// Variables of the environment:
//   GPUOPT_TEST_OPTIONS   entries, separated as PATH's are, for options->plugin_path
//   GPUOPT_TEST_CALLBACK  log lines go to a callback: "callback <level> <event> <reason name> <line>"
#include <gpuopt/gpuopt.h>
#if defined(_WIN32)
#include <direct.h>
#define chdir _chdir
#else
#include <link.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace {

void print_record(const gpuopt_log_record *record, void *user) {
  std::printf("callback %d %s %s %s\n", record->level, record->event, gpuopt_reason_name(record->reason), record->line);
  if (std::strcmp(static_cast<const char *>(user), "user") != 0) std::abort();
}

#if defined(_WIN32)
constexpr char kSeparator = ';';

std::string variable(const wchar_t *name) {
  const wchar_t *const value = _wgetenv(name);
  const std::u8string text = std::filesystem::path(value ? value : L"").u8string();
  return {text.begin(), text.end()};
}
#define VARIABLE(name) variable(L##name)
#else
constexpr char kSeparator = ':';
#define VARIABLE(name) (std::getenv(name) ? std::getenv(name) : "")
#endif

std::vector<std::string> option_paths() {
  std::vector<std::string> paths;
  std::string list = VARIABLE("GPUOPT_TEST_OPTIONS");
  while (!list.empty()) {
    const size_t end = std::min(list.find(kSeparator), list.size());
    paths.push_back(list.substr(0, end));
    list.erase(0, end + 1);
  }
  return paths;
}

gpuopt_device opened = nullptr;

void open(const char *argument, const gpuopt_device_options *options) {
  const char *request = std::strcmp(argument, "-") == 0 ? nullptr : argument;
  gpuopt_device device = nullptr;
  gpuopt_reason reason = -1;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const gpuopt_status status = gpuopt_device_open_report(request, options, &device, &reason, &error);
  std::printf("%s|%s|%s|%s|%s|%s\n", argument, gpuopt_status_name(status), gpuopt_reason_name(error.reason),
              device ? gpuopt_device_name(device) : "none", gpuopt_reason_name(reason), error.message);
  if (device) opened = device;
}

// Adds arrays on the device opened last and prints the bits of the sums: "add|<device>|40700000 4b800000 00800000
// 80000000".
void add() {
  const int64_t shape[] = {4};
  const float x[] = {1.5f, 16777216.0f, 0x1p-149f, -0.0f}, y[] = {2.25f, 1.0f, 0x1.fffffcp-127f, -0.0f};
  gpuopt_array a = nullptr, b = nullptr, sum = nullptr;
  uint32_t bits[4] = {};
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const bool done = gpuopt_array_from(opened, x, GPUOPT_FLOAT32, 1, shape, &a, &error) == GPUOPT_OK &&
                    gpuopt_array_from(opened, y, GPUOPT_FLOAT32, 1, shape, &b, &error) == GPUOPT_OK &&
                    gpuopt_add(a, b, &sum, &error) == GPUOPT_OK &&
                    gpuopt_to_host(sum, bits, sizeof bits, &error) == GPUOPT_OK;
  std::printf("add|%s|%08x %08x %08x %08x%s\n", gpuopt_device_name(opened), bits[0], bits[1], bits[2], bits[3],
              done ? "" : error.message);
  for (gpuopt_array array : {a, b, sum}) gpuopt_array_release(array);
}

void synchronize() {
  gpuopt_stream stream = nullptr;
  const gpuopt_status synchronized = gpuopt_device_synchronize(opened, nullptr),
                      created = gpuopt_stream_create(opened, &stream, nullptr);
  std::printf("synchronize|%s|%s\n", gpuopt_status_name(synchronized), gpuopt_status_name(created));
  gpuopt_stream_release(stream);
}

#if defined(_WIN32)
void go_on_in_child() {}
bool secure() { return false; }
void print_where() {}
#else
void print_where() {
  const auto print_plugin = [](dl_phdr_info *library, size_t, void *) {
    if (std::strstr(library->dlpi_name, "libgpuopt_cuda")) std::printf("where|%s\n", library->dlpi_name);
    return 0;
  };
  dl_iterate_phdr(print_plugin, nullptr);
}

bool secure() { return getauxval(AT_SECURE) != 0; }

void go_on_in_child() {
  const pid_t child = fork();
  if (child == 0) return;
  int status = 0;
  waitpid(child, &status, 0);
  std::_Exit(WIFEXITED(status) ? WEXITSTATUS(status) : 4);
}
#endif

void print_report(const gpuopt_device_options *options, int32_t format) {
  char *report = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const gpuopt_status status = gpuopt_discovery_report(options, format, &report, &error);
  std::fputs(status == GPUOPT_OK ? report : error.message, stdout);
  gpuopt_string_free(report);
}

// Whether sums of denormals are still exact on this thread.
void print_float_mode() {
  volatile float tiny = 1e-40f;
  std::printf("float mode|%s\n", tiny + tiny > 0 ? "exact" : "flushes");
}

}  // namespace

int main(int count, char **arguments) {
  char user[] = "user";
  if (std::getenv("GPUOPT_TEST_CALLBACK")) gpuopt_log_set_callback(print_record, user);
  const std::vector<std::string> paths = option_paths();
  std::vector<const char *> pointers;
  for (const std::string &path : paths) pointers.push_back(path.c_str());
  gpuopt_device_options options = GPUOPT_DEVICE_OPTIONS_INIT;
  options.plugin_path = pointers.data();
  options.plugin_path_count = static_cast<int32_t>(pointers.size());
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "report" || argument == "report-json") {
      print_report(&options, argument == "report-json");
    } else if (argument.rfind("chdir:", 0) == 0) {
      if (chdir(argument.c_str() + 6) != 0) return 3;
    } else if (argument == "fork") {
      go_on_in_child();
    } else if (argument == "add") {
      add();
    } else if (argument == "synchronize") {
      synchronize();
    } else if (argument == "where") {
      print_where();
    } else if (argument == "secure") {
      std::printf("secure|%d\n", secure());
    } else {
      open(arguments[i], &options);
    }
    std::fflush(stdout);
  }
  print_float_mode();
  return 0;
}

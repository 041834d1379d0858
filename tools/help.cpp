// tools/help.cpp -- the help pages, generated from the tables of commands (command.cpp) and of settings
// (plugins/shared/host/settings.def).
#include "tools/help.h"

#include "plugins/shared/host/settings.h"
#include "tools/command.h"

namespace gpuopt::tools {
namespace {

constexpr const char *kExit =
    "exit status: 0  done\n"
    "             1  done, and found what the command looks for: something to mend, damage, a difference\n"
    "             2  the command line was not understood\n"
    "             3  it could not be done (a file, memory, a device)\n";

std::string padded(const std::string &text, size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text + "  ";
}

// Returns a line such as "gpuopt npy diff A B [--json] [--rtol X]".
std::string usage_line(const Command &command) {
  std::string line = std::string("gpuopt ") + command.name;
  if (*command.operands) line += std::string(" ") + command.operands;
  for (const Option &option : command.options)
    line += std::string(" [") + option.name + (option.placeholder ? std::string(" ") + option.placeholder : "") + "]";
  return line;
}

std::string command_page(const Command &command) {
  std::string page = "usage: " + usage_line(command) + "\n\n" + command.summary + "\n";
  if (*command.details) page += std::string("\n") + command.details;
  page += "\n";
  for (const Option &option : command.options) {
    const std::string left =
        std::string(option.name) + (option.placeholder ? std::string(" ") + option.placeholder : "");
    page += "  " + padded(left, 18) + option.help + "\n";
  }
  return page;
}

std::string main_page() {
  std::string page = "usage: gpuopt COMMAND [OPTION...]\n\n";
  for (const Command *command : commands()) page += "  " + padded(command->name, 14) + command->summary + "\n";
  page += "  " + padded("help", 14) + "tells about a command, or about the settings: gpuopt help environment\n";
  return page +
         "\n  --json      print one JSON object (every command)\n  --help      print this, or a command's help\n"
         "  --version   print the version of the library\n\n" +
         kExit;
}

std::string environment_page() {
  std::string page = "Settings read from the environment. Everything works with none of them set.\n\n";
  for (const SettingRow &row : kSettings) {
    page += padded(row.name, 24) + row.meaning + "\n" + padded("", 24) + row.accepted;
    page += std::string(" (default: ") + row.fallback + "); read " + row.read + "\n";
  }
  return page;
}

}  // namespace

std::string help_page(const std::string &name) {
  if (name.empty()) return main_page();
  if (name == "environment") return environment_page();
  std::string page;
  for (const Command *command : commands()) {
    const std::string full = command->name;
    if (full != name && full.rfind(name + " ", 0) != 0) continue;
    page += (page.empty() ? "" : "\n") + command_page(*command);
  }
  return page;
}

}  // namespace gpuopt::tools

// tools/gpuopt.cpp -- the `gpuopt` program: finds the command, parses its options and runs it.
#include <algorithm>
#include <cstdio>
#include <gpuopt/gpuopt.hpp>

#include "tools/command.h"
#include "tools/help.h"
#include "tools/output.h"

namespace gpuopt::tools {
namespace {

using Words = std::vector<std::string>;

bool is_option(const std::string &word) { return word.size() > 1 && word[0] == '-'; }

// Returns the command whose name the words begin with, NULL if there is none; `length` is the number of words in its
// name.
const Command *find_command(const Words &words, size_t *length) {
  for (const Command *command : commands()) {
    const std::string name = command->name;
    *length = 1 + static_cast<size_t>(std::count(name.begin(), name.end(), ' '));
    if (words.size() < *length) continue;
    std::string said = words[0];
    for (size_t i = 1; i < *length; ++i) said += " " + words[i];
    if (said == name) return command;
  }
  return nullptr;
}

std::string problem_with_name(const Words &words) {
  const std::string &first = words[0];
  const bool group = std::any_of(commands().begin(), commands().end(), [&](const Command *command) {
    return std::string(command->name).rfind(first + " ", 0) == 0;
  });
  if (group && words.size() == 1) return "\"" + first + "\" needs to know what to do";
  return "\"" + first + (group ? " " + words[1] : "") + "\" is not a command";
}

// Parses the words from `at` on. Options are --name VALUE or --name=VALUE; what follows "--" are operands. Throws
// UsageError.
Arguments parse_arguments(const Command &command, const Words &words, size_t at) {
  Arguments arguments;
  for (bool options = true; at < words.size(); ++at) {
    const std::string &word = words[at];
    if (options && word == "--") {
      options = false;
      continue;
    }
    if (!options || !is_option(word)) {
      arguments.words.push_back(word);
      continue;
    }
    const std::string name = word.substr(0, word.find('='));
    const auto option = std::find_if(command.options.begin(), command.options.end(),
                                     [&](const Option &known) { return name == known.name; });
    if (option == command.options.end()) throw UsageError("\"" + word + "\" is not an option of " + command.name);
    const bool given = name.size() < word.size();
    if (given && !option->placeholder) throw UsageError(name + " takes no value");
    if (!given && option->placeholder && ++at == words.size()) throw UsageError(name + " needs a value");
    arguments.options[name] = given ? word.substr(name.size() + 1) : option->placeholder ? words[at] : "";
  }
  if (arguments.words.size() < command.least)
    throw UsageError(std::string(command.name) + " needs " + command.operands);
  if (arguments.words.size() > command.most)
    throw UsageError("\"" + arguments.words[command.most] + "\" is one word too many for " + command.name);
  return arguments;
}

int help(const Words &topic) {
  std::string name;
  for (const std::string &word : topic) name += (name.empty() ? "" : " ") + word;
  const std::string page = help_page(name);
  if (page.empty()) throw UsageError("there is no help about \"" + name + "\"");
  print(page);
  return kFine;
}

int version() {
  const uint32_t number = gpuopt_version();
  print("gpuopt " + std::to_string(number / 1000000) + "." + std::to_string(number / 1000 % 1000) + "." +
        std::to_string(number % 1000) + "\n");
  return kFine;
}

// Returns the words in front of the first option.
Words leading(const Words &words) { return {words.begin(), std::find_if(words.begin(), words.end(), is_option)}; }

int run(const Words &words) {
  const auto has = [&](const char *word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  if (words.empty()) throw UsageError("a command is missing");
  if (words[0] == "help") return help({words.begin() + 1, words.end()});
  if (words[0] == "--version") return version();
  size_t length = 0;
  const Command *command = find_command(words, &length);
  if (has("--help") || has("-h")) return help(command ? Words(words.begin(), words.begin() + length) : leading(words));
  if (!command)
    throw UsageError(is_option(words[0]) ? "\"" + words[0] + "\" is not understood" : problem_with_name(words));
  return command->run(parse_arguments(*command, words, length));
}

// Reports that a command failed: on stderr, and as JSON on stdout if --json was given. Returns the exit status.
int failed(const Words &words, const std::string &message, const char *status) {
  if (std::find(words.begin(), words.end(), "--json") != words.end()) {
    const std::string text =
        json::object({{"error", json::object({{"status", json::string(status)}, {"message", json::string(message)}})}});
    std::printf("%s\n", text.c_str());
  }
  std::fprintf(stderr, "gpuopt: %s\n", message.c_str());
  return kFailed;
}

}  // namespace
}  // namespace gpuopt::tools

int main(int count, char **arguments) {
  using namespace gpuopt::tools;
  const std::vector<std::string> words(arguments + 1, arguments + count);
  try {
    return run(words);
  } catch (const UsageError &problem) {
    std::fprintf(stderr, "gpuopt: %s\nusage: gpuopt COMMAND [OPTION...]; `gpuopt help` lists the commands\n",
                 problem.what());
    return kUsage;
  } catch (const gpuopt::error &error) {
    return failed(words, error.what(), gpuopt_status_name(error.code()));
  } catch (const std::bad_alloc &) {
    return failed(words, "out of memory", gpuopt_status_name(GPUOPT_ERR_OUT_OF_MEMORY));
  } catch (const std::exception &problem) {
    return failed(words, problem.what(), gpuopt_status_name(GPUOPT_ERR_IO));
  }
}

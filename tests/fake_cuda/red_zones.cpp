// tests/fake_cuda/red_zones.cpp -- see red_zones.h. The compiler writes a static variable without initial value as
//     .local NAME                          or, if it is of a template or an inline function,      NAME:
//     .comm NAME,BYTES,ALIGNMENT           in a section .bss.NAME,                                  .zero BYTES
#include "tests/fake_cuda/red_zones.h"

#include <sstream>
#include <string_view>

namespace fake_cuda {
namespace {

constexpr unsigned long kRedZone = 256;  // at least

// Words of a line, split at blanks and commas.
struct Line {
  explicit Line(const std::string &text) {
    std::string words_apart = text;
    for (char &c : words_apart)
      if (c == ',') c = ' ';
    std::istringstream stream(words_apart);
    stream >> first >> second >> third >> fourth;
  }
  std::string first, second, third, fourth;
};

class Rewriter {
 public:
  std::string run(const std::string &assembly) {
    std::istringstream lines(assembly);
    for (std::string text; std::getline(lines, text);) add(text);
    return before_all() + out_ + entries_;
  }

 private:
  void add(const std::string &text) {
    const Line line(text);
    if (line.first == ".section" || line.first == ".text" || line.first == ".data" || line.first == ".bss")
      in_bss_ = line.first == ".bss" || line.second.rfind(".bss", 0) == 0;
    if (line.first == ".comm") {
      out_ += "\t.comm\t" + line.second + "," + std::to_string(std::stoul(line.third) + kRedZone) + "," + line.fourth +
              "\n";
      return note(line.second, line.third);
    }
    out_ += text + "\n";
    if (in_bss_ && line.first == ".zero" && !label_.empty()) {
      out_ += "\t.zero\t" + std::to_string(kRedZone) + "\n";
      note(label_, line.second);
    }
    label_ = line.first.size() > 1 && line.first.back() == ':' ? line.first.substr(0, line.first.size() - 1) : "";
  }

  // The first variable of the section.
  static std::string before_all() {
    return "\t.local\tfake_cuda_before\n\t.comm\tfake_cuda_before," + std::to_string(kRedZone) + ",16\n";
  }

  void note(const std::string &name, const std::string &bytes) {
    if (entries_.empty()) entries_ = "\t.section\tfake_cuda_shared,\"aw\"\n\t.balign\t8\n";
    entries_ += "\t.quad\t" + name + "\n\t.quad\t" + bytes + "\n";
  }

  std::string out_, entries_, label_;
  bool in_bss_ = false;
};

}  // namespace

std::string with_red_zones(const std::string &assembly) { return Rewriter().run(assembly); }

}  // namespace fake_cuda

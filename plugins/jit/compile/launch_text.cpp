// plugins/jit/compile/launch_text.cpp -- see launch_text.h.
#include "plugins/jit/compile/launch_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "plugins/shared/host/code_tokens.h"

namespace gpuopt::jit {
namespace {

using plugin::Token;
using plugin::Tokens;

// A launch: its tokens are [kernel, open) "<<<" configuration ">>>" [arguments, close].
struct Launch {
  size_t kernel, open, shut, arguments, close;
};

constexpr size_t kNone = static_cast<size_t>(-1);

class Finder {
 public:
  explicit Finder(const Tokens &tokens) : tokens_(tokens) {}

  // The launch whose <<< begins at token k; `close` is kNone if there is none.
  Launch at(size_t k) const {
    Launch found{k == 0 ? kNone : begin_of_kernel(k - 1), k, end_of_configuration(k + 3), kNone, kNone};
    if (found.kernel == kNone || found.shut == kNone || tokens_[found.shut + 3] != "(") return found;
    found.arguments = found.shut + 3;
    found.close = matching(found.arguments);
    return found;
  }

 private:
  // The first token of the name whose last one is token k, as in mine::A<int>::scale<float, 4>; kNone if it is no name.
  size_t begin_of_kernel(size_t k) const {
    if (tokens_[k] == ")") return back_over(k, "(", ")");
    size_t begin = begin_of_part(k);
    if (begin == kNone || tokens_[begin - 1] == "operator") return kNone;
    while (begin > 0) {
      const size_t before = tokens_[begin - 1] == "template" ? begin - 1 : begin;
      if (before == 0 || tokens_[before - 1] != "::") break;
      const size_t outer = before >= 2 ? begin_of_part(before - 2) : kNone;
      begin = outer == kNone ? before - 1 : outer;
      if (outer == kNone) break;
    }
    return begin;
  }
  // name or name<arguments>, whose last token is token k
  size_t begin_of_part(size_t k) const {
    if (tokens_[k] == ">") k = back_over(k, "<", ">") - 1;
    return k < tokens_.count() && plugin::is_in_name(tokens_[k][0]) && tokens_[k] != "return" ? k : kNone;
  }
  // The token that opens what token k closes; what is in parentheses in between counts for nothing.
  size_t back_over(size_t k, std::string_view open, std::string_view close) const {
    for (int depth = 0; k < tokens_.count(); k--) {
      if (open == "<" && tokens_[k] == ")") k = back_over(k, "(", ")") - 1;
      depth += (tokens_[k] == close) - (tokens_[k] == open);
      if (depth == 0) return k;
      if (tokens_[k] == ";" || tokens_[k] == "{" || tokens_[k] == "}") break;
    }
    return kNone;
  }
  static int step(std::string_view token) {
    return (token == "(" || token == "[" || token == "{") - (token == ")" || token == "]" || token == "}");
  }
  // Where >>> stands that ends the configuration.
  size_t end_of_configuration(size_t k) const {
    for (int depth = 0; k < tokens_.count(); k++) {
      if (depth == 0 && tokens_.is_triple(k, '>')) return k;
      depth += step(tokens_[k]);
      if (depth < 0 || tokens_[k] == ";" || tokens_[k] == "#") break;
    }
    return kNone;
  }
  size_t matching(size_t k) const {
    for (int depth = 0; k < tokens_.count(); k++) {
      depth += step(tokens_[k]);
      if (depth == 0) return k;
    }
    return kNone;
  }

  const Tokens &tokens_;
};

class Rewriter {
 public:
  explicit Rewriter(const std::string &code) : code_(code), tokens_(code) {}

  std::string rewritten() {
    const Finder finder(tokens_);
    for (size_t k = 0; k < tokens_.count(); k++) {
      if (!tokens_.is_triple(k, '<')) continue;
      const Launch launch = finder.at(k);
      if (launch.close != kNone) edit(launch);
    }
    std::stable_sort(edits_.begin(), edits_.end(), [](const Edit &a, const Edit &b) { return a.begin < b.begin; });
    std::string out;
    size_t at = 0;
    for (const Edit &edit : edits_) {
      out.append(code_, at, edit.begin - at).append(edit.text);
      at = edit.end;
    }
    return out.append(code_, at);
  }

 private:
  struct Edit {  // replaces the characters [begin, end)
    size_t begin, end;
    std::string text;
  };

  void edit(const Launch &launch) {
    const std::vector<Token> &all = tokens_.all();
    const size_t kernel = all[launch.kernel].begin, open = all[launch.open].begin, shut = all[launch.shut].begin + 3,
                 close = all[launch.close].end;
    edits_.push_back({kernel, kernel, "(::gpo::configure(" + configuration(launch) + "), "});
    edits_.push_back({open, shut, lines_of(open, shut)});
    edits_.push_back({close, close, ")"});
  }
  // The tokens between <<< and >>>, on one line.
  std::string configuration(const Launch &launch) const {
    std::string out;
    for (size_t k = launch.open + 3; k < launch.shut; k++) {
      const bool apart = tokens_.all()[k].begin != tokens_.all()[k - 1].end;
      out.append(apart && !out.empty() ? " " : "").append(tokens_[k]);
    }
    return out;
  }
  // The ends of lines among the characters [begin, end).
  std::string lines_of(size_t begin, size_t end) const {
    std::string out;
    for (size_t k = begin; k < end; k++)
      if (code_[k] == '\n') out += code_[k - 1] == '\\' ? "\\\n" : "\n";
    return out;
  }

  const std::string &code_;
  const Tokens tokens_;
  std::vector<Edit> edits_;
};

}  // namespace

std::string parsable_launches(const std::string &code) {
  return plugin::has_launch(code) ? Rewriter(code).rewritten() : code;
}

}  // namespace gpuopt::jit

// bench/layout_bench.cpp -- operations whose speed depends on layouts and shapes: transposes, short and awkward axes,
// scans, random indices, constant exponents. against.py compares two builds of the library by it.
//
// usage: gpuopt_layout_bench [FILTER [SECONDS]]
// prints "name, nanoseconds, processor nanoseconds" for each case whose name contains FILTER: the least time of the
// runs that fit into SECONDS (0.15), at least three, and the least processor time of all threads together, which says
// more on a machine that others use too.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <gpuopt/gpuopt.hpp>
#include <random>
#include <string>
#include <vector>

namespace gp = gpuopt;

namespace {

// A case makes its inputs only if it runs.
using Body = std::function<gp::array()>;
struct Case {
  std::string name;
  std::function<Body()> make;
};

std::vector<gp::dtype> floats() { return {gp::float64, gp::float32}; }

const char *short_name(gp::dtype type) {
  return type == gp::float64 ? "f64" : type == gp::float32 ? "f32" : type == gp::float16 ? "f16" : "bf16";
}

// Returns numbers between 0.5 and 1.5, in no order.
gp::array numbers(const gp::dims &shape, gp::dtype type) {
  int64_t n = 1;
  for (const int64_t extent : shape) n *= extent;
  std::vector<float> list(static_cast<size_t>(n));
  std::mt19937 random(7);
  for (float &x : list) x = 0.5f + static_cast<float>(random() >> 8) / 16777216.0f;
  gp::array x = gp::array(list).reshape(shape).astype(type).copy();
  x.eval();
  return x;
}

gp::array indices(int64_t n, int64_t below) {
  std::vector<int64_t> list(static_cast<size_t>(n));
  std::mt19937_64 random(11);
  for (int64_t &i : list) i = static_cast<int64_t>(random() % static_cast<uint64_t>(below));
  gp::array x(list);
  x.eval();
  return x;
}

void add_layouts(std::vector<Case> &cases) {
  for (const gp::dtype type : floats()) {
    const std::string end = std::string(" ") + short_name(type);
    const auto square = [type] { return numbers({2048, 2048}, type); };
    cases.push_back({"transpose copied" + end, [=] { return [x = square()] { return x.T().copy(); }; }});
    cases.push_back({"x + x.T" + end, [=] { return [x = square()] { return x + x.T(); }; }});
    cases.push_back({"odd transpose copied" + end, [=] {
                       return [x = numbers({1999, 2001}, type)] { return x.T().copy(); };
                     }});
    cases.push_back({"axes 0 2 1 copied" + end, [=] {
                       return [x = numbers({64, 256, 256}, type)] { return x.transpose({0, 2, 1}).copy(); };
                     }});
    cases.push_back({"flipped copied" + end, [=] { return [x = square()] { return gp::flip(x).copy(); }; }});
    cases.push_back({"every second copied" + end,
                     [=] { return [x = numbers({4000000}, type)] { return x(gp::slice(0, 4000000, 2)).copy(); }; }});
  }
}

void add_reductions(std::vector<Case> &cases) {
  for (const gp::dtype type : {gp::float64, gp::float32, gp::float16, gp::bfloat16}) {
    const std::string end = std::string(" ") + short_name(type);
    const auto flat = [type] { return numbers({4000000}, type); };
    const auto square = [type] { return numbers({2048, 2048}, type); };
    cases.push_back({"sum" + end, [=] { return [x = flat()] { return gp::sum(x); }; }});
    cases.push_back({"max" + end, [=] { return [x = flat()] { return gp::max(x); }; }});
    cases.push_back({"max axis 0" + end, [=] { return [x = square()] { return gp::max(x, 0); }; }});
    cases.push_back({"sum axis 0" + end, [=] { return [x = square()] { return gp::sum(x, 0); }; }});
    cases.push_back({"sum axis 1" + end, [=] { return [x = square()] { return gp::sum(x, 1); }; }});
    if (type == gp::float16 || type == gp::bfloat16) continue;
    const auto narrow = [type] { return numbers({2000000, 3}, type); };
    const auto wide = [type] { return numbers({3, 2000000}, type); };
    cases.push_back({"(n, 3) sum axis 1" + end, [=] { return [x = narrow()] { return gp::sum(x, 1); }; }});
    cases.push_back({"(n, 3) max axis 1" + end, [=] { return [x = narrow()] { return gp::max(x, 1); }; }});
    cases.push_back({"(3, n) sum axis 0" + end, [=] { return [x = wide()] { return gp::sum(x, 0); }; }});
    cases.push_back({"(n, 10) sum axis 1" + end, [=] {
                       return [x = numbers({600000, 10}, type)] { return gp::sum(x, 1); };
                     }});
    cases.push_back({"(n, 3) rows normalised" + end, [=] {
                       return [x = narrow()] { return x / gp::sum(x, 1).reshape({2000000, 1}); };
                     }});
    cases.push_back({"argmax axis 1" + end, [=] { return [x = square()] { return gp::argmax(x, 1); }; }});
  }
  const auto truths = [] {
    gp::array x = gp::zeros({4000000}, gp::bool_).copy();
    x.eval();
    return x;
  };
  cases.push_back({"any bool", [=] { return [x = truths()] { return gp::any(x); }; }});
  cases.push_back({"max bool", [=] { return [x = truths()] { return gp::max(x); }; }});
  cases.push_back({"sum bool", [=] { return [x = truths()] { return gp::sum(x); }; }});
  cases.push_back({"any bool axis 0", [=] { return [x = truths()] { return gp::any(x.reshape({2000, 2000}), 0); }; }});
}

void add_scans(std::vector<Case> &cases) {
  for (const gp::dtype type : {gp::float64, gp::float32, gp::float16}) {
    const std::string end = std::string(" ") + short_name(type);
    cases.push_back({"cumsum" + end, [=] { return [x = numbers({4000000}, type)] { return x.cumsum(); }; }});
    const auto square = [type] { return numbers({2048, 2048}, type); };
    cases.push_back({"cumsum axis 0" + end, [=] { return [x = square()] { return x.cumsum(0); }; }});
    cases.push_back({"cumsum axis 1" + end, [=] { return [x = square()] { return x.cumsum(1); }; }});
  }
  cases.push_back({"cumsum i64", [] { return [x = gp::array(indices(4000000, 1000))] { return x.cumsum(); }; }});
}

void add_others(std::vector<Case> &cases) {
  for (const gp::dtype type : floats()) {
    const std::string end = std::string(" ") + short_name(type);
    const auto flat = [type] { return numbers({4000000}, type); };
    for (const double exponent : {2.0, 3.0, 0.5, -1.0}) {
      char name[32];
      std::snprintf(name, sizeof name, "pow %g%s", exponent, end.c_str());
      cases.push_back({name, [=] { return [x = flat(), exponent] { return gp::pow(x, exponent); }; }});
    }
    cases.push_back({"pow array" + end, [=] { return [x = flat(), y = flat()] { return gp::pow(x, y); }; }});
    cases.push_back({"gamma" + end, [=] { return [x = numbers({200000}, type)] { return gp::gamma(x); }; }});
    cases.push_back({"every second += 1" + end, [=] {
                       return [x = flat()] {
                         gp::array part = x(gp::slice(0, 4000000, 2));
                         part += 1;
                         return part;
                       };
                     }});
    cases.push_back({"3 columns of 8 += 1" + end, [=] {
                       return [x = numbers({500000, 8}, type)] {
                         gp::array part = x(gp::all, gp::slice(0, 3));
                         part += 1;
                         return part;
                       };
                     }});
    cases.push_back({"x += 1" + end, [=] {
                       return [x = flat()] {
                         gp::array same = x(gp::all);
                         same += 1;
                         return same;
                       };
                     }});
    cases.push_back({"ones" + end, [=] { return [=] { return gp::ones({4000000}, type); }; }});
    cases.push_back({"dot" + end, [=] { return [x = flat(), y = flat()] { return gp::dot(x, y); }; }});
    cases.push_back({"products 4 x 4" + end, [=] {
                       return [x = numbers({100000, 4, 4}, type)] { return gp::matmul(x, x); };
                     }});
    cases.push_back({"(n, 100) sum axis 1" + end, [=] {
                       return [x = numbers({40000, 100}, type)] { return gp::sum(x, 1); };
                     }});
    cases.push_back(
        {"take random" + end, [=] { return [x = flat(), i = indices(4000000, 4000000)] { return gp::take(x, i); }; }});
    cases.push_back({"take random of few" + end, [=] {
                       return [x = numbers({4096}, type), i = indices(4000000, 4096)] { return gp::take(x, i); };
                     }});
    cases.push_back({"x + y" + end, [=] { return [x = flat(), y = flat()] { return x + y; }; }});
    cases.push_back(
        {"five operations" + end, [=] { return [x = flat(), y = flat()] { return (x + y) * 2 - x / (y + 1); }; }});
    cases.push_back({"small sum" + end, [=] { return [x = numbers({200000}, type)] { return gp::sum(x); }; }});
    cases.push_back({"small x + y" + end,
                     [=] { return [x = numbers({200000}, type), y = numbers({200000}, type)] { return x + y; }; }});
  }
}

struct Times {
  double wall, processor;
};

Times times_of(const Body &body, double seconds) {
  using Clock = std::chrono::steady_clock;
  Times least = {1e300, 1e300};
  const auto begin = Clock::now();
  for (int run = 0; run < 3 || std::chrono::duration<double>(Clock::now() - begin).count() < seconds; run++) {
    const auto start = Clock::now();
    const std::clock_t processor = std::clock();
    body().eval();
    const std::clock_t used = std::clock() - processor;
    least.wall = std::min(least.wall, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
    least.processor = std::min(least.processor, static_cast<double>(used) * 1e9 / CLOCKS_PER_SEC);
  }
  return least;
}

}  // namespace

int main(int argc, char **argv) {
  const std::string filter = argc > 1 ? argv[1] : "";
  const double seconds = argc > 2 ? std::atof(argv[2]) : 0.15;
  std::vector<Case> cases;
  add_layouts(cases);
  add_reductions(cases);
  add_scans(cases);
  add_others(cases);
  for (const Case &one : cases) {
    if (one.name.find(filter) == std::string::npos) continue;
    const Body body = one.make();
    const Times times = times_of(body, seconds);
    std::printf("%s\t%.0f\t%.0f\n", one.name.c_str(), times.wall, times.processor);
    std::fflush(stdout);
  }
}

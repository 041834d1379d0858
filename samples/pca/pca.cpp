// samples/pca/pca.cpp -- principal components of measurements of birds, and a picture of them.
//
// usage: pca [PICTURE.svg]    The device is what GPUOPT_BACKEND or ARRAY_MODULE say, else the CPU.
//
// Three species, each of 50 birds, are measured in four ways: the measurements are made up, by random numbers that
// depend on each other. The columns are centred; the singular value decomposition x = u diag(s) vh then gives the
// directions in which the birds differ most (the rows of vh), how much of the variance each explains (the squares of
// s), and where each bird lies along them (u diag(s)). The two most important ones are drawn.
#include <cstdlib>
#include <fstream>
#include <gpuopt/gpuopt.hpp>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

namespace gp = gpuopt;

static constexpr int64_t kEach = 50, kSpecies = 3, kMeasurements = 4;
static const char *const kNames[] = {"sparrow", "blackbird", "magpie"};
static const char *const kColours[] = {"#b5651d", "#222222", "#1f6fb5"};

// Wing, tail, bill and weight of birds, a row for each: the species' means, and what a large bird has more of all.
static gp::array measure(const gp::device &where) {
  gp::random_state random(7, where);
  const gp::array means({{77.0, 57.0, 10.0, 28.0}, {130.0, 105.0, 19.0, 100.0}, {190.0, 240.0, 34.0, 210.0}});
  const gp::array spread({3.0, 4.0, 0.8, 6.0});
  std::vector<gp::array> species;
  for (int64_t s = 0; s < kSpecies; s++) {
    const gp::array size = random.normal(0, 1, {kEach, 1}), rest = random.normal(0, 1, {kEach, kMeasurements});
    species.push_back(gp::asarray(means[s], where) + gp::asarray(spread, where) * (size + 0.6 * rest));
  }
  return gp::concat(species);
}

// Columns of mean 0 and standard deviation 1.
static gp::array standardized(const gp::array &x) { return (x - gp::mean(x, 0)) / gp::std(x, 0); }

// A drawing of 560 by 400 points: one circle for each bird.
static bool draw(const std::string &path, const std::vector<double> &places) {
  std::ofstream svg(path);
  svg << std::fixed << std::setprecision(2)
      << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-280 -200 560 400\" font-family=\"sans-serif\">\n"
      << "<rect x=\"-280\" y=\"-200\" width=\"560\" height=\"400\" fill=\"white\"/>\n"
      << "<path d=\"M-260 0H260M0 -180V180\" stroke=\"#bbb\"/>\n";
  for (size_t i = 0; i < places.size() / 2; i++) {
    svg << "<circle cx=\"" << 90 * places[2 * i] << "\" cy=\"" << -90 * places[2 * i + 1] << "\" r=\"4\" fill=\""
        << kColours[i / kEach] << "\" fill-opacity=\"0.7\"/>\n";
  }
  for (int s = 0; s < kSpecies; s++) {
    svg << "<text x=\"-265\" y=\"" << -175 + 20 * s << "\" fill=\"" << kColours[s] << "\">" << kNames[s] << "</text>\n";
  }
  svg << "</svg>\n";
  return static_cast<bool>(svg.flush());
}

static int run(const std::string &path) {
  const gp::device chosen;  // without a request: the environment's
  const gp::array x = standardized(measure(chosen));
  const auto [u, s, vh] = gp::linalg::svd(x, false);
  const gp::array explained = gp::square(s) / gp::sum(gp::square(s));
  std::cout << "explained variance: " << gp::round(explained * 1000) / 1000 << "\n";

  // A direction and its opposite are the same component: let the first measurement count positively.
  const gp::array sign = gp::where(vh(gp::all, 0) < 0, -1.0, 1.0);
  std::cout << "first component:    " << gp::round(vh[0] * sign[0] * 1000) / 1000 << "\n";
  const gp::array places = (u * (s * sign))(gp::all, gp::slice(2));
  for (int64_t k = 0; k < kSpecies; k++) {
    const gp::array centre = gp::mean(places[gp::slice(k * kEach, (k + 1) * kEach)], 0);
    std::cout << kNames[k] << ": " << gp::round(centre * 100) / 100 << "\n";
  }
  if (!draw(path, places.copy().to_vector<double>())) {
    std::cerr << "pca: cannot write " << path << "\n";
    return 1;
  }
  std::cout << "the picture is in " << path << "\n";
  return 0;
}

int main(int argc, char **argv) {
  try {
    return run(argc > 1 ? argv[1] : "pca.svg");
  } catch (const gp::error &e) {
    std::cerr << "pca: " << e.what() << "\n";
    return 1;
  }
}

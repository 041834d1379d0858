// tests/unit/core_distributions_cases.h -- written by make_random_distributions.py with NumPy 2.4.6
#pragma once
#include <cstdint>

struct DistributionCase {
  int which, count;
  double parameters[3];
  uint32_t seed;
  uint64_t legacy, generator;  // hashes of 200 numbers of each
};

// clang-format off
inline const DistributionCase kDistributionCases[] = {
    {1, 2, {0.3, 0.9, 0.0}, 2, 0xdce5d35e734e6447, 0x36299a2dd74f7812},  // beta
    {1, 2, {1.0, 1.0, 0.0}, 3, 0xa42e86fe3b913d1c, 0x4471634894ac3159},  // beta
    {1, 2, {2.0, 0.5, 0.0}, 4, 0x3f4c9bddbc6f0f29, 0xcb95539895112e29},  // beta
    {1, 2, {20.0, 30.0, 0.0}, 5, 0xbe0e2fbd35534d07, 0x8d29018e5646f0f2},  // beta
    {1, 2, {0.0001, 0.001, 0.0}, 6, 0x6782f7cd8e9e2fbe, 0xdf5d859fcb401454},  // beta
    {2, 2, {10.0, 0.25, 0.0}, 7, 0xb51549aa7951b8e7, 0xa0627918bc5e3ee2},  // binomial
    {2, 2, {10.0, 0.9, 0.0}, 8, 0x4b9c23791ddb67c5, 0xca7e990597b67e24},  // binomial
    {2, 2, {100.0, 0.5, 0.0}, 9, 0x67b8f36f6752e035, 0x9737c44945c6e3a7},  // binomial
    {2, 2, {1000.0, 0.3, 0.0}, 10, 0xd421c2a133203c93, 0x4dab939bb96614c8},  // binomial
    {2, 2, {1000.0, 0.97, 0.0}, 11, 0x7c08f077142f370e, 0xf92a4799b55a5f2a},  // binomial
    {2, 2, {1000000000.0, 0.4, 0.0}, 12, 0xe7f18eb8200c87aa, 0x91be52d54a361e86},  // binomial
    {2, 2, {7.0, 0.0, 0.0}, 13, 0xa947e50590de8025, 0xa947e50590de8025},  // binomial
    {2, 2, {7.0, 1.0, 0.0}, 14, 0xa5006dc4fb1be2a5, 0xa5006dc4fb1be2a5},  // binomial
    {2, 2, {0.0, 0.5, 0.0}, 15, 0xa947e50590de8025, 0xa947e50590de8025},  // binomial
    {3, 1, {0.5, 0.0, 0.0}, 16, 0xc778f752ad940708, 0xa189fe600dee7e22},  // chisquare
    {3, 1, {2.0, 0.0, 0.0}, 17, 0x72fb20bca72ab725, 0x7e7615d1fdeb904e},  // chisquare
    {3, 1, {30.0, 0.0, 0.0}, 18, 0x6602274af4f4c94a, 0x8c8ea8d619309330},  // chisquare
    {4, 1, {0.0, 0.0, 0.0}, 19, 0xa947e50590de8025, 0xa947e50590de8025},  // exponential
    {4, 1, {2.5, 0.0, 0.0}, 20, 0xf1228b8a8c5dbb25, 0x4b78e93c579fcbd1},  // exponential
    {5, 2, {1.5, 3.0, 0.0}, 21, 0xa5456125ca35138f, 0x9a1e8982197cf49e},  // f
    {5, 2, {40.0, 60.0, 0.0}, 22, 0xaf0a8d1d5dba4f73, 0xdd19497d30ef171f},  // f
    {6, 2, {0.0, 1.0, 0.0}, 23, 0xa947e50590de8025, 0xa947e50590de8025},  // gamma
    {6, 2, {0.2, 2.0, 0.0}, 24, 0x71dffc7edef0be92, 0x2c20a06999bf4c0f},  // gamma
    {6, 2, {1.0, 3.0, 0.0}, 25, 0x4ade8c8d7f84c074, 0x3c8549293b36f6dd},  // gamma
    {6, 2, {1.5, 1.0, 0.0}, 26, 0xeee5acd81a2197b3, 0x61dd676c2c90924e},  // gamma
    {6, 2, {500.0, 0.1, 0.0}, 27, 0xf47ee34dd43d8716, 0xe88dbf3f4a13ac62},  // gamma
    {7, 1, {1e-09, 0.0, 0.0}, 28, 0x51ab8e6cf508fc8e, 0xede91da87b4e2736},  // geometric
    {7, 1, {0.1, 0.0, 0.0}, 29, 0xc5d0aefd8227931, 0x27c4a9d4cfb53f6b},  // geometric
    {7, 1, {0.34, 0.0, 0.0}, 30, 0x1151acd8f6524d4e, 0x1ca72e797eaccb18},  // geometric
    {7, 1, {1.0, 0.0, 0.0}, 31, 0xfd30129ab4484ba5, 0xfd30129ab4484ba5},  // geometric
    {8, 2, {1.0, 2.0, 0.0}, 32, 0xad40b6fe40b7e123, 0x5ba5717714d063b3},  // gumbel
    {9, 3, {5.0, 9.0, 3.0}, 33, 0x951ff864e9b04584, 0x1742557ab978fda4},  // hypergeometric
    {9, 3, {30.0, 40.0, 10.0}, 34, 0x378b93ba81f0c20, 0x9458ede89472bf8b},  // hypergeometric
    {9, 3, {30.0, 40.0, 20.0}, 35, 0xa921c5c19a2984c9, 0x457a9bdd5cb82d09},  // hypergeometric
    {9, 3, {40.0, 30.0, 60.0}, 36, 0x4e32f370b91cfc84, 0x84632c36321dcbda},  // hypergeometric
    {9, 3, {3000.0, 50000.0, 700.0}, 37, 0x94b5641395ec78e3, 0xb670b2ea48606894},  // hypergeometric
    {9, 3, {7.0, 0.0, 3.0}, 38, 0x555fb7706d74b4a5, 0x555fb7706d74b4a5},  // hypergeometric
    {10, 2, {1.0, 2.0, 0.0}, 39, 0xe72841ec03043407, 0xe986952ee2502408},  // laplace
    {11, 2, {1.0, 2.0, 0.0}, 40, 0xe2f28f3f7e37284d, 0x2c97d75fa4ed1bad},  // logistic
    {12, 2, {1.0, 0.5, 0.0}, 41, 0x86bf9f5a9743f72d, 0x17a7fbfe3241b03c},  // lognormal
    {13, 1, {0.0, 0.0, 0.0}, 42, 0xfd30129ab4484ba5, 0xfd30129ab4484ba5},  // logseries
    {13, 1, {0.3, 0.0, 0.0}, 43, 0xda55695760f6b684, 0x7ab06554c1e741e0},  // logseries
    {13, 1, {0.999, 0.0, 0.0}, 44, 0xe229fffee7bd4ec7, 0xe0ff39297a40422},  // logseries
    {14, 2, {0.5, 0.3, 0.0}, 45, 0xea10b8839530654e, 0x19767e743ca54f86},  // negative_binomial
    {14, 2, {20.0, 0.1, 0.0}, 46, 0xa58283e645e42fe7, 0x9b2c2d37eaf902d1},  // negative_binomial
    {14, 2, {3.0, 1.0, 0.0}, 47, 0xa947e50590de8025, 0xa947e50590de8025},  // negative_binomial
    {15, 2, {0.5, 3.0, 0.0}, 48, 0x318131cd49966822, 0x927d5a7857931dfb},  // noncentral_chisquare
    {15, 2, {3.0, 0.0, 0.0}, 49, 0x3f25fb02398fd151, 0xb6200752e765240b},  // noncentral_chisquare
    {15, 2, {3.0, 7.0, 0.0}, 50, 0xc15846edd85236d, 0x41e85bfd32f49768},  // noncentral_chisquare
    {15, 2, {0.5, 100.0, 0.0}, 51, 0x95b6b9b7aae2ba70, 0x79e462c9c8cddd05},  // noncentral_chisquare
    {16, 3, {0.5, 3.0, 2.0}, 52, 0x18eee5e47ed8d0d5, 0x32fbc406e4258d8f},  // noncentral_f
    {16, 3, {4.0, 5.0, 0.0}, 53, 0x6ad163c7b6c3d9ee, 0x8ebdb2f47d4973a8},  // noncentral_f
    {16, 3, {4.0, 5.0, 20.0}, 54, 0xf1dfae23685c4f46, 0xc66d60ed894acd3b},  // noncentral_f
    {17, 2, {1.0, 2.0, 0.0}, 55, 0x27751581aa123d13, 0xe5041b2ac8dc7e14},  // normal
    {17, 2, {3.0, 0.0, 0.0}, 56, 0x53ba8cc837abbc25, 0x53ba8cc837abbc25},  // normal
    {18, 1, {0.5, 0.0, 0.0}, 57, 0xccff5ca16f356db1, 0xbd2c4dc660cb9fd8},  // pareto
    {18, 1, {3.0, 0.0, 0.0}, 58, 0xaad50e282d0a99a3, 0x97725eadb9c44b11},  // pareto
    {19, 1, {0.0, 0.0, 0.0}, 59, 0xa947e50590de8025, 0xa947e50590de8025},  // poisson
    {19, 1, {0.5, 0.0, 0.0}, 60, 0x532a1e802a72e644, 0xc5d9b77236097044},  // poisson
    {19, 1, {9.99, 0.0, 0.0}, 61, 0xddb89535b075c1ea, 0x9acc27a19a6857c6},  // poisson
    {19, 1, {10.0, 0.0, 0.0}, 62, 0x3d64e9b273e73220, 0x945e80556dc9a67b},  // poisson
    {19, 1, {1000.0, 0.0, 0.0}, 63, 0x6a2d89cadccb35eb, 0x317698fe1c81bb5a},  // poisson
    {19, 1, {1000000000000000.0, 0.0, 0.0}, 64, 0xaba3f2e686b1a4db, 0x7df98de3951abb47},  // poisson
    {20, 1, {0.5, 0.0, 0.0}, 65, 0x870605c475d1e3a, 0x99564def94399777},  // power
    {20, 1, {3.0, 0.0, 0.0}, 66, 0xd04753c9db325b73, 0x836d2dd08959ad45},  // power
    {21, 1, {2.0, 0.0, 0.0}, 67, 0x9a44d3e7364607a6, 0xd72834e7c80afb2d},  // rayleigh
    {22, 0, {0.0, 0.0, 0.0}, 68, 0xd688767b1afe5e18, 0xfa773475e2bd0aa5},  // standard_cauchy
    {23, 0, {0.0, 0.0, 0.0}, 69, 0x6096775ac7818f6f, 0xdf7e304c8c8622d5},  // standard_exponential
    {24, 1, {0.7, 0.0, 0.0}, 70, 0xb3bc4e571db12489, 0xcdac06256ff9e8c8},  // standard_gamma
    {24, 1, {3.0, 0.0, 0.0}, 71, 0xca2d5a2a0ba69ee0, 0x17cb8a0f54f4831b},  // standard_gamma
    {25, 0, {0.0, 0.0, 0.0}, 72, 0x98f70f2e1e0cd774, 0xdbd34ef0533384c6},  // standard_normal
    {26, 1, {0.6, 0.0, 0.0}, 73, 0xcfb1139fbb5383ef, 0x45b936a7249b83df},  // standard_t
    {26, 1, {12.0, 0.0, 0.0}, 74, 0x78bc4ef5c0846926, 0x7f4be30c32fa3c1e},  // standard_t
    {27, 3, {-1.0, 0.0, 3.0}, 75, 0x47c9f0f3bea09ddc, 0x1276c5dc28eb0339},  // triangular
    {27, 3, {0.0, 0.0, 1.0}, 76, 0x171016bebdcd2bbe, 0x5ce63125f86e2121},  // triangular
    {27, 3, {0.0, 1.0, 1.0}, 77, 0xe6b66a55b9f0f9de, 0x8e5b020353419706},  // triangular
    {28, 2, {-2.0, 5.0, 0.0}, 78, 0x60c1bfac7492acd6, 0x13a214ece3f1001a},  // uniform
    {29, 2, {1.0, 0.0, 0.0}, 79, 0x9abd96d199c9954e, 0x205f7e4e05ed942a},  // vonmises
    {29, 2, {1.0, 1e-09, 0.0}, 80, 0xf869ddc81c913972, 0xd4cd6bf9a6babd7e},  // vonmises
    {29, 2, {1.0, 1e-06, 0.0}, 81, 0x5ce276d14bf03503, 0x6693f1459b0ad056},  // vonmises
    {29, 2, {-2.0, 0.5, 0.0}, 82, 0xe246ca5084d7fb7e, 0x7aa939b536421408},  // vonmises
    {29, 2, {3.0, 30.0, 0.0}, 83, 0x66e81bfee9c1fef7, 0xfde55487d74a4d07},  // vonmises
    {30, 2, {0.5, 2.0, 0.0}, 84, 0xdcc22183fa11e0bf, 0x8cd652f7ce49e6a2},  // wald
    {30, 2, {10.0, 0.1, 0.0}, 85, 0xee0ef089d44b170a, 0x6bd0f3640b5be53c},  // wald
    {31, 1, {0.0, 0.0, 0.0}, 86, 0xa947e50590de8025, 0xa947e50590de8025},  // weibull
    {31, 1, {0.5, 0.0, 0.0}, 87, 0x55da7d6fa7c655e, 0xb61f0f41d96c4af1},  // weibull
    {31, 1, {4.0, 0.0, 0.0}, 88, 0x325682b7e1454bc3, 0x5f247be12d43216a},  // weibull
    {32, 1, {1.1, 0.0, 0.0}, 89, 0xa8819aa804cb6446, 0xafdd912f3feba1b7},  // zipf
    {32, 1, {2.5, 0.0, 0.0}, 90, 0x8ba0b44d0004bf15, 0xf705904ee2e12c5a},  // zipf
    {32, 1, {60.0, 0.0, 0.0}, 91, 0xfd30129ab4484ba5, 0xfd30129ab4484ba5},  // zipf
};
inline constexpr uint64_t kSpawned = 0xee5a8ee8d4df6c7d;
inline constexpr uint64_t kAdvanced = 0x8cf4b97cce179d23;
inline constexpr uint64_t kStateMultinomial = 0x58f1a6f568f571c5;
inline constexpr uint64_t kStateDirichlet = 0x834534b08b64dc59;
inline constexpr uint64_t kMultinomial = 0xce509bdf12168ac2;
inline constexpr uint64_t kDirichlet = 0xbc09881cfbcd7daf;
inline constexpr uint64_t kStick = 0x2d3753b0df5408b7;
inline constexpr uint64_t kMarginals = 0xeeb0e5346f55ac8d;
inline constexpr uint64_t kCounts = 0x4c8d8a09d1e53411;
inline constexpr uint64_t kPermuted = 0x4ef30b80c16bd725;
inline constexpr uint64_t kSample = 0xf8b74c80d2bd3a4c;
inline constexpr uint64_t kFloyd = 0xffe62be817833cb5;
inline constexpr uint64_t kIntegers8 = 0xd84ede0980c0af97;
inline constexpr uint64_t kIntegers = 0x395e4c44ed00d73a;
inline constexpr uint64_t kNormal32 = 0x653115ecb6b27b6e;
inline constexpr uint64_t kExponential32 = 0xac3270d52c0bfd19;
inline constexpr uint64_t kGamma32 = 0xad6be95425b5be41;
inline constexpr uint64_t kPermutation = 0x63428f815cb5e1e5;
inline constexpr uint64_t kBroadcast = 0x3f7f9300566deb61;
inline constexpr uint64_t kStateAfterNan = 0x5f1bf89cac17704b;
inline constexpr uint64_t kAfterNan = 0xb6b40c5d0997559;
// Of RandomState, of Generator, and of Generator with endpoint.
inline constexpr uint64_t kBetween[][3] = {
    {0x3f5137e927d1863d, 0x22bc5f7b4a1ec0bb, 0xf0223740db1f9101},  // bool
    {0xcad954ff13e114b, 0x9e83ad6bd47aa953, 0x8b10938b8bacbfba},  // int8
    {0xea3672e6fa1c7720, 0x7835c2dcf7b28c48, 0xd17a4def067a665b},  // uint16
    {0x4b94467d666d6275, 0xee3e4a8bb9f4ebe7, 0x40c3f3218e674b1d},  // int32
    {0xb10e1f5f5edf1b5f, 0x913afd11dd457616, 0xedf243aaf1216b19},  // int64
    {0xd57c8056376da5f, 0xe936a268466bf116, 0xa96055aa663e3b19},  // uint64
};
// clang-format on

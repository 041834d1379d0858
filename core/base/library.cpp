// core/base/library.cpp -- the C functions that return the version and the names of statuses, reasons and operations.
#include <gpuopt/gpuopt.h>

#include <cstdlib>
#include <iterator>

namespace {

struct StatusRow {
  int32_t number;
  const char *name, *sentence;
};
struct ReasonRow {
  int32_t number;
  const char *name, *sentence, *cure;
};

constexpr StatusRow kStatuses[] = {
#define GPUOPT_STATUS(NAME, number, sentence) {number, "GPUOPT_" #NAME, sentence},
#include <gpuopt/status.def>
};
constexpr ReasonRow kReasons[] = {
#define GPUOPT_REASON(NAME, number, sentence, cure) {number, #NAME, sentence, cure},
#include <gpuopt/status.def>
};
static_assert(std::size(kStatuses) == GPUOPT_STATUS_COUNT, "types.h counts the rows of status.def");
static_assert(std::size(kReasons) == GPUOPT_REASON_COUNT, "types.h counts the rows of status.def");

constexpr const char *kOps[] = {
#define GPUOPT_OP(name, nin, kinds, result, doc) #name,
#include <gpuopt/ops.def>
};
constexpr const char *kReductions[] = {
#define GPUOPT_REDUCTION(name, kinds, result, doc) #name,
#include <gpuopt/ops.def>
};
constexpr const char *kScans[] = {
#define GPUOPT_SCAN(name, kinds, result, doc) #name,
#include <gpuopt/ops.def>
};

template <class Row, size_t n>
const Row *find(const Row (&rows)[n], int32_t number) {
  for (const Row &row : rows) {
    if (row.number == number) return &row;
  }
  return nullptr;
}

template <size_t n>
const char *at(const char *const (&names)[n], int32_t number) {
  return number >= 0 && number < static_cast<int32_t>(n) ? names[number] : nullptr;
}

}  // namespace

extern "C" {

uint32_t gpuopt_version(void) {
  return GPUOPT_VERSION_MAJOR * 1000000 + GPUOPT_VERSION_MINOR * 1000 + GPUOPT_VERSION_PATCH;
}

const char *gpuopt_status_name(gpuopt_status status) {
  const StatusRow *row = find(kStatuses, status);
  return row ? row->name : "unknown status";
}

const char *gpuopt_status_message(gpuopt_status status) {
  const StatusRow *row = find(kStatuses, status);
  return row ? row->sentence : "unknown status";
}

const char *gpuopt_reason_name(gpuopt_reason reason) {
  const ReasonRow *row = find(kReasons, reason);
  return row ? row->name : "unknown reason";
}

const char *gpuopt_reason_message(gpuopt_reason reason) {
  const ReasonRow *row = find(kReasons, reason);
  return row ? row->sentence : "unknown reason";
}

const char *gpuopt_reason_hint(gpuopt_reason reason) {
  const ReasonRow *row = find(kReasons, reason);
  return row ? row->cure : "";
}

const char *gpuopt_op_name(gpuopt_op op) { return at(kOps, op); }
const char *gpuopt_reduction_name(gpuopt_reduction reduction) { return at(kReductions, reduction); }
const char *gpuopt_scan_name(gpuopt_scan scan) { return at(kScans, scan); }

void gpuopt_string_free(char *string) { std::free(string); }

}  // extern "C"

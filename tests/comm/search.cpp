// tests/comm/search.cpp -- run as the ranks of a job: a random program of calls on groups and shards, the same on all
// ranks, each of whose results is compared with what one process computes of the numbers of all of them (serial.h).
//
// usage: search SEED STEPS FOLDER                         returns 0 if all is well
//        search SEED STEPS FOLDER RANK STEP HOW MICROS    RANK fails at STEP: it is "killed" or "stopped" MICROS later,
//                                                         or "left" the job. The others print the error that they get.
//
// GPUOPT_SEARCH_DEVICES has the device of each rank, with commas between.
#include "tests/comm/search.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <thread>

namespace search {

Shape random_shape(Random &plan, int least_dimensions, int ranks) {
  const std::vector<int64_t> long_ones = {1023, 1024, 1025, 2047, 2048, 2049, 4096, 4097, 9001, 20000, 70001};
  if (plan.once_in(6)) return {plan.one_of(long_ones)};
  const std::vector<int64_t> sizes = {0, 1, 2, 3, 5, 7, 16, 33, ranks, ranks + 1, 2 * ranks - 1};
  const int64_t ndim = std::max<int64_t>(plan.below(4), least_dimensions);
  Shape shape;
  for (int64_t i = 0; i < ndim; ++i) shape.push_back(plan.one_of(sizes));
  return shape;
}

namespace {

Array turned_round(const Whole &x) {
  Whole back(x.dtype, x.shape);
  const int64_t n = x.rows(), row = n ? x.count() / n : 0;
  for (int64_t i = 0; i < n && row; ++i)
    std::memcpy(back.at(i * row), x.at((n - 1 - i) * row), static_cast<size_t>(row) * x.item());
  const Array base = array_of(back);
  Array view;
  const int64_t axis = 0;
  DONE(gpuopt_flip, base.get(), 1, &axis, view.out());
  return view;
}

// Every other row of an array, whose rows between have the elements of x, too.
Array every_other_row(const Whole &x, Array &base) {
  Whole doubled(x.dtype, x.shape);
  doubled.shape[0] *= 2;
  doubled.bytes.resize(2 * x.bytes.size());
  const size_t row = x.rows() ? x.bytes.size() / static_cast<size_t>(x.rows()) : 0;
  for (size_t i = 0; i < static_cast<size_t>(doubled.rows()) && row; ++i)
    std::memcpy(doubled.bytes.data() + i * row, x.bytes.data() + i / 2 * row, row);
  base = array_of(doubled);
  const gpuopt_index item{GPUOPT_INDEX_SLICE, 0, 0, GPUOPT_SLICE_ALL, 2};
  Array view;
  DONE(gpuopt_slice, base.get(), 1, &item, view.out());
  return view;
}

Array transposed(const Whole &x) {
  Whole columns(x.dtype, {x.shape[1], x.shape[0]});
  for (int64_t i = 0; i < x.shape[0]; ++i)
    for (int64_t j = 0; j < x.shape[1]; ++j)
      std::memcpy(columns.at(j * x.shape[0] + i), x.at(i * x.shape[1] + j), x.item());
  const Array base = array_of(columns);
  Array view;
  DONE(gpuopt_permute_dims, base.get(), nullptr, view.out());
  return view;
}

}  // namespace

Array any_array(const Whole &x, Random &own) {
  Array base = array_of(x), view;
  switch (own.below(6)) {
    case 0:
      return x.shape.empty() ? std::move(base) : turned_round(x);
    case 1:
      return x.shape.empty() ? std::move(base) : every_other_row(x, base);
    case 2:
      return x.shape.size() == 2 ? transposed(x) : std::move(base);
    case 3:
      DONE(gpuopt_astype, base.get(), x.dtype, GPUOPT_COPY_ALWAYS, view.out());
      return view;
    default:
      return base;
  }
}

void check_given(const char *name, Step &step, const Array &x, const Whole *expected, const Giving &call,
                 bool numbers) {
  step.says(std::string(name) + (expected ? " of " + serial::described(*expected) : ""));
  gpuopt_error error = GPUOPT_ERROR_INIT;
  Array result, base, out;
  if (!expected || step.own.once_in(2)) {
    check_status(__LINE__, name, call(nullptr, result.out(), &error), error);
    if (expected) SAME(result, *expected, numbers);
    if (!expected) EXPECT(result.get() == nullptr);
    return;
  }
  const Whole before = serial::random_whole(step.own, expected->dtype, expected->shape);
  const bool fits = x.get() && gpuopt_array_dtype(x.get()) == expected->dtype &&
                    rank_test::shape_of(x) == expected->shape && step.own.once_in(2);
  const bool in_rows = !fits && !expected->shape.empty() && step.own.once_in(2);
  if (in_rows)
    out = every_other_row(before, base);
  else if (!fits)
    out = array_of(before);
  const gpuopt_array to = fits ? x.get() : out.get();
  const bool wants = step.own.once_in(2);
  check_status(__LINE__, name, call(to, wants ? result.out() : nullptr, &error), error);
  if (wants) SAME(result, *expected, numbers);
  if (!fits) SAME(out, *expected, numbers);
  if (fits) SAME(x, *expected, numbers);
  if (!in_rows) return;
  const gpuopt_index item{GPUOPT_INDEX_SLICE, 0, 1, GPUOPT_SLICE_ALL, 2};
  Array between;
  DONE(gpuopt_slice, base.get(), 1, &item, between.out());
  SAME(between, before);
}

namespace {

// ---- Reductions

const std::vector<gpuopt_reduction> kReductions = {GPUOPT_REDUCTION_sum, GPUOPT_REDUCTION_prod, GPUOPT_REDUCTION_min,
                                                   GPUOPT_REDUCTION_max, GPUOPT_REDUCTION_any,  GPUOPT_REDUCTION_all};

void reduction_step(Step &step) {
  const gpuopt_comm comm = step.group.comm;
  const int64_t kind = step.plan.below(3);
  gpuopt_reduction reduction = step.plan.one_of(kReductions);
  const gpuopt_dtype dtype = step.plan.one_of(serial::all_dtypes());
  const bool extreme = reduction == GPUOPT_REDUCTION_min || reduction == GPUOPT_REDUCTION_max;
  if (extreme && serial::is_complex(dtype)) reduction = GPUOPT_REDUCTION_sum;
  const bool exact = serial::is_complex(dtype) && reduction == GPUOPT_REDUCTION_prod;  // a product rounds in between
  const Shape shape = random_shape(step.plan, kind == 2 ? 1 : 0, step.group.size());
  std::vector<Whole> all;
  for (int r = 0; r < step.group.size(); ++r)
    all.push_back(
        serial::random_whole(step.of_rank(r), dtype, shape, exact ? serial::Range::kSmall : serial::Range::kAny));
  const int me = step.group.me(), root = static_cast<int>(step.plan.below(step.group.size()));
  const Array x = any_array(all[static_cast<size_t>(me)], step.own);
  Whole expected = serial::reduced(all, reduction);
  if (kind == 2)
    expected = serial::rows(expected, serial::begin_of(shape[0], step.group.size(), me),
                            serial::begin_of(shape[0], step.group.size(), me + 1));
  const auto call = [&](gpuopt_array out, gpuopt_array *result, gpuopt_error *error) {
    if (kind == 0) return gpuopt_comm_all_reduce(comm, x.get(), reduction, out, result, error);
    if (kind == 1) return gpuopt_comm_reduce(comm, x.get(), reduction, root, out, result, error);
    return gpuopt_comm_reduce_scatter(comm, x.get(), reduction, out, result, error);
  };
  const char *const names[] = {"all_reduce", "reduce", "reduce_scatter"};
  check_given(names[kind], step, x, kind != 1 || me == root ? &expected : nullptr, call, extreme || exact);
}

// ---- Arrays that are moved

void from_root_step(Step &step) {
  const gpuopt_comm comm = step.group.comm;
  const bool scatters = step.plan.once_in(2);
  const Shape shape = random_shape(step.plan, scatters ? 1 : 0, step.group.size());
  const gpuopt_dtype dtype = step.plan.one_of(serial::all_dtypes());
  const int me = step.group.me(), root = static_cast<int>(step.plan.below(step.group.size()));
  const Whole whole = serial::random_whole(step.of_rank(root), dtype, shape);
  Array x;
  if (me == root)
    x = any_array(whole, step.own);
  else if (step.own.once_in(2))  // which does not count
    x = array_of(serial::random_whole(step.own, GPUOPT_INT16, {3}));
  Whole expected = whole;
  if (scatters)
    expected = serial::rows(whole, serial::begin_of(shape[0], step.group.size(), me),
                            serial::begin_of(shape[0], step.group.size(), me + 1));
  check_given(scatters ? "scatter" : "broadcast", step, x, &expected,
              [&](gpuopt_array out, gpuopt_array *result, gpuopt_error *error) {
                return scatters ? gpuopt_comm_scatter(comm, x.get(), root, out, result, error)
                                : gpuopt_comm_broadcast(comm, x.get(), root, out, result, error);
              });
}

// Arrays of one dtype and of one shape but for their numbers of rows.
std::vector<Whole> arrays_with_rows(Step &step, bool of_dimensions) {
  const Shape shape = random_shape(step.plan, of_dimensions ? 1 : 0, step.group.size());
  const gpuopt_dtype dtype = step.plan.one_of(serial::all_dtypes());
  const bool alike = step.plan.once_in(2);
  std::vector<Whole> all;
  for (int r = 0; r < step.group.size(); ++r) {
    Random random = step.of_rank(r);
    Shape own = shape;
    if (!alike && !own.empty()) own[0] = random.below(2 * own[0] + 2);
    if (!alike && !of_dimensions && shape.size() == 1 && random.once_in(3)) own.clear();  // is one row
    all.push_back(serial::random_whole(random, dtype, own));
  }
  return all;
}

void gather_step(Step &step) {
  const gpuopt_comm comm = step.group.comm;
  const bool to_all = step.plan.once_in(2);
  const std::vector<Whole> all = arrays_with_rows(step, false);
  const int me = step.group.me(), root = static_cast<int>(step.plan.below(step.group.size()));
  const Array x = any_array(all[static_cast<size_t>(me)], step.own);
  const Whole expected = serial::joined(all);
  check_given(to_all ? "all_gather" : "gather", step, x, to_all || me == root ? &expected : nullptr,
              [&](gpuopt_array out, gpuopt_array *result, gpuopt_error *error) {
                return to_all ? gpuopt_comm_all_gather(comm, x.get(), out, result, error)
                              : gpuopt_comm_gather(comm, x.get(), root, out, result, error);
              });
}

void all_to_all_step(Step &step) {
  const gpuopt_comm comm = step.group.comm;
  const std::vector<Whole> all = arrays_with_rows(step, true);
  const int me = step.group.me(), n = step.group.size();
  std::vector<Whole> mine;
  for (const Whole &one : all)
    mine.push_back(serial::rows(one, serial::begin_of(one.rows(), n, me), serial::begin_of(one.rows(), n, me + 1)));
  const Array x = any_array(all[static_cast<size_t>(me)], step.own);
  const Whole expected = serial::joined(mine);
  check_given("all_to_all", step, x, &expected, [&](gpuopt_array out, gpuopt_array *result, gpuopt_error *error) {
    return gpuopt_comm_all_to_all(comm, x.get(), out, result, error);
  });
}

// ---- Messages

struct Message {
  int from, to, tag;
  Whole x;
};

std::vector<Message> random_messages(Step &step) {
  std::vector<Message> messages;
  for (int64_t i = step.plan.below(8); i >= 0; --i) {
    const auto rank = [&] { return static_cast<int>(step.plan.below(step.group.size())); };
    Message one{rank(), rank(), step.plan.one_of(std::vector<int>{0, 1, 32767}), {}};
    const Shape shape = random_shape(step.plan, 0, step.group.size());
    one.x = serial::random_whole(Random(step.plan.next()), step.plan.one_of(serial::all_dtypes()), shape);
    messages.push_back(std::move(one));
  }
  return messages;
}

void receive(Step &step, const Message &one) {
  if (step.own.once_in(5)) {  // into what does not fit: it can be received again
    const Array wrong = array_of(serial::random_whole(step.own, one.x.dtype, {2, 3, 4, 1}));
    gpuopt_error error = GPUOPT_ERROR_INIT;
    const gpuopt_status status = gpuopt_comm_recv(step.group.comm, one.from, one.tag, wrong.get(), nullptr, &error);
    if (status != GPUOPT_ERR_SHAPE) check_status(__LINE__, "recv", status, error);
    EXPECT(status == GPUOPT_ERR_SHAPE);
  }
  check_given("recv", step, Array(), &one.x, [&](gpuopt_array out, gpuopt_array *result, gpuopt_error *error) {
    return gpuopt_comm_recv(step.group.comm, one.from, one.tag, out, result, error);
  });
}

// Messages between any two ranks: each rank takes them in their order, or sends all of its own first and receives then,
// tag by tag.
void message_step(Step &step) {
  std::vector<Message> messages = random_messages(step);
  const bool sends_first = step.plan.once_in(2);
  const int me = step.group.me();
  const auto send = [&](const Message &one) {
    step.says("send " + serial::described(one.x));
    CALL(gpuopt_comm_send, step.group.comm, any_array(one.x, step.own).get(), one.to, one.tag);
  };
  if (sends_first)
    for (const Message &one : messages)
      if (one.from == me) send(one);
  if (sends_first)
    std::stable_sort(messages.begin(), messages.end(), [](const auto &a, const auto &b) { return a.tag > b.tag; });
  for (const Message &one : messages) {
    if (!sends_first && one.from == me) send(one);
    if (one.to == me) receive(step, one);
  }
}

// Each rank to the one some places on; at the ends of a line there is nobody.
void shift_step(Step &step) {
  const int n = step.group.size(), me = step.group.me(), by = static_cast<int>(step.plan.below(n));
  const bool closed = step.plan.once_in(2);
  const std::vector<Whole> all = arrays_with_rows(step, false);
  const bool sends = closed || me + by < n, receives = closed || me - by >= 0;
  const int from = (me - by + n) % n;
  const Array x = any_array(all[static_cast<size_t>(me)], step.own);
  check_given("send_recv", step, Array(), receives ? &all[static_cast<size_t>(from)] : nullptr,
              [&](gpuopt_array out, gpuopt_array *result, gpuopt_error *error) {
                return gpuopt_comm_send_recv(step.group.comm, sends ? x.get() : nullptr, sends ? (me + by) % n : 0,
                                             receives ? from : -1, 4, out, result, error);
              });
}

// ---- Calls that do not fit together, after which the group goes on

void mismatch_step(Step &step) {
  const int64_t kind = step.plan.below(5);
  const bool odd = step.group.me() == step.plan.below(step.group.size());
  step.says("calls that do not fit together, " + std::to_string(kind));
  if (step.group.size() == 1) return;
  const gpuopt_comm comm = step.group.comm;
  const Whole numbers =
      serial::random_whole(step.own, odd && kind == 0 ? GPUOPT_INT32 : GPUOPT_FLOAT64, {odd && kind == 1 ? 4 : 3});
  const Array x = array_of(numbers);
  Array y;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_status status;
  if (odd && kind == 2)
    status = gpuopt_comm_barrier(comm, &error);
  else if (kind == 3)
    status = gpuopt_comm_broadcast(comm, x.get(), odd ? 1 : 0, nullptr, y.out(), &error);
  else
    status = gpuopt_comm_all_reduce(comm, odd && kind == 4 ? nullptr : x.get(), GPUOPT_REDUCTION_sum, nullptr, y.out(),
                                    &error);
  if (may_fail && status == GPUOPT_ERR_COMM) return;  // the next call says whether the job has failed
  EXPECT(status == (odd && kind == 4 ? GPUOPT_ERR_INVALID_ARGUMENT : GPUOPT_ERR_COMM));
  EXPECT(!y.get() && (std::strstr(error.message, "rank") || status != GPUOPT_ERR_COMM));
}

// ---- Programs

// The ranks' groups after a split: lists of ranks of the world, and this rank's own.
struct Division {
  std::vector<std::vector<int>> groups;
  Group mine;  // without a comm if this rank is in none
};

class Program {
 public:
  Program(uint64_t seed, std::string folder) : seed_(seed), folder_(std::move(folder)) {
    Division all;
    for (int r = 0; r < gpuopt_comm_size(rank_test::world); ++r) all.mine.members.push_back(r);
    all.groups = {all.mine.members};
    all.mine.comm = rank_test::world;
    gpuopt_comm_retain(rank_test::world);
    divisions_.push_back(std::move(all));
  }
  ~Program() {
    for (const Division &one : divisions_) gpuopt_comm_release(one.mine.comm);
  }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  void run(uint64_t number) {
    Random plan(seed_, number), own(seed_, number, 2000 + static_cast<uint64_t>(me()));
    if (own.once_in(12)) std::this_thread::sleep_for(std::chrono::microseconds(own.below(8000)));
    const auto which = static_cast<size_t>(plan.below(static_cast<int64_t>(divisions_.size())));
    const int64_t kind = plan.below(16);
    if (kind == 0) return split(which, number);
    const Group &group = divisions_[which].mine;
    if (!group.comm) return;
    Step step{group, seed_, number, plan, own};
    run_step(step, kind);
  }

 private:
  static int me() { return gpuopt_comm_rank(rank_test::world); }

  void run_step(Step &step, int64_t kind) {
    if (kind == 1) {
      step.says("barrier");
      CALL(gpuopt_comm_barrier, step.group.comm);
    } else if (kind == 2) {
      mismatch_step(step);
    } else if (kind <= 5) {
      reduction_step(step);
    } else if (kind <= 7) {
      from_root_step(step);
    } else if (kind <= 9) {
      gather_step(step);
    } else if (kind == 10) {
      all_to_all_step(step);
    } else if (kind == 11) {
      message_step(step);
    } else if (kind == 12) {
      shift_step(step);
    } else {
      shard_step(step, folder_);
    }
  }

  // What rank r of the world says in a split: its color and its key.
  std::pair<int, int> said(int r, uint64_t number) const {
    Random random(seed_, number, 3000 + static_cast<uint64_t>(r));
    const int color = random.once_in(7) ? -1 : static_cast<int>(random.below(3));
    return {color, static_cast<int>(random.below(5)) - 2};
  }

  // The members of a group that say the color, in the order of their keys and then of their ranks.
  std::vector<int> with_color(const std::vector<int> &members, int color, uint64_t number) const {
    std::vector<int> some;
    for (const int r : members)
      if (said(r, number).first == color) some.push_back(r);
    std::stable_sort(some.begin(), some.end(),
                     [&](int a, int b) { return said(a, number).second < said(b, number).second; });
    return some;
  }

  void split(size_t which, uint64_t number) {
    const Division &parent = divisions_[which];
    Division made;
    for (const std::vector<int> &members : parent.groups)
      for (int color = 0; color < 3; ++color)
        if (std::vector<int> some = with_color(members, color, number); !some.empty()) {
          if (std::find(some.begin(), some.end(), me()) != some.end()) made.mine.members = some;
          made.groups.push_back(std::move(some));
        }
    if (parent.mine.comm) {
      Step{parent.mine, seed_, number, Random(0), Random(0)}.says("split");
      const auto [color, key] = said(me(), number);
      CALL(gpuopt_comm_split, parent.mine.comm, color, key, &made.mine.comm);
      EXPECT((made.mine.comm == nullptr) == (color < 0));
    }
    if (made.mine.comm) {
      EXPECT(gpuopt_comm_size(made.mine.comm) == made.mine.size());
      EXPECT(made.mine.members[static_cast<size_t>(made.mine.me())] == me());
    }
    keep(std::move(made), number);
  }

  void keep(Division made, uint64_t number) {
    if (divisions_.size() > 5) {
      const auto gone = divisions_.begin() + 1 + static_cast<int64_t>(number % 5);
      gpuopt_comm_release(gone->mine.comm);
      divisions_.erase(gone);
    }
    divisions_.push_back(std::move(made));
  }

  uint64_t seed_;
  std::string folder_;
  std::vector<Division> divisions_;
};

// ---- Ranks that fail

struct Fault {
  int rank = -1;
  uint64_t step = 0;
  std::string how;
  int64_t micros = 0;
};

void begin_to_fail(const Fault &fault) {
  if (fault.how == "left") {
    gpuopt_comm_release(rank_test::world);
    std::_Exit(0);
  }
  const int with = fault.how == "stopped" ? SIGSTOP : SIGKILL;
  std::thread([=] {
    std::this_thread::sleep_for(std::chrono::microseconds(fault.micros));
    kill(getpid(), with);
  }).detach();
}

// What the others do: they run the program until it fails, and find that it has failed.
[[noreturn]] void survive(const Fault &fault, const std::string &message) {
  if (message.find("rank " + std::to_string(fault.rank)) == std::string::npos)
    fail(__LINE__, "the message does not name rank " + std::to_string(fault.rank) + ": " + message);
  const auto begin = std::chrono::steady_clock::now();
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT(gpuopt_comm_barrier(rank_test::world, &error) == GPUOPT_ERR_COMM);
  EXPECT(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
  std::printf("failed: %s\n", message.c_str());
  std::fflush(stdout);
  gpuopt_comm_release(rank_test::world);
  std::_Exit(0);
}

void run_program(uint64_t seed, uint64_t steps, const std::string &folder, const Fault &fault) {
  Program program(seed, folder);
  for (uint64_t i = 0; i < steps; ++i) {
    if (fault.rank == gpuopt_comm_rank(rank_test::world) && i == fault.step) begin_to_fail(fault);
    program.run(i);
  }
  position = "seed " + std::to_string(seed) + ", at the end";
  do CALL(gpuopt_comm_barrier, rank_test::world);
  while (may_fail);
}

int run(int argc, char **argv) {
  EXPECT(argc == 4 || argc == 8);
  Fault fault;
  if (argc == 8) fault = {std::atoi(argv[4]), std::strtoull(argv[5], nullptr, 10), argv[6], std::atoll(argv[7])};
  may_fail = argc == 8;
  rank_test::begin();
  const uint64_t seed = std::strtoull(argv[1], nullptr, 10), steps = std::strtoull(argv[2], nullptr, 10);
  try {
    run_program(seed, steps, argv[3], fault);
  } catch (const JobFailed &failure) {
    survive(fault, failure.message);
  }
  gpuopt_comm_release(rank_test::world);
  return 0;
}

// Takes this rank's device from the list.
void choose_device() {
  const char *const list = std::getenv("GPUOPT_SEARCH_DEVICES");
  const char *rank = std::getenv("GPUOPT_RING_RANK");
  if (!rank) rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (!rank) rank = std::getenv("PMI_RANK");
  if (!list || !rank) return;
  std::string devices = list;
  for (int skipped = std::atoi(rank); skipped > 0; --skipped) devices.erase(0, devices.find(',') + 1);
  setenv("GPUOPT_RANK_DEVICE", devices.substr(0, devices.find(',')).c_str(), 1);
}

}  // namespace
}  // namespace search

int main(int argc, char **argv) {
  search::choose_device();
  return rank_test::run_ranks(search::run, argc, argv);
}

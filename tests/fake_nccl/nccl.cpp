// tests/fake_nccl/nccl.cpp -- a libnccl.so.2 for the fake driver (tests/fake_cuda/): point-to-point messages between
// the memory of devices of several processes, by sockets in a folder that the unique id names. It never blocks, as a
// communicator that was made with `blocking` 0, and takes no other.
//
// It is strict: a process that breaks a rule of the API prints which, and ends with status 96. Settings:
//   FAKE_NCCL_FAIL     "ncclSend:3": the third call of ncclSend fails with ncclUnhandledCudaError (1). "async:2": the
//                      second group is accepted, and fails afterwards with ncclRemoteError (6)
//   FAKE_NCCL_STALL    "2": from the second group on nothing moves
//   FAKE_NCCL_VERSION  what ncclGetVersion says (21805)
//   FAKE_NCCL_TRACE    a file to which "rank sent received" is added, in bytes, when a communicator ends
// A peer whose process has ended is not noticed, as with memory that processes share.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plugins/nccl/nccl_types.h"

extern "C" {
#define GPUOPT_NCCL_SYMBOL(result, name, args) __attribute__((visibility("default"))) result name args;
#include "plugins/nccl/nccl_symbols.def"
}

namespace {

constexpr ncclResult_t kUnhandledCudaError{1}, kRemoteError{6};

[[noreturn]] void violation(const std::string &rule) {
  std::fprintf(stderr, "fake NCCL: %s\n", rule.c_str());
  _exit(96);
}

void require(bool holds, const char *rule) {
  if (!holds) violation(rule);
}

std::string setting_of(const char *name) {
  const char *const value = std::getenv(name);
  return value ? value : "";
}

// Whether this call is the one that FAKE_NCCL_FAIL names.
bool fails_now(const std::string &name) {
  static std::mutex mutex;
  static std::map<std::string, int> calls;
  const std::lock_guard lock(mutex);
  return setting_of("FAKE_NCCL_FAIL") == name + ":" + std::to_string(++calls[name]);
}

// ---- The driver

template <class Function>
Function *driver_function(const char *name) {
  void *const driver = dlopen(setting_of("GPUOPT_CUDA_DRIVER").c_str(), RTLD_NOW | RTLD_NOLOAD);
  require(driver, "the fake driver is not in use");
  return reinterpret_cast<Function *>(dlsym(driver, name));
}

template <class... Arguments>
void call_driver(const char *name, Arguments... arguments) {
  const CUresult code = driver_function<CUresult(Arguments...)>(name)(arguments...);
  if (code != CUDA_SUCCESS) violation(std::string(name) + " gave " + std::to_string(code));
}

CUcontext current_context() {
  CUcontext context = nullptr;
  const auto pop = driver_function<CUresult(CUcontext *)>("cuCtxPopCurrent_v2");
  require(pop(&context) == CUDA_SUCCESS && context, "the thread has no current device");
  call_driver("cuCtxPushCurrent_v2", context);
  return context;
}

// ---- Messages

struct Operation {
  bool sends;
  uintptr_t data;
  size_t bytes;
  int peer;
  CUstream stream;
};

// A message on its way, from its first byte: its size goes before it.
struct Transfer {
  Operation operation;
  std::vector<char> bytes;
  size_t done = 0;
};

}  // namespace

struct ncclComm {
  int rank = 0, ranks = 0;
  std::string folder;
  CUcontext context = nullptr;
  std::vector<int> sockets;
  std::atomic<int> state{ncclInProgress};
  std::atomic<bool> aborted{false};
  int groups = 0;
  size_t sent = 0, received = 0;
  std::thread worker;

  std::string path_of(int r) const { return folder + "/" + std::to_string(r); }
  template <class Work>
  void begin(Work work) {
    if (worker.joinable()) worker.join();
    state = ncclInProgress;
    worker = std::thread([this, work] {
      call_driver("cuCtxPushCurrent_v2", context);
      work();
      CUcontext popped = nullptr;
      call_driver("cuCtxPopCurrent_v2", &popped);
    });
  }
};

namespace {

sockaddr_un address_of(const std::string &path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  require(path.size() < sizeof address.sun_path, "the folder's name is too long");
  std::memcpy(address.sun_path, path.c_str(), path.size());
  return address;
}

void pause_briefly() { usleep(2000); }

// Returns a connection to a rank below, which learns this one's number.
int connected_to(const ncclComm &comm, int peer) {
  const sockaddr_un address = address_of(comm.path_of(peer));
  while (!comm.aborted) {
    const int one = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(one, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0 &&
        write(one, &comm.rank, sizeof comm.rank) == sizeof comm.rank)
      return one;
    close(one);
    pause_briefly();
  }
  return -1;
}

void accept_others(ncclComm &comm, int listening) {
  for (int missing = comm.ranks - 1 - comm.rank; missing > 0 && !comm.aborted;) {
    pollfd waiting{listening, POLLIN, 0};
    if (poll(&waiting, 1, 10) <= 0) continue;
    const int one = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    int peer = 0;
    require(read(one, &peer, sizeof peer) == sizeof peer && peer > comm.rank, "a stranger has connected");
    comm.sockets[static_cast<size_t>(peer)] = one;
    --missing;
  }
}

void connect_all(ncclComm &comm) {
  const sockaddr_un address = address_of(comm.path_of(comm.rank));
  const int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool bound = bind(listening, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0;
  if (!bound && errno == ENOENT) {  // the others have given up and removed the folder: this one goes on waiting
    close(listening);
    return;
  }
  require(bound && listen(listening, 64) == 0, "the unique id was used before");
  for (int r = 0; r < comm.rank; ++r) comm.sockets[static_cast<size_t>(r)] = connected_to(comm, r);
  accept_others(comm, listening);
  close(listening);
  unlink(address.sun_path);
  rmdir(comm.folder.c_str());  // by the last one
  for (const int one : comm.sockets)
    if (one >= 0) fcntl(one, F_SETFL, O_NONBLOCK);
  if (!comm.aborted) comm.state = ncclSuccess;
}

// Moves what the system takes now. Returns whether the transfer is complete.
bool advance(int socket, Transfer &one) {
  char *const at = one.bytes.data() + one.done;
  const size_t left = one.bytes.size() - one.done;
  const ssize_t moved = one.operation.sends ? send(socket, at, left, MSG_NOSIGNAL) : recv(socket, at, left, 0);
  if (moved > 0) one.done += static_cast<size_t>(moved);
  if (moved <= 0) pause_briefly();
  return one.done == one.bytes.size();
}

Transfer begun(const Operation &operation) {
  Transfer one{operation, std::vector<char>(sizeof(size_t) + operation.bytes)};
  if (!operation.sends) return one;
  std::memcpy(one.bytes.data(), &operation.bytes, sizeof(size_t));
  call_driver<void *, unsigned long long, size_t, CUstream>("cuMemcpyDtoHAsync_v2", one.bytes.data() + sizeof(size_t),
                                                            operation.data, operation.bytes, operation.stream);
  call_driver("cuStreamSynchronize", operation.stream);
  return one;
}

void ended(ncclComm &comm, const Transfer &one) {
  const Operation &operation = one.operation;
  (operation.sends ? comm.sent : comm.received) += operation.bytes;
  if (operation.sends) return;
  size_t bytes = 0;
  std::memcpy(&bytes, one.bytes.data(), sizeof bytes);
  require(bytes == operation.bytes, "a message has another size than its receive");
  call_driver<unsigned long long, const void *, size_t, CUstream>(
      "cuMemcpyHtoDAsync_v2", operation.data, one.bytes.data() + sizeof(size_t), operation.bytes, operation.stream);
  call_driver("cuStreamSynchronize", operation.stream);
}

// The operations of one group: those with one peer, in one direction, in their order, and all others at once.
void move(ncclComm &comm, const std::vector<Operation> &operations) {
  std::map<std::pair<int, bool>, std::deque<Transfer>> queues;
  for (const Operation &one : operations) queues[{one.peer, one.sends}].push_back(begun(one));
  while (!queues.empty() && !comm.aborted) {
    for (auto queue = queues.begin(); queue != queues.end();) {
      Transfer &first = queue->second.front();
      if (advance(comm.sockets[static_cast<size_t>(queue->first.first)], first)) {
        ended(comm, first);
        queue->second.pop_front();
      }
      queue = queue->second.empty() ? queues.erase(queue) : std::next(queue);
    }
  }
  if (!comm.aborted) comm.state = ncclSuccess;
}

// ---- Sums and products of all ranks

// What a rank gets from each peer, and adds in the order of ranks from the last one to the first, which is no order of
// the library under test: an order that no caller may rely on.
template <class T>
void combine(std::vector<char> &into, const std::vector<char> &other, bool is_sum) {
  for (size_t at = 0; at < into.size(); at += sizeof(T)) {
    T a, b;
    std::memcpy(&a, into.data() + at, sizeof a);
    std::memcpy(&b, other.data() + at, sizeof b);
    a = is_sum ? b + a : b * a;
    std::memcpy(into.data() + at, &a, sizeof a);
  }
}

void reduce_all(ncclComm &comm, uintptr_t from, uintptr_t to, size_t bytes, bool is_double, bool is_sum,
                CUstream stream) {
  const Transfer own = begun({true, from, bytes, comm.rank, stream});
  std::vector<Transfer> transfers;
  for (int r = 0; r < comm.ranks; ++r) {
    if (r == comm.rank) continue;
    transfers.push_back({{true, 0, bytes, r, stream}, own.bytes});
    transfers.push_back({{false, 0, bytes, r, stream}, std::vector<char>(sizeof(size_t) + bytes)});
  }
  for (bool done = false; !done && !comm.aborted;) {
    done = true;
    for (Transfer &one : transfers)
      if (one.done != one.bytes.size()) done &= advance(comm.sockets[static_cast<size_t>(one.operation.peer)], one);
  }
  if (comm.aborted) return;
  std::vector<std::vector<char>> arrays(static_cast<size_t>(comm.ranks));
  arrays[static_cast<size_t>(comm.rank)].assign(own.bytes.begin() + sizeof(size_t), own.bytes.end());
  for (const Transfer &one : transfers) {
    (one.operation.sends ? comm.sent : comm.received) += bytes;
    if (one.operation.sends) continue;
    size_t theirs = 0;
    std::memcpy(&theirs, one.bytes.data(), sizeof theirs);
    require(theirs == bytes, "ranks reduce arrays of different sizes");
    arrays[static_cast<size_t>(one.operation.peer)].assign(one.bytes.begin() + sizeof(size_t), one.bytes.end());
  }
  std::vector<char> result = arrays.back();
  for (size_t r = arrays.size() - 1; r-- > 0;)
    is_double ? combine<double>(result, arrays[r], is_sum) : combine<float>(result, arrays[r], is_sum);
  call_driver<unsigned long long, const void *, size_t, CUstream>("cuMemcpyHtoDAsync_v2", to, result.data(), bytes,
                                                                  stream);
  call_driver("cuStreamSynchronize", stream);
  comm.state = ncclSuccess;
}

// ---- Groups

thread_local int depth = 0;
thread_local bool group_failed = false;  // one of its calls has: it does nothing
thread_local std::vector<Operation> group;
thread_local ncclComm_t group_comm = nullptr;

ncclResult_t add(const char *name, const Operation &operation, ncclDataType_t type, ncclComm_t comm) {
  if (fails_now(name)) {
    group_failed = true;
    return kUnhandledCudaError;
  }
  require(comm && depth > 0, "a message is outside of a group");
  require(!group_comm || group_comm == comm, "a group is of several communicators");
  require(comm->state != ncclInProgress, "the communicator is still at work");
  require(type == ncclUint8 && operation.data && operation.bytes, "a message is of no bytes");
  require(operation.peer >= 0 && operation.peer < comm->ranks && operation.peer != comm->rank, "there is no such peer");
  group_comm = comm;
  group.push_back(operation);
  return ncclSuccess;
}

void end_group(ncclComm &comm, const std::vector<Operation> &operations) {
  const std::string stall = setting_of("FAKE_NCCL_STALL");
  ++comm.groups;
  const bool stalls = !stall.empty() && comm.groups >= std::atoi(stall.c_str()), fails = fails_now("async");
  comm.begin([&comm, operations, stalls, fails] {
    if (fails)
      comm.state = kRemoteError;
    else if (!stalls)
      move(comm, operations);
  });
}

}  // namespace

ncclResult_t ncclGetVersion(int *version) {
  const std::string given = setting_of("FAKE_NCCL_VERSION");
  *version = given.empty() ? 21805 : std::atoi(given.c_str());
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  if (fails_now("ncclGetUniqueId")) return kUnhandledCudaError;
  const std::string base = setting_of("TMPDIR");
  std::string folder = (base.empty() || base.size() > 60 ? "/tmp" : base) + "/fake-nccl-XXXXXX";
  require(mkdtemp(folder.data()), "there is no folder for sockets");
  std::memset(id->internal, 0, sizeof id->internal);
  std::memcpy(id->internal, folder.c_str(), folder.size());
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t *config) {
  if (fails_now("ncclCommInitRankConfig")) return kUnhandledCudaError;
  require(config->size >= 24 && config->magic == 0xcafebeef && config->version >= 21400, "the configuration is none");
  require(config->blocking == 0, "the communicator would block");
  require(ranks > 0 && rank >= 0 && rank < ranks, "there is no such rank");
  auto made = std::make_unique<ncclComm>();
  made->rank = rank;
  made->ranks = ranks;
  made->folder = id.internal;
  made->context = current_context();
  made->sockets.assign(static_cast<size_t>(ranks), -1);
  *comm = made.release();
  (*comm)->begin([one = *comm] { connect_all(*one); });
  return ncclInProgress;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *state) {
  if (fails_now("ncclCommGetAsyncError")) return kUnhandledCudaError;
  *state = static_cast<ncclResult_t>(comm->state.load());
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  comm->aborted = true;
  if (comm->worker.joinable()) comm->worker.join();
  for (const int one : comm->sockets)
    if (one >= 0) close(one);
  if (const std::string trace = setting_of("FAKE_NCCL_TRACE"); !trace.empty()) {
    const int file = open(trace.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    dprintf(file, "%d %zu %zu\n", comm->rank, comm->sent, comm->received);
    close(file);
  }
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  if (fails_now("ncclGroupStart")) return kUnhandledCudaError;
  ++depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  require(depth == 1, "a group ends that has not begun");
  --depth;
  const std::vector<Operation> operations = std::exchange(group, {});
  const ncclComm_t comm = std::exchange(group_comm, nullptr);
  if (std::exchange(group_failed, false) || fails_now("ncclGroupEnd")) return kUnhandledCudaError;
  if (!comm) return ncclSuccess;
  end_group(*comm, operations);
  return ncclInProgress;
}

ncclResult_t ncclSend(const void *data, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, CUstream stream) {
  return add("ncclSend", {true, reinterpret_cast<uintptr_t>(data), count, peer, stream}, type, comm);
}

ncclResult_t ncclRecv(void *data, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, CUstream stream) {
  return add("ncclRecv", {false, reinterpret_cast<uintptr_t>(data), count, peer, stream}, type, comm);
}

ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t comm, CUstream stream) {
  if (fails_now("ncclAllReduce")) return kUnhandledCudaError;
  require(depth == 0 && comm && comm->state != ncclInProgress, "the communicator is still at work");
  require(from && to && count, "nothing is reduced");
  require(type == ncclFloat32 || type == ncclFloat64, "the fake has no such reduction");
  const bool is_double = type == ncclFloat64, is_sum = op == ncclSum;
  const size_t bytes = count * (is_double ? sizeof(double) : sizeof(float));
  comm->begin([=] {
    reduce_all(*comm, reinterpret_cast<uintptr_t>(from), reinterpret_cast<uintptr_t>(to), bytes, is_double, is_sum,
               stream);
  });
  return ncclInProgress;
}

const char *ncclGetErrorString(ncclResult_t result) {
  switch (int{result}) {
    case 0:
      return "no error";
    case 1:
      return "unhandled cuda error";
    case 6:
      return "remote process exited or there was a network error";
    default:
      return "another error";
  }
}

const char *ncclGetLastError(ncclComm_t) { return "a fault was injected"; }

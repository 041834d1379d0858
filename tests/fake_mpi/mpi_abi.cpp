// tests/fake_mpi/mpi_abi.cpp -- a libmpi_abi.so.1, with the handles and constants of MPI 5's ABI (MPI 5.0, chapter 20
// and appendix A), which passes every call on to the library of the launcher that has started the process: libmpi.so.40
// of Open MPI, or MPICH's libmpi.so.12 or libmpich.so.12. It has the functions that libgpuopt_mpi uses.
//
// It is strict: a process that passes what the ABI does not have prints it, and ends with status 96. Settings:
//   FAKE_MPI_ABI    the version of the ABI that it says it has (1)
//   FAKE_MPI_FAIL   "3": from the third one on MPI_Isend goes to a rank that there is not, which the library finds
//   FAKE_MPI_STOP   "1": the process of this rank stops in MPI_Iallreduce, by SIGSTOP
//   FAKE_MPI_TRACE  a file to which "rank messages" is added at MPI_Finalize: how many this process has sent
#include <dlfcn.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>

namespace {

// ---- MPI 5's ABI

using Handle = void *;
struct Status {
  int source, tag, error, internal[5];
};
using Handler = void(Handle *, int *, ...);

constexpr uintptr_t kSum = 0x21, kProd = 0x24, kWorld = 0x101, kNoHandler = 0x140, kFatal = 0x141, kAbort = 0x142,
                    kReturn = 0x143, kNoRequest = 0x180, kFloat = 0x210, kDouble = 0x214, kByte = 0x247;
constexpr uintptr_t kLastConstant = 0xfff;  // handles of objects that were made are greater
constexpr int kAnySource = -1, kAnyTag = -2, kTagLimit = 501, kThreadLevel = 1024;
const void *const kInPlace = reinterpret_cast<const void *>(1);

[[noreturn]] void violation(const std::string &rule) {
  std::fprintf(stderr, "fake MPI: %s\n", rule.c_str());
  _exit(96);
}

const char *setting_of(const char *name) {
  const char *const value = std::getenv(name);
  return value ? value : "";
}

void *library() {
  static void *const opened = [] {
    // What the library itself calls is its own, and not what has the same name here.
    constexpr int mode = RTLD_NOW | RTLD_GLOBAL | RTLD_DEEPBIND;
    const bool is_open_mpi = *setting_of("OMPI_COMM_WORLD_SIZE") != '\0';
    void *handle = dlopen(is_open_mpi ? "libmpi.so.40" : "libmpi.so.12", mode);
    if (!handle && !is_open_mpi) handle = dlopen("libmpich.so.12", mode);
    if (!handle) violation(dlerror());
    return handle;
  }();
  return opened;
}

void *found(const char *name) {
  void *const symbol = dlsym(library(), name);
  if (!symbol) violation(std::string("the library has no ") + name);
  return symbol;
}

// Calls a function of the library, whose parameters have the types of these arguments.
template <class... Arguments>
int call(const char *name, Arguments... arguments) {
  return reinterpret_cast<int (*)(Arguments...)>(found(name))(arguments...);
}

// ---- The two libraries: their handles for those of the standard

struct OpenMpi {
  using Own = void *;
  struct Status {
    int source, tag, error;
    int rest[3];  // cancelled, and a number of bytes
  };
  static constexpr int any_source = -1, any_tag = -1, tag_limit = 0;
  static const void *in_place() { return kInPlace; }
  static Status *ignored() { return nullptr; }
  static Own constant(uintptr_t standard) {
    return standard == kSum         ? found("ompi_mpi_op_sum")
           : standard == kProd      ? found("ompi_mpi_op_prod")
           : standard == kWorld     ? found("ompi_mpi_comm_world")
           : standard == kNoHandler ? found("ompi_mpi_errhandler_null")
           : standard == kFatal     ? found("ompi_mpi_errors_are_fatal")
           : standard == kAbort     ? found("ompi_mpi_errors_are_fatal")  // older ones do not tell them apart
           : standard == kReturn    ? found("ompi_mpi_errors_return")
           : standard == kNoRequest ? found("ompi_request_null")
           : standard == kFloat     ? found("ompi_mpi_float")
           : standard == kDouble    ? found("ompi_mpi_double")
           : standard == kByte      ? found("ompi_mpi_byte")
                                    : nullptr;
  }
  static void *pointer_of(Own own) { return own; }
  static Own own_of(void *pointer) { return pointer; }
};
static_assert(sizeof(OpenMpi::Status) == 24);

struct Mpich {
  using Own = int;
  struct Status {
    int rest[2];  // a number of bytes, and cancelled
    int source, tag, error;
  };
  static constexpr int any_source = -2, any_tag = -1, tag_limit = 0x64400001;
  static const void *in_place() { return reinterpret_cast<const void *>(-1); }
  static Status *ignored() { return reinterpret_cast<Status *>(1); }
  static Own constant(uintptr_t standard) {
    return standard == kSum         ? 0x58000003
           : standard == kProd      ? 0x58000004
           : standard == kWorld     ? 0x44000000
           : standard == kNoHandler ? 0x14000000
           : standard == kFatal     ? 0x54000000
           : standard == kAbort     ? 0x54000000
           : standard == kReturn    ? 0x54000001
           : standard == kNoRequest ? 0x2c000000
           : standard == kFloat     ? 0x4c00040a
           : standard == kDouble    ? 0x4c00080b
           : standard == kByte      ? 0x4c00010d
                                    : 0;
  }
  static void *pointer_of(Own own) { return reinterpret_cast<void *>(uintptr_t{static_cast<unsigned>(own)}); }
  static Own own_of(void *pointer) { return static_cast<int>(reinterpret_cast<uintptr_t>(pointer)); }
};
static_assert(sizeof(Mpich::Status) == 20);

// ---- What they have in common

int sent = 0;
Handler *handler = nullptr;  // that of the program; it is taken for all that it makes

// The functions, passed on to one of the libraries.
template <class Library>
struct Through {
  using Own = typename Library::Own;
  using Theirs = typename Library::Status;

  static Own own_of(Handle handle) {
    const auto value = reinterpret_cast<uintptr_t>(handle);
    if (value > kLastConstant) return Library::own_of(handle);
    const Own own = Library::constant(value);
    if (!own) violation("no handle of MPI 5's: " + std::to_string(value));
    return own;
  }
  static Handle handle_of(Own own, uintptr_t none) {
    return own == Library::constant(none) ? reinterpret_cast<Handle>(none) : Library::pointer_of(own);
  }
  static void store(const Theirs &theirs, Status *status) {
    *status = {theirs.source, theirs.tag, theirs.error, {}};
    std::memcpy(status->internal, theirs.rest, sizeof theirs.rest);
  }

  static int comm_dup(Handle comm, Handle *made) {
    Own own{};
    const int code = call("MPI_Comm_dup", own_of(comm), &own);
    *made = Library::pointer_of(own);
    return code;
  }
  static int comm_free(Handle *comm) {
    Own own = own_of(*comm);
    return call("MPI_Comm_free", &own);
  }
  static int comm_number(const char *name, Handle comm, int *number) { return call(name, own_of(comm), number); }

  static void handle_error(Own *comm, int *code, ...) {
    Handle handle = Library::pointer_of(*comm);
    handler(&handle, code);
  }
  static int create_handler(Handler *given, Handle *made) {
    handler = given;
    Own own{};
    const int code = call("MPI_Comm_create_errhandler", &handle_error, &own);
    *made = Library::pointer_of(own);
    return code;
  }
  static int set_handler(Handle comm, Handle one) { return call("MPI_Comm_set_errhandler", own_of(comm), own_of(one)); }
  static int free_handler(Handle *one) {
    Own own = own_of(*one);
    const int code = call("MPI_Errhandler_free", &own);
    *one = handle_of(own, kNoHandler);
    return code;
  }
  static int attribute(Handle comm, int key, void *value, int *flag) {
    if (key != kTagLimit) violation("no attribute that is known: " + std::to_string(key));
    return call("MPI_Comm_get_attr", own_of(comm), int{Library::tag_limit}, value, flag);
  }

  static int isend(const void *data, int count, Handle type, int to, int tag, Handle comm, Handle *request) {
    if (to < 0 || tag < 0) violation("no rank or tag to send to");
    const int failing = std::atoi(setting_of("FAKE_MPI_FAIL"));
    if (++sent >= failing && failing) to = 1 << 20;
    Own own{};
    const int code = call("MPI_Isend", data, count, own_of(type), to, tag, own_of(comm), &own);
    *request = handle_of(own, kNoRequest);
    return code;
  }
  static int irecv(void *data, int count, Handle type, int from, int tag, Handle comm, Handle *request) {
    Own own{};
    const int code = call("MPI_Irecv", data, count, own_of(type), source_of(from), tag_of(tag), own_of(comm), &own);
    *request = handle_of(own, kNoRequest);
    return code;
  }
  static int source_of(int source) {
    if (source < kAnySource) violation("no rank to receive from: " + std::to_string(source));
    return source == kAnySource ? Library::any_source : source;
  }
  static int tag_of(int tag) {
    if (tag < 0 && tag != kAnyTag) violation("no tag: " + std::to_string(tag));
    return tag == kAnyTag ? Library::any_tag : tag;
  }
  static int test(Handle *request, int *flag, Status *status) {
    Own own = own_of(*request);
    Theirs theirs{};
    const int code = call("MPI_Test", &own, flag, status ? &theirs : Library::ignored());
    *request = handle_of(own, kNoRequest);
    if (status && *flag) store(theirs, status);
    return code;
  }
  static int iprobe(int from, int tag, Handle comm, int *flag, Status *status) {
    Theirs theirs{};
    const int code = call("MPI_Iprobe", source_of(from), tag_of(tag), own_of(comm), flag, &theirs);
    if (status && *flag) store(theirs, status);
    return code;
  }
  static int iallreduce(const void *data, void *result, int count, Handle type, Handle op, Handle comm,
                        Handle *request) {
    if (const char *const stops = setting_of("FAKE_MPI_STOP"); *stops) {
      int rank = 0;
      comm_number("MPI_Comm_rank", comm, &rank);
      if (rank == std::atoi(stops)) std::raise(SIGSTOP);
    }
    Own own{};
    const int code = call("MPI_Iallreduce", data == kInPlace ? Library::in_place() : data, result, count, own_of(type),
                          own_of(op), own_of(comm), &own);
    *request = handle_of(own, kNoRequest);
    return code;
  }
  static int get_count(const Status *status, Handle type, int *count) {
    Theirs theirs{};
    theirs.source = status->source;
    theirs.tag = status->tag;
    std::memcpy(theirs.rest, status->internal, sizeof theirs.rest);
    const Theirs *const given = &theirs;
    return call("MPI_Get_count", given, own_of(type), count);
  }
  static int finalize() {
    if (const char *const trace = setting_of("FAKE_MPI_TRACE"); *trace) {
      int rank = 0;
      comm_number("MPI_Comm_rank", reinterpret_cast<Handle>(kWorld), &rank);
      std::FILE *const file = std::fopen(trace, "a");
      if (!file) violation("FAKE_MPI_TRACE cannot be written");
      std::fprintf(file, "%d %d\n", rank, sent);
      std::fclose(file);
    }
    return call("MPI_Finalize");
  }
};

// Passes a function on to the library that there is.
template <class Function>
int through(Function function) {
  static const bool is_open_mpi = dlsym(library(), "ompi_mpi_comm_world");
  return is_open_mpi ? function(Through<OpenMpi>()) : function(Through<Mpich>());
}

}  // namespace

#define FAKE_MPI extern "C" __attribute__((visibility("default"))) int

FAKE_MPI MPI_Abi_get_version(int *major, int *minor) {
  const char *const given = setting_of("FAKE_MPI_ABI");
  *major = *given ? std::atoi(given) : 1;
  *minor = 0;
  return 0;
}
FAKE_MPI MPI_Initialized(int *flag) { return call("MPI_Initialized", flag); }
FAKE_MPI MPI_Finalized(int *flag) { return call("MPI_Finalized", flag); }
FAKE_MPI MPI_Init_thread(int *argc, char ***argv, int wanted, int *got) {
  if (wanted < 0 || wanted % kThreadLevel || wanted > 4 * kThreadLevel) violation("no level of threads");
  const int code = call("MPI_Init_thread", argc, argv, wanted / kThreadLevel, got);
  *got *= kThreadLevel;
  return code;
}
FAKE_MPI MPI_Finalize() {
  return through([](auto to) { return to.finalize(); });
}
FAKE_MPI MPI_Comm_dup(Handle comm, Handle *made) {
  return through([&](auto to) { return to.comm_dup(comm, made); });
}
FAKE_MPI MPI_Comm_free(Handle *comm) {
  return through([&](auto to) { return to.comm_free(comm); });
}
FAKE_MPI MPI_Comm_rank(Handle comm, int *rank) {
  return through([&](auto to) { return to.comm_number("MPI_Comm_rank", comm, rank); });
}
FAKE_MPI MPI_Comm_size(Handle comm, int *size) {
  return through([&](auto to) { return to.comm_number("MPI_Comm_size", comm, size); });
}
FAKE_MPI MPI_Comm_create_errhandler(Handler *given, Handle *made) {
  return through([&](auto to) { return to.create_handler(given, made); });
}
FAKE_MPI MPI_Comm_set_errhandler(Handle comm, Handle one) {
  return through([&](auto to) { return to.set_handler(comm, one); });
}
FAKE_MPI MPI_Errhandler_free(Handle *one) {
  return through([&](auto to) { return to.free_handler(one); });
}
FAKE_MPI MPI_Comm_get_attr(Handle comm, int key, void *value, int *flag) {
  return through([&](auto to) { return to.attribute(comm, key, value, flag); });
}
FAKE_MPI MPI_Isend(const void *data, int count, Handle type, int to, int tag, Handle comm, Handle *request) {
  return through([&](auto one) { return one.isend(data, count, type, to, tag, comm, request); });
}
FAKE_MPI MPI_Irecv(void *data, int count, Handle type, int from, int tag, Handle comm, Handle *request) {
  return through([&](auto to) { return to.irecv(data, count, type, from, tag, comm, request); });
}
FAKE_MPI MPI_Test(Handle *request, int *flag, Status *status) {
  return through([&](auto to) { return to.test(request, flag, status); });
}
FAKE_MPI MPI_Iprobe(int from, int tag, Handle comm, int *flag, Status *status) {
  return through([&](auto to) { return to.iprobe(from, tag, comm, flag, status); });
}
FAKE_MPI MPI_Iallreduce(const void *data, void *result, int count, Handle type, Handle op, Handle comm,
                        Handle *request) {
  return through([&](auto to) { return to.iallreduce(data, result, count, type, op, comm, request); });
}
FAKE_MPI MPI_Get_count(const Status *status, Handle type, int *count) {
  return through([&](auto to) { return to.get_count(status, type, count); });
}
FAKE_MPI MPI_Error_string(int code, char *text, int *length) { return call("MPI_Error_string", code, text, length); }

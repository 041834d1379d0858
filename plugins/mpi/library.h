// plugins/mpi/library.h -- the MPI library of this process: which one it is, and its functions.
//
// Open MPI and MPICH have the same functions and other types: Open MPI's handles are pointers to objects that the
// library exports, MPICH's (and Intel's and MVAPICH's, which share its ABI) are numbers. What is written here are these
// two ABIs, of libmpi.so.40 and libmpi.so.12, and that of the standard itself (MPI 5.0, chapter 20), of libmpi_abi.so,
// whose handles are constants. Which one a library has is known before any function of it is called that
// takes a handle.
#pragma once

#include <gpuopt/gpuopt_comm_plugin.h>

#include <cstddef>
#include <string>

#include "plugins/shared/host/barrier.h"

namespace gpuopt::mpi {

enum class Family { kOpenMpi, kMpich, kStandard };

// A loaded MPI library; never unloaded.
struct Library {
  void *handle = nullptr;
  Family family = Family::kOpenMpi;
  std::string name;  // the file, as it was asked for
};

// Returns the library: that which is in the process already, else GPUOPT_MPI, else that of the launcher which has
// started the process, else the first that is installed. Throws ERR_UNAVAILABLE if there is none.
const Library &mpi_library();
// Returns whether the program itself has initialized an MPI library.
bool is_in_use();
// Returns a function of the library. Throws ERR_UNAVAILABLE if it has none of this name.
void *symbol_of(const Library &library, const char *name);
// The same for an object. A program that is linked with the library may have a copy of it (the linker's copy
// relocations), which then is the one that the library itself uses.
void *object_of(const Library &library, const char *name);

struct OpenMpi {
  using Comm = void *;
  using Datatype = void *;
  using Request = void *;
  using Handler = void *;
  using Op = void *;
  struct Status {
    int source, tag, error, cancelled;
    size_t count;
  };
  static constexpr int any_source = -1, any_tag = -1, tag_limit = 0, serialized = 2;
  static Comm world(const Library &library) { return object_of(library, "ompi_mpi_comm_world"); }
  static Datatype byte(const Library &library) { return object_of(library, "ompi_mpi_byte"); }
  static Datatype float32(const Library &library) { return object_of(library, "ompi_mpi_float"); }
  static Datatype float64(const Library &library) { return object_of(library, "ompi_mpi_double"); }
  static Op sum(const Library &library) { return object_of(library, "ompi_mpi_op_sum"); }
  static Op product(const Library &library) { return object_of(library, "ompi_mpi_op_prod"); }
  static const void *in_place() { return reinterpret_cast<const void *>(1); }
  static Status *ignored() { return nullptr; }
};
static_assert(sizeof(OpenMpi::Status) == 24);

struct Mpich {
  using Comm = int;
  using Datatype = int;
  using Request = int;
  using Handler = int;
  using Op = int;
  struct Status {
    int count_low, count_high_and_cancelled, source, tag, error;
  };
  static constexpr int any_source = -2, any_tag = -1, tag_limit = 0x64400001, serialized = 2;
  static Comm world(const Library &) { return 0x44000000; }
  static Datatype byte(const Library &) { return 0x4c00010d; }
  static Datatype float32(const Library &) { return 0x4c00040a; }
  static Datatype float64(const Library &) { return 0x4c00080b; }
  static Op sum(const Library &) { return 0x58000003; }
  static Op product(const Library &) { return 0x58000004; }
  static const void *in_place() { return reinterpret_cast<const void *>(-1); }
  static Status *ignored() { return reinterpret_cast<Status *>(1); }
};
static_assert(sizeof(Mpich::Status) == 20);

struct Standard {
  using Comm = void *;
  using Datatype = void *;
  using Request = void *;
  using Handler = void *;
  using Op = void *;
  struct Status {
    int source, tag, error, internal[5];
  };
  static constexpr int any_source = -1, any_tag = -2, tag_limit = 501, serialized = 2048;
  static Comm world(const Library &) { return reinterpret_cast<Comm>(0x101); }
  static Datatype byte(const Library &) { return reinterpret_cast<Datatype>(0x247); }
  static Datatype float32(const Library &) { return reinterpret_cast<Datatype>(0x210); }
  static Datatype float64(const Library &) { return reinterpret_cast<Datatype>(0x214); }
  static Op sum(const Library &) { return reinterpret_cast<Op>(0x21); }
  static Op product(const Library &) { return reinterpret_cast<Op>(0x24); }
  static const void *in_place() { return reinterpret_cast<const void *>(1); }
  static Status *ignored() { return nullptr; }
};
static_assert(sizeof(Standard::Status) == 32);

// The name of a family in messages.
const char *name_of(Family family);

// The functions that are used, with the types of one ABI.
template <class Abi>
struct Functions {
  explicit Functions(const Library &library);
  using Comm = typename Abi::Comm;
  using Datatype = typename Abi::Datatype;
  using Request = typename Abi::Request;
  using Handler = typename Abi::Handler;
  using Status = typename Abi::Status;
  int (*Initialized)(int *);
  int (*Finalized)(int *);
  int (*Init_thread)(int *, char ***, int, int *);
  int (*Finalize)();
  int (*Comm_dup)(Comm, Comm *);
  int (*Comm_free)(Comm *);
  int (*Comm_rank)(Comm, int *);
  int (*Comm_size)(Comm, int *);
  int (*Comm_create_errhandler)(void (*)(Comm *, int *, ...), Handler *);
  int (*Comm_set_errhandler)(Comm, Handler);
  int (*Errhandler_free)(Handler *);
  int (*Comm_get_attr)(Comm, int, void *, int *);
  int (*Isend)(const void *, int, Datatype, int, int, Comm, Request *);
  int (*Irecv)(void *, int, Datatype, int, int, Comm, Request *);
  int (*Test)(Request *, int *, Status *);
  int (*Iprobe)(int, int, Comm, int *, Status *);
  int (*Iallreduce)(const void *, void *, int, Datatype, typename Abi::Op, Comm, Request *);
  int (*Get_count)(const Status *, Datatype, int *);
  int (*Error_string)(int, char *, int *);
};

template <class Abi>
Functions<Abi>::Functions(const Library &library) {
  const auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol_of(library, name));
  };
  find(Initialized, "MPI_Initialized");
  find(Finalized, "MPI_Finalized");
  find(Init_thread, "MPI_Init_thread");
  find(Finalize, "MPI_Finalize");
  find(Comm_dup, "MPI_Comm_dup");
  find(Comm_free, "MPI_Comm_free");
  find(Comm_rank, "MPI_Comm_rank");
  find(Comm_size, "MPI_Comm_size");
  find(Comm_create_errhandler, "MPI_Comm_create_errhandler");
  find(Comm_set_errhandler, "MPI_Comm_set_errhandler");
  find(Errhandler_free, "MPI_Errhandler_free");
  find(Comm_get_attr, "MPI_Comm_get_attr");
  find(Isend, "MPI_Isend");
  find(Irecv, "MPI_Irecv");
  find(Test, "MPI_Test");
  find(Iprobe, "MPI_Iprobe");
  find(Iallreduce, "MPI_Iallreduce");
  find(Get_count, "MPI_Get_count");
  find(Error_string, "MPI_Error_string");
}

}  // namespace gpuopt::mpi

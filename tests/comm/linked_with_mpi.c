/* tests/comm/linked_with_mpi.c -- a program that is linked with Open MPI and has initialized it. Compiled as programs
 * are by default on some systems, without -fPIC, it has a copy of the library's object for all ranks, which the library
 * then uses itself (a copy relocation). What is declared here is of Open MPI's ABI, so that no header of it is needed.
 */
#include <gpuopt/gpuopt.h>
#include <stdio.h>

extern char ompi_mpi_comm_world[];
int MPI_Init(int *argc, char ***argv);
int MPI_Comm_rank(void *comm, int *rank);
int MPI_Comm_size(void *comm, int *size);
int MPI_Comm_split(void *comm, int color, int key, void **result);
int MPI_Comm_free(void **comm);
int MPI_Finalize(void);

/* A group of a communicator of the program's own, in which the ranks are the other way round. */
static int check_own(int rank, int size) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_comm_options options = {0};
  gpuopt_comm comm = NULL;
  void *turned = NULL;
  if (MPI_Comm_split(ompi_mpi_comm_world, 0, -rank, &turned)) return 2;
  options.struct_size = sizeof options;
  options.native = &turned;
  if (gpuopt_comm_init("mpi", &options, &comm, &error) || MPI_Comm_free(&turned) || /* the group has a copy */
      gpuopt_comm_barrier(comm, &error) || gpuopt_comm_size(comm) != size ||
      gpuopt_comm_rank(comm) != size - 1 - rank) {
    fprintf(stderr, "a communicator of the program's: rank %d: %s\n", gpuopt_comm_rank(comm), error.message);
    return 1;
  }
  gpuopt_comm_release(comm);
  return 0;
}

int main(int argc, char **argv) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_comm comm = NULL;
  int rank = 0, size = 0;
  if (MPI_Init(&argc, &argv) || MPI_Comm_rank(ompi_mpi_comm_world, &rank)) return 2;
  if (MPI_Comm_size(ompi_mpi_comm_world, &size)) return 2;
  if (gpuopt_comm_init("mpi", NULL, &comm, &error) || gpuopt_comm_barrier(comm, &error) ||
      gpuopt_comm_size(comm) != size) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  gpuopt_comm_release(comm);
  if (check_own(rank, size)) return 1;
  return MPI_Finalize();
}

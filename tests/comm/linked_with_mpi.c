/* tests/comm/linked_with_mpi.c -- a program that is linked with Open MPI and has initialized it. Compiled as programs
 * are by default on some systems, without -fPIC, it has a copy of the library's object for all ranks, which the library
 * then uses itself (a copy relocation). What is declared here is of Open MPI's ABI, so that no header of it is needed.
 */
#include <gpuopt/gpuopt.h>
#include <stdio.h>

extern char ompi_mpi_comm_world[];
int MPI_Init(int *argc, char ***argv);
int MPI_Comm_size(void *comm, int *size);
int MPI_Finalize(void);

int main(int argc, char **argv) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_comm comm = NULL;
  int size = 0;
  if (MPI_Init(&argc, &argv) || MPI_Comm_size(ompi_mpi_comm_world, &size)) return 2;
  if (gpuopt_comm_init("mpi", NULL, &comm, &error) || gpuopt_comm_barrier(comm, &error) ||
      gpuopt_comm_size(comm) != size) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  gpuopt_comm_release(comm);
  return MPI_Finalize();
}

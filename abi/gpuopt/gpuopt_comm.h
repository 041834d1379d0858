/* abi/gpuopt/gpuopt_comm.h -- several processes that compute one result: groups of ranks, what they send each other and
 * what they compute together; part of gpuopt.h, which includes it.
 *
 * A job is a number of processes that a launcher has started (mpirun, gpuopt-run); each is a rank, from 0 to size - 1.
 * A process that no launcher has started is a job of one, in which every function below is a copy. Names and meanings
 * are those of MPI, on arrays. The ranks of a job may also be threads of one process, one for each of its devices
 * (gpuopt_comm_init_devices); what is said of processes below is then said of them.
 *
 * Functions on a group are collective, unless they say otherwise: every rank of the group calls the same functions in
 * the same order. They run at once: what is recorded for their arrays is computed first, and when they return the
 * result is there. Arrays may be on any device; they travel through host memory, except by "nccl" and
 * "threads", where all of a call are on their group's devices. A result is made on the device of the
 * rank's own array, or on the group's device where a rank gives none.
 *
 * `out` (NULL: none) is an array that gets the result, of its dtype (GPUOPT_ERR_TYPE) and shape (GPUOPT_ERR_SHAPE); it
 * may be the array that is given. *result then is a new reference to `out`; `result` may be NULL with it. A rank on
 * which a function has no result (a gather's, except on its root) gets NULL.
 *
 * Same bits. Reductions over ranks combine pairwise, in rounds, in the order of ranks, as the chunks of a sum are:
 * p[j] = combine(p[2j], p[2j+1]), an odd last one passing through. A result does not depend on what carries the
 * messages, on time, or on which device each rank has (but see GPUOPT_COMM_FAST). float16 and bfloat16 are combined in
 * float32 and rounded once.
 *
 * Errors. If the ranks' calls do not fit together (other functions, dtypes, shapes or roots), or one rank cannot take
 * part, all of them get GPUOPT_ERR_COMM, which names the rank and its reason, before anything is sent, and the group
 * stays usable; a rank that could not take part gets its own error. A rank that ends, or does not answer within the
 * time-out, is GPUOPT_ERR_COMM on the others; every later call on groups of this job fails at once with the same
 * message. A child of fork() has no group of its parent's (GPUOPT_ERR_FORKED).
 *
 * Threads. Calls on the groups of one job wait for each other, so that one thread should make them: a receive that
 * another thread of the same process is to send for waits until its time is over. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_COMM_H)
#define GPUOPT_COMM_H

/* A group of ranks. Reference-counted; this process leaves the job when it has released the last group of it. */
typedef struct gpuopt_comm_s *gpuopt_comm;

/* Whether gpuopt_comm_all_reduce() may leave sums and products of floats to MPI_Allreduce or ncclAllReduce, which add
 * in whatever order they like: the results then depend on the number of ranks, on the library and its version, on the
 * size of the array, and may differ from one run to the next; NaNs may get other bits. Without a flag
 * GPUOPT_COMM_REDUCE says (exact or fast; exact if it is not set). All ranks of a job have to say the same
 * (GPUOPT_ERR_COMM). */
#define GPUOPT_COMM_FAST 1u
#define GPUOPT_COMM_EXACT 2u

typedef struct gpuopt_comm_options {
  uint32_t struct_size, flags; /* flags: 0, GPUOPT_COMM_FAST or GPUOPT_COMM_EXACT */
  const void *next;
  gpuopt_device device; /* where arrays are made that come from other ranks alone, and whose memory "nccl" moves; NULL:
                         * the CPU */
  const void *native;   /* with "mpi": the address of an MPI_Comm, of which the group gets a copy; NULL: all of MPI */
  double timeout;       /* seconds without any progress after which a call gives up; 0: as GPUOPT_COMM_TIMEOUT says */
} gpuopt_comm_options;

/* Joins the job that this process belongs to, with all its ranks as one group. `request` names what carries messages:
 * "mpi", "nccl" (options->device is of CUDA), "ring" or the name of another communication plugin, whose file is looked
 * for where backends are (GPUOPT_ERR_UNAVAILABLE, with the reason); "self", a group of one; "auto", which takes the
 * plugin whose launcher has started this process, or else is "self". NULL is the value of GPUOPT_COMM, or "auto". Waits
 * until all ranks have called it. `options` may be NULL. */
GPUOPT_CALL gpuopt_comm_init(const char *request, const gpuopt_comm_options *options, gpuopt_comm *comm,
                             gpuopt_error *error);

/* Makes a job whose ranks are threads of this process, which needs no launcher and no plugin: `count` ranks, rank r
 * with devices[r], which may be of several backends, and of which several ranks may have the same one; `devices` NULL:
 * all have the CPU. results[r] gets the group as rank r sees it (as ncclCommInitAll() does). The caller starts the
 * threads; each makes the calls of one rank, and none those of another. An array that ranks share may be read by all
 * of them. A rank that forks while others wait for it in a call is held up: a fork waits for the calls of other
 * threads. Arrays on the group's devices are copied from one device to the other by the backend, if both are of one
 * that can (CUDA: peer to peer), else through host memory. options->device and options->native are NULL. A count below
 * 1 is GPUOPT_ERR_INVALID_ARGUMENT, one above 1024 GPUOPT_ERR_UNSUPPORTED. */
GPUOPT_CALL gpuopt_comm_init_devices(int32_t count, const gpuopt_device *devices, const gpuopt_comm_options *options,
                                     gpuopt_comm *results, gpuopt_error *error);
/* What a rank does. The group is the caller's until it returns. Fills the error struct if it fails; does not throw. */
typedef gpuopt_status (*gpuopt_rank_function)(gpuopt_comm comm, void *context, gpuopt_error *error);
/* Makes such a job, calls the function once for each rank, each in a thread of its own, rank 0 in the calling one, and
 * returns when all have ended. If the function of a rank fails, the rank gives up (gpuopt_comm_give_up) with the
 * message it has left, so that no other one waits for it; the call then fails as the first rank that failed, whose
 * number begins the message. */
GPUOPT_CALL gpuopt_comm_run_devices(int32_t count, const gpuopt_device *devices, const gpuopt_comm_options *options,
                                    gpuopt_rank_function function, void *context, gpuopt_error *error);
/* Tells the other ranks of the job that this one cannot go on, and why (NULL: no reason): calls in which they wait, and
 * all that they make later, fail with GPUOPT_ERR_COMM, "rank <r> has given up: <why>", and so do this rank's. For a
 * program that fails between two calls on the group. Not collective; waits for no other rank. Does nothing if the job
 * has failed before, or has one rank. */
GPUOPT_CALL gpuopt_comm_give_up(gpuopt_comm comm, const char *why, gpuopt_error *error);
GPUOPT_API void gpuopt_comm_retain(gpuopt_comm comm);
/* Not collective. NULL is allowed. */
GPUOPT_API void gpuopt_comm_release(gpuopt_comm comm);
/* This process's number in the group, and how many there are. Not collective. 0 for NULL. */
GPUOPT_API int32_t gpuopt_comm_rank(gpuopt_comm comm);
GPUOPT_API int32_t gpuopt_comm_size(gpuopt_comm comm);
/* What carries the messages: "self", "ring", "mpi", "nccl", "threads"; "" for NULL. Not collective. Lives as long as
 * the group. */
GPUOPT_API const char *gpuopt_comm_name(gpuopt_comm comm);

/* What this process has sent and received in the job since it joined, on all groups: what the calls need to agree
 * counts, what a plugin sends of its own does not. An array of more than 2^30 bytes is several messages. Counters are
 * read while no call on the job's groups runs; a job of one sends nothing. */
typedef struct gpuopt_comm_traffic {
  uint32_t struct_size, reserved;
  uint64_t rounds; /* exchanges of messages, each of which waits for its peers */
  uint64_t messages_sent, messages_received;
  uint64_t bytes_sent, bytes_received;
} gpuopt_comm_traffic;
/* Not collective. Waits for the calls of other threads. */
GPUOPT_CALL gpuopt_comm_get_traffic(gpuopt_comm comm, gpuopt_comm_traffic *traffic, gpuopt_error *error);
/* What each communication plugin that is known, or lies where backends are looked for, says: a line for each. Connects
 * to nothing. Not collective. Free *report with gpuopt_string_free. */
GPUOPT_CALL gpuopt_comm_report(char **report, gpuopt_error *error);
/* A group for each `color`, of the ranks that give it, in the order of `key` and then of their ranks. A rank with a
 * negative color is in none and gets NULL. At most 4095 groups of a job can contain one rank at a time
 * (GPUOPT_ERR_UNSUPPORTED). MPI_Comm_split. */
GPUOPT_CALL gpuopt_comm_split(gpuopt_comm comm, int32_t color, int32_t key, gpuopt_comm *result, gpuopt_error *error);
/* Returns when every rank has called it. */
GPUOPT_CALL gpuopt_comm_barrier(gpuopt_comm comm, gpuopt_error *error);

/* x of all ranks, which have one shape and dtype, combined element by element, on every rank. `reduction` is
 * GPUOPT_REDUCTION_sum, prod, min, max, any or all (GPUOPT_ERR_INVALID_ARGUMENT). The dtype is x's, except that sums
 * and products of bool are int64, and any and all, of any dtype, give bool. Integers wrap. NaN is the least and the
 * greatest. min and max of complex numbers are GPUOPT_ERR_TYPE. In a job with GPUOPT_COMM_FAST sums of float32, float64
 * and complex numbers, and products of float32 and float64 (by "nccl" of 16-bit floats, too), over all ranks of the job
 * are left to the library that carries the messages, where that is MPI, or NCCL with all arrays on their groups'
 * devices. Everything else, and all functions on shards, keep their order. */
GPUOPT_CALL gpuopt_comm_all_reduce(gpuopt_comm comm, gpuopt_array x, gpuopt_reduction reduction, gpuopt_array out,
                                   gpuopt_array *result, gpuopt_error *error);
/* The same on rank `root` alone. */
GPUOPT_CALL gpuopt_comm_reduce(gpuopt_comm comm, gpuopt_array x, gpuopt_reduction reduction, int32_t root,
                               gpuopt_array out, gpuopt_array *result, gpuopt_error *error);
/* The same, of which each rank gets its part along axis 0: of n rows, n / size each, and the first n % size ranks one
 * more, as numpy.array_split. x without dimensions is GPUOPT_ERR_SHAPE. */
GPUOPT_CALL gpuopt_comm_reduce_scatter(gpuopt_comm comm, gpuopt_array x, gpuopt_reduction reduction, gpuopt_array out,
                                       gpuopt_array *result, gpuopt_error *error);

/* x of rank `root` on every rank. On the others x may be NULL, and does not count otherwise. */
GPUOPT_CALL gpuopt_comm_broadcast(gpuopt_comm comm, gpuopt_array x, int32_t root, gpuopt_array out,
                                  gpuopt_array *result, gpuopt_error *error);
/* The ranks' arrays joined along axis 0, in the order of ranks, on every rank. Arrays without dimensions are one row.
 * All have one dtype and, behind axis 0, one shape. */
GPUOPT_CALL gpuopt_comm_all_gather(gpuopt_comm comm, gpuopt_array x, gpuopt_array out, gpuopt_array *result,
                                   gpuopt_error *error);
/* The same on rank `root` alone. */
GPUOPT_CALL gpuopt_comm_gather(gpuopt_comm comm, gpuopt_array x, int32_t root, gpuopt_array out, gpuopt_array *result,
                               gpuopt_error *error);
/* The parts of x of rank `root` along axis 0, one for each rank, cut as by gpuopt_comm_reduce_scatter(). On the others
 * x may be NULL, and does not count otherwise. */
GPUOPT_CALL gpuopt_comm_scatter(gpuopt_comm comm, gpuopt_array x, int32_t root, gpuopt_array out, gpuopt_array *result,
                                gpuopt_error *error);
/* Each rank cuts its x along axis 0 as above and sends part r to rank r; the result is what it got, joined along axis 0
 * in the order of ranks. All have one dtype and, behind axis 0, one shape; the numbers of rows may differ. */
GPUOPT_CALL gpuopt_comm_all_to_all(gpuopt_comm comm, gpuopt_array x, gpuopt_array out, gpuopt_array *result,
                                   gpuopt_error *error);

/* Sends x to rank `destination`, which has to receive it; not collective. Returns when x may be written again, which
 * need not be before it is received. Tags are from 0 to 32767 (GPUOPT_ERR_INVALID_ARGUMENT) and tell messages between
 * two ranks apart; those of one tag arrive in order. A rank may send to itself. */
GPUOPT_CALL gpuopt_comm_send(gpuopt_comm comm, gpuopt_array x, int32_t destination, int32_t tag, gpuopt_error *error);
/* The next array from rank `source` with this tag; not collective. If `out` does not fit, the array is kept for the
 * next receive. */
GPUOPT_CALL gpuopt_comm_recv(gpuopt_comm comm, int32_t source, int32_t tag, gpuopt_array out, gpuopt_array *result,
                             gpuopt_error *error);
/* Sends x (NULL: nothing) to rank `destination` while it receives from rank `source` (negative: from nobody, and
 * *result is NULL); not collective. For shifts and halos, in which both ends do so at once. */
GPUOPT_CALL gpuopt_comm_send_recv(gpuopt_comm comm, gpuopt_array x, int32_t destination, int32_t source, int32_t tag,
                                  gpuopt_array out, gpuopt_array *result, gpuopt_error *error);

#endif

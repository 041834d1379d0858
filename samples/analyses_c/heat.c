/* samples/analyses_c/heat.c -- the heat equation on a plate whose rows are shared out among the processes of a job, in
 * C.
 *
 * The program of samples/heat/heat.cpp, which explains it; it prints the same, for any number of ranks.
 *
 * usage: heat_c [ROWS [STEPS]]       one process
 *        gpuopt-run -n 4 heat_c      four of this machine; mpirun -n 4 heat_c: as many as MPI has */
#include "analysis.h"

static gpuopt_array numbers_from(gpuopt_device device, int64_t first, int64_t count, double middle) {
  const gpuopt_array numbers =
      NEW(gpuopt_arange, device, GPUOPT_FLOAT64, gpuopt_scalar_int(0), gpuopt_scalar_int(count), gpuopt_scalar_int(1));
  return NEW(gpuopt_subtract, NEW(gpuopt_add, numbers, num((double)first)), num(middle));
}

/* A warm spot, seen by its rows from `first` on. */
static gpuopt_array spot(gpuopt_device device, int64_t rows, int64_t columns, int64_t first, int64_t count) {
  const size_t here = enter();
  const gpuopt_array down = NEW(gpuopt_expand_dims, numbers_from(device, first, count, (double)rows / 3), 1);
  const gpuopt_array across = numbers_from(device, 0, columns, (double)columns / 2);
  const gpuopt_array squares = NEW(gpuopt_add, NEW(gpuopt_multiply, down, down), NEW(gpuopt_multiply, across, across));
  const gpuopt_array power = NEW(gpuopt_divide, NEW(gpuopt_negative, squares), num(50));
  return leave(here, NEW(gpuopt_multiply, num(100), NEW(gpuopt_exp, power)));
}

static gpuopt_array rows_of(gpuopt_array x, int64_t from, int64_t to) {
  return NEW(gpuopt_slice, x, GPUOPT_ITEMS(gpuopt_slice_of(from, to)));
}

/* This rank's rows between those of its neighbours; at the ends of the plate there are zeros. */
static gpuopt_array with_neighbours(gpuopt_comm comm, gpuopt_array u) {
  const int64_t n = gpuopt_array_shape(u)[0], around[] = {0, 0, 1, 1}, axis = 0;
  const int32_t above = gpuopt_comm_rank(comm) - 1, next = gpuopt_comm_rank(comm) + 1;
  const int32_t below = next < gpuopt_comm_size(comm) ? next : -1;
  const gpuopt_array first = rows_of(u, 0, 1), last = rows_of(u, n - 1, n);
  gpuopt_array rows[] = {NULL, u, NULL};
  check(gpuopt_comm_send_recv(comm, below < 0 ? NULL : last, below < 0 ? 0 : below, above, 1, NULL, &rows[0], &error));
  check(gpuopt_comm_send_recv(comm, above < 0 ? NULL : first, above < 0 ? 0 : above, below, 2, NULL, &rows[2], &error));
  for (int i = 0; i < 3; i += 2)
    if (rows[i])
      keep(rows[i]);
    else
      rows[i] = NEW(gpuopt_zeros_like, first, 0);
  return NEW(gpuopt_pad, NEW(gpuopt_concat, 3, rows, &axis), around, GPUOPT_PAD_CONSTANT, gpuopt_scalar_real(0));
}

/* The neighbours of each element, that many rows and columns away. */
static gpuopt_array shifted(gpuopt_array x, int64_t i, int64_t j) {
  const int64_t m = gpuopt_array_shape(x)[0] - 2, n = gpuopt_array_shape(x)[1] - 2;
  return NEW(gpuopt_slice, x, GPUOPT_ITEMS(gpuopt_slice_of(i, m + i), gpuopt_slice_of(j, n + j)));
}

static gpuopt_array step(gpuopt_comm comm, gpuopt_array u) {
  const gpuopt_array x = with_neighbours(comm, u);
  const gpuopt_array sides = NEW(gpuopt_add, shifted(x, 0, 1), shifted(x, 2, 1));
  const gpuopt_array around = NEW(gpuopt_add, NEW(gpuopt_add, sides, shifted(x, 1, 0)), shifted(x, 1, 2));
  const gpuopt_array rest = NEW(gpuopt_subtract, around, NEW(gpuopt_multiply, num(4), u));
  return NEW(gpuopt_add, u, NEW(gpuopt_multiply, num(0.2), rest));
}

/* What changes most, on any rank: the same number on all of them. */
static double largest_change(gpuopt_comm comm, gpuopt_array u, gpuopt_array next) {
  const gpuopt_array change = NEW(gpuopt_max, NEW(gpuopt_abs, NEW(gpuopt_subtract, next, u)), NULL);
  return number_in(NEW(gpuopt_comm_all_reduce, comm, change, GPUOPT_REDUCTION_max, NULL));
}

static void run_steps(gpuopt_comm comm, gpuopt_array u, int steps) {
  for (int i = 1; i <= steps; ++i) {
    const size_t here = enter();
    const gpuopt_array next = step(comm, u);
    const double change = largest_change(comm, u, next);
    if (gpuopt_comm_rank(comm) == 0 && i % (steps / 4 > 0 ? steps / 4 : 1) == 0)
      printf("step %d: the largest change is %.17g\n", i, change);
    u = leave(here, next);
  }
  gpuopt_array plate = NULL;
  check(gpuopt_comm_gather(comm, u, 0, NULL, &plate, &error));
  if (!plate) return; /* rank 0 alone has it */
  keep(plate);
  printf("heat on the plate: %.17g, at most %.17g\n", number_in(NEW(gpuopt_sum, plate, NULL)),
         number_in(NEW(gpuopt_max, plate, NULL)));
}

static void run(int64_t rows, int steps) {
  gpuopt_device device = NULL;
  gpuopt_comm comm = NULL;
  gpuopt_comm_options options = {0};
  check(gpuopt_device_open(NULL, NULL, &device, &error)); /* what GPUOPT_BACKEND says; each rank may have another */
  options.struct_size = sizeof options;
  options.device = device;
  check(gpuopt_comm_init(NULL, &options, &comm, &error)); /* the job that a launcher has started, or this process */
  const int64_t n = gpuopt_comm_size(comm), r = gpuopt_comm_rank(comm), more = rows % n;
  if (rows < n) stop("there are fewer rows than processes");
  const int64_t first = r * (rows / n) + (r < more ? r : more), count = rows / n + (r < more ? 1 : 0);
  run_steps(comm, spot(device, rows, 64, first, count), steps);
  leave(0, NULL);
  gpuopt_comm_release(comm);
  gpuopt_device_release(device);
}

int main(int argc, char **argv) {
  program = "heat_c";
  run(argc > 1 ? atoll(argv[1]) : 96, argc > 2 ? atoi(argv[2]) : 40);
  return 0;
}

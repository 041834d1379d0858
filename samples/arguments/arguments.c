/* samples/arguments/arguments.c -- indices, shapes and lists of arrays in C, without structs filled in by hand.
 *
 * Each call is commented by what it is in NumPy. See gpuopt_make.h. */
#include <gpuopt/gpuopt.h>
#include <stdio.h>
#include <stdlib.h>

static gpuopt_error error = GPUOPT_ERROR_INIT;

static void check(gpuopt_status status) {
  if (status == GPUOPT_OK) return;
  fprintf(stderr, "arguments: %s\n", error.message);
  exit(1);
}

/* Prints an array in one line and gives its reference back. */
static void show(const char *what, gpuopt_array x) {
  char *text = NULL;
  check(gpuopt_array_to_string(x, NULL, &text, &error));
  for (char *c = text; *c; ++c)
    if (*c == '\n') *c = ' ';
  printf("%-24s %s\n", what, text);
  gpuopt_string_free(text);
  gpuopt_array_release(x);
}

static gpuopt_array counted(gpuopt_device device) { /* np.arange(12).reshape(3, 4) */
  gpuopt_array line = NULL, x = NULL;
  check(gpuopt_arange(device, GPUOPT_INT64, gpuopt_scalar_int(0), gpuopt_scalar_int(12), gpuopt_scalar_int(1), &line,
                      &error));
  check(gpuopt_reshape(line, GPUOPT_SHAPE(3, 4), GPUOPT_COPY_IF_NEEDED, &x, &error));
  gpuopt_array_release(line);
  return x;
}

static void show_views(gpuopt_array x) {
  gpuopt_array y = NULL;
  check(gpuopt_slice(x, GPUOPT_ITEMS(gpuopt_item_integer(-1)), &y, &error));
  show("x[-1]", y);
  check(gpuopt_slice(x, GPUOPT_ITEMS(gpuopt_slice_of(0, 2), gpuopt_slice_from(2)), &y, &error));
  show("x[0:2, 2:]", y);
  check(gpuopt_view(x, &y, &error, gpuopt_item_ellipsis(), gpuopt_slice_every(-2)));
  show("x[..., ::-2]", y);
  check(gpuopt_view(x, &y, &error, gpuopt_slice_to(1), gpuopt_slice_step(3, 0, -1)));
  show("x[:1, 3:0:-1]", y);
  check(gpuopt_view(x, &y, &error, gpuopt_slice_all(), gpuopt_item_newaxis(), gpuopt_item_integer(0)));
  show("x[:, None, 0]", y);
}

static void show_lists(gpuopt_device device, gpuopt_array x) {
  gpuopt_array rows = NULL, first = NULL, last = NULL, y = NULL;
  const int64_t picked[] = {2, 0};
  check(gpuopt_array_from(device, picked, GPUOPT_INT64, GPUOPT_SHAPE(2), &rows, &error));
  check(gpuopt_get(x, GPUOPT_ITEMS(gpuopt_item_array(), gpuopt_slice_to(2)), GPUOPT_ARRAYS(rows), &y, &error));
  show("x[[2, 0], :2]", y);
  check(gpuopt_view(x, &first, &error, gpuopt_item_integer(0)));
  check(gpuopt_view(x, &last, &error, gpuopt_item_integer(2)));
  check(gpuopt_stack_of(1, &y, &error, first, last));
  show("stack([x[0], x[2]], 1)", y);
  check(gpuopt_concat_of(0, &y, &error, first, last, first));
  show("concatenate([...])", y);
  check(gpuopt_einsum_of("i,i->", &y, &error, first, last));
  check(gpuopt_eval_of(&error, y, x));
  show("einsum('i,i->', ...)", y);
  gpuopt_array_release(rows);
  gpuopt_array_release(first);
  gpuopt_array_release(last);
}

int main(int argc, char **argv) {
  gpuopt_device device = NULL;
  gpuopt_array y = NULL;
  check(gpuopt_device_open(argc > 1 ? argv[1] : "cuda", NULL, &device, &error));
  gpuopt_array x = counted(device);
  show_views(x);
  show_lists(device, x);
  check(gpuopt_sum(x, GPUOPT_AXES(0), &y, &error));
  show("x.sum(0)", y);
  check(gpuopt_full_of(device, GPUOPT_FLOAT32, gpuopt_scalar_real(2.5), &y, &error, 2, 2));
  show("full((2, 2), 2.5)", y);
  check(gpuopt_zeros(device, GPUOPT_FLOAT32, GPUOPT_SHAPE_OF_0D, &y, &error));
  show("zeros(())", y);
  gpuopt_array_release(x);
  gpuopt_device_release(device);
  return 0;
}

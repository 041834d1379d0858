// tests/fault/exit_library.cpp -- a library whose static object uses arrays when it is destroyed: see at_exit.cpp.

extern "C" {
__attribute__((visibility("default"))) void (*gpuopt_test_at_exit)(const char *) = nullptr;
}

namespace {

struct Object {
  ~Object() {
    if (gpuopt_test_at_exit) gpuopt_test_at_exit("static object of a library");
  }
};
const Object object;

}  // namespace

/* tests/plugin_test/vendor.c -- a library that is named as a GPU vendor's. */
int gpuopt_test_vendor(void);
int gpuopt_test_vendor(void) { return 0; }

// tests/fuzz/targets/seed_library.c -- the smallest library with a plugin's exported function, a seed for the check of
// plugin files. Nothing calls it.
int gpuopt_plugin_query_v1(const void *host, void *description);
int gpuopt_plugin_query_v1(const void *host, void *description) { return host == description; }

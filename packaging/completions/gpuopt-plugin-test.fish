# packaging/completions/gpuopt-plugin-test.fish -- completion of gpuopt-plugin-test in fish.
function __gpuopt_plugin_test_dtypes
    string split ' ' 'bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16' \
        'float32 float64 complex64 complex128'
end
complete -c gpuopt-plugin-test -f -k -a '(__fish_complete_suffix .so)'
complete -c gpuopt-plugin-test -l json -d 'print one JSON object'
complete -c gpuopt-plugin-test -l comm -d 'a communication plugin'
complete -c gpuopt-plugin-test -l backend -r -k -a '(__fish_complete_suffix .so)' \
    -d 'the backend whose devices its ranks have'
complete -c gpuopt-plugin-test -l launch -x -d 'what starts its jobs'
complete -c gpuopt-plugin-test -l only -x -d 'of the last phase, only these rules'
complete -c gpuopt-plugin-test -l dtypes -x -a '(__fish_complete_list , __gpuopt_plugin_test_dtypes)' \
    -d 'of the last phase, only these dtypes'
complete -c gpuopt-plugin-test -l timeout -x -d 'how long the plugin may be silent'
complete -c gpuopt-plugin-test -l help -d 'print help'
complete -c gpuopt-plugin-test -l version -d 'print the version of the library'

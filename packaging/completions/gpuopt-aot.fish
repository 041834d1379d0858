# packaging/completions/gpuopt-aot.fish -- completion of gpuopt-aot in fish.
complete -c gpuopt-aot -l output -r -d 'the bundle to make'
complete -c gpuopt-aot -l record -r -d 'keep what the program used in a file'
complete -c gpuopt-aot -l from -r -d 'compile what is recorded in a file'
complete -c gpuopt-aot -l list -r -d 'print what is in a bundle'
complete -c gpuopt-aot -l json -d 'with --list, print one JSON object'
complete -c gpuopt-aot -l help -d 'print help'
complete -c gpuopt-aot -l version -d 'print the version of the library'

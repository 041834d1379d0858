# packaging/completions/gpuopt-run.fish -- completion of gpuopt-run in fish.
complete -c gpuopt-run -s n -l ranks -x -d 'how many processes'
complete -c gpuopt-run -l label -d 'begin each line of output with its rank'
complete -c gpuopt-run -l output -r -d 'write the output of each rank to a file there'
complete -c gpuopt-run -l grace -x -d 'how long the others may go on after one has failed'
complete -c gpuopt-run -l help -d 'print help'
complete -c gpuopt-run -l version -d 'print the version'

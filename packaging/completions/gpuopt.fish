# packaging/completions/gpuopt.fish -- completion of the gpuopt command in fish.
function __gpuopt_reasons
    gpuopt doctor --explain all 2>/dev/null | string match -rg '^([A-Z_]+): '
end
function __gpuopt_dtypes
    string split ' ' 'bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16' \
        'float32 float64 complex64 complex128'
end
complete -c gpuopt -f
complete -c gpuopt -n __fish_use_subcommand -l help -d 'print help'
complete -c gpuopt -n __fish_use_subcommand -l version -d 'print the version of the library'
complete -c gpuopt -n __fish_use_subcommand -a info -d 'what is installed here'
complete -c gpuopt -n __fish_use_subcommand -a doctor -d 'is the best hardware present used, and if not, what to do'
complete -c gpuopt -n __fish_use_subcommand -a bench -d 'from which size on a device is faster than the CPU'
complete -c gpuopt -n __fish_use_subcommand -a cache -d 'the compiled kernels kept on disk'
complete -c gpuopt -n __fish_use_subcommand -a npy -d 'files of arrays'
complete -c gpuopt -n __fish_use_subcommand -a help -d 'about a command or the settings'
complete -c gpuopt -n 'not __fish_use_subcommand' -l json -d 'print one JSON object'
complete -c gpuopt -n 'not __fish_use_subcommand' -l help -d 'print help'
complete -c gpuopt -n '__fish_seen_subcommand_from doctor' -l explain -x -a 'all (__gpuopt_reasons)' \
    -d 'what a reason code means'
complete -c gpuopt -n '__fish_seen_subcommand_from bench' -l quick -d 'fewer and shorter samples'
complete -c gpuopt -n '__fish_seen_subcommand_from bench' -l max -x -d 'the most elements'
complete -c gpuopt -n '__fish_seen_subcommand_from bench' -l devices -x -a 'cpu cuda cpu,cuda' -d 'the devices'
complete -c gpuopt -n '__fish_seen_subcommand_from cache' -a 'path list size verify prune clear'
complete -c gpuopt -n '__fish_seen_subcommand_from cache' -l dir -x -a '(__fish_complete_directories)' \
    -d 'that directory'
complete -c gpuopt -n '__fish_seen_subcommand_from prune' -l max-bytes -x -d 'leave at most this many'
complete -c gpuopt -n '__fish_seen_subcommand_from npy; and not __fish_seen_subcommand_from show convert diff' \
    -a 'show convert diff'
complete -c gpuopt -n '__fish_seen_subcommand_from show convert diff' -F
complete -c gpuopt -n '__fish_seen_subcommand_from show' -l stats -d 'statistics'
complete -c gpuopt -n '__fish_seen_subcommand_from show convert' -l member -x -d 'only this array'
complete -c gpuopt -n '__fish_seen_subcommand_from convert' -l dtype -x -a '(__gpuopt_dtypes)' \
    -d 'convert to this dtype'
complete -c gpuopt -n '__fish_seen_subcommand_from convert' -l skip-lines -x -d 'lines of text files to leave out'
complete -c gpuopt -n '__fish_seen_subcommand_from convert' -l compress -d deflate
complete -c gpuopt -n '__fish_seen_subcommand_from diff' -l rtol -x -d 'relative tolerance'
complete -c gpuopt -n '__fish_seen_subcommand_from diff' -l atol -x -d 'absolute tolerance'
complete -c gpuopt -n '__fish_seen_subcommand_from help' -a 'info doctor bench cache npy environment'

# packaging/completions/gpuopt-aot.bash -- completion of gpuopt-aot in bash.
_gpuopt_aot() {
  local current=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "--output --record --from --list --json --help --version" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -o filenames -F _gpuopt_aot gpuopt-aot

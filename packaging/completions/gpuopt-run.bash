# packaging/completions/gpuopt-run.bash -- completion of gpuopt-run in bash.
_gpuopt_run() {
  local current=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "--ranks --label --output --grace --help --version" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -c -- "$current"; compgen -f -- "$current")
  fi
}
complete -o filenames -F _gpuopt_run gpuopt-run

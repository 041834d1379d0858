# packaging/completions/gpuopt-plugin-test.bash -- completion of gpuopt-plugin-test in bash.
_gpuopt_plugin_test() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} before=
  COMPREPLY=()
  case $previous in
    --dtypes)
      if [[ $current == *,* ]]; then before=${current%,*},; fi
      mapfile -t COMPREPLY \
        < <(compgen -P "$before" -W "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16
        float32 float64 complex64 complex128" -- "${current##*,}")
      return ;;
    --only | --timeout | --launch) return ;;
  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(
      compgen -W "--json --comm --backend --launch --only --dtypes --timeout --help --version" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -X '!*libgpuopt_*.so' -- "$current"; compgen -d -- "$current")
  fi
}
complete -o filenames -F _gpuopt_plugin_test gpuopt-plugin-test

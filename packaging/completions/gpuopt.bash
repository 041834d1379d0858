# packaging/completions/gpuopt.bash -- completion of the gpuopt command in bash.
_gpuopt() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  case $previous in
    --explain)
      mapfile -t COMPREPLY \
        < <(compgen -W "all $(gpuopt doctor --explain all 2>/dev/null |
          sed -n 's/^\([A-Z_]*\): .*/\1/p')" -- "$current")
      return ;;
    --dtype)
      mapfile -t COMPREPLY \
        < <(compgen -W "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64
        complex64 complex128" -- "$current")
      return ;;
    --devices)
      mapfile -t COMPREPLY < <(compgen -W "cpu cuda cpu,cuda cuda:0" -- "$current")
      return ;;
    --dir)
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      return ;;
    --max | --max-bytes | --member | --rtol | --atol) return ;;
  esac
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "info doctor bench cache npy help --help --version" -- "$current")
    return
  fi
  local words="--json --help"
  case $command in
    info) ;;
    doctor) words+=" --explain" ;;
    bench) words+=" --quick --max --devices" ;;
    cache)
      if [ "$COMP_CWORD" = 2 ]; then
        words="path list size verify prune clear --help"
      else
        words+=" --dir"
        if [ "${COMP_WORDS[2]}" = prune ]; then words+=" --max-bytes"; fi
      fi ;;
    npy)
      case ${COMP_WORDS[2]} in
        show) words+=" --stats --member" ;;
        convert) words+=" --dtype --member --skip-lines --compress" ;;
        diff) words+=" --rtol --atol" ;;
      esac
      if [ "$COMP_CWORD" = 2 ]; then words="show convert diff --help"; fi
      if [ "$COMP_CWORD" -gt 2 ] && [[ $current != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -f -X '!*.np[yz]' -- "$current"; compgen -d -- "$current")
        return
      fi ;;
    help) words="info doctor bench cache npy environment" ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o filenames -F _gpuopt gpuopt

# test [--all] [--suite NAME]… [--filter TEXT] [--list]: build and run the fast suites, with --all the long ones too
. tools/dev/suites.sh
all= filter= names=()
while [ $# -gt 0 ]; do
  case $1 in
    --all) all=yes ;;
    --suite) names+=("${2:?--suite needs a name}"); shift ;;
    --filter) filter=${2:?--filter needs a text}; shift ;;
    --list) suites_list; return 0 ;;
    *) fail "test knows --all, --suite NAME, --filter TEXT and --list, not '$1'" ;;
  esac
  shift
done
deps packages-test
[ ${#names[@]} -gt 0 ] || mapfile -t names < <(suites_names "$all")
WEIR_FILTER=$filter suites_run "${names[@]}"

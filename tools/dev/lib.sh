# Shared by the verbs and the suites: messages, packages, configure and build.
# Read, not run. The working directory is the root of the checkout.

WEIR_ROOT=$PWD
# One build tree serves `build`, `run` and the fast tests, so that what is tested is what is shipped
# and a fresh machine compiles everything once.
WEIR_PRESET=release
WEIR_BIN=$WEIR_ROOT/build/$WEIR_PRESET/weir

say() { printf '%s\n' "$*" >&2; }
fail() {
  say "dev: $*"
  exit 2
}

# Prints the lines of a package list that are not installed. `a | b` is satisfied by either.
packages_missing() {
  local installed line name found
  installed=$'\n'$(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' | sed -n 's/^ii //p')$'\n'
  while read -r line; do
    line=${line%%#*}
    [ -n "${line// /}" ] || continue
    found=
    for name in ${line//|/ }; do
      [[ $installed == *$'\n'"$name"$'\n'* ]] && found=yes
    done
    [ -n "$found" ] || printf '%s\n' "$line"
  done <"$1"
}

# The first alternative of a line that apt can offer.
package_choice() {
  local name
  for name in ${1//|/ }; do
    if apt-cache show "$name" >/dev/null 2>&1; then
      echo "$name"
      return
    fi
  done
  set -- $1
  echo "$1"
}

# Of each line that is not empty.
package_choices() {
  local line
  while read -r line; do
    [ -z "$line" ] || package_choice "$line"
  done <<<"$1"
}

# Installs what is missing from tools/dev/packages.txt, and from each further list named.
deps() {
  local list missing='' wanted=() root=()
  for list in packages "$@"; do
    missing+=$(packages_missing "tools/dev/$list.txt")$'\n'
  done
  [ -n "${missing//$'\n'/}" ] || return 0
  command -v apt-get >/dev/null || fail "apt-get is not here; install by hand:" $missing
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      fail "neither root nor sudo; have root install: apt-get install $(package_choices "$missing" | xargs)"
    fi
    root=(sudo)
  fi
  export DEBIAN_FRONTEND=noninteractive
  say "dev: installing" $missing
  "${root[@]}" apt-get -q -o DPkg::Lock::Timeout=600 update >&2 || fail "apt-get update failed"
  mapfile -t wanted < <(package_choices "$missing")
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 \
    install --no-install-recommends "${wanted[@]}" >&2 || fail "apt-get install failed"
}

# configure PRESET: once per build tree; later CMake re-runs itself when its inputs change.
configure() {
  local preset=$1
  if [ ! -f "build/$preset/build.ninja" ]; then
    cmake --preset "$preset" >&2 || exit 1
  fi
}

# build PRESET TARGET…; two in one build tree would spoil each other's records.
build() {
  local preset=$1
  shift
  mkdir -p build
  (
    flock --nonblock 9 || {
      say "dev: another ./dev builds here; waiting for it"
      flock 9
    }
    configure "$preset"
    cmake --build "build/$preset" --target "$@" >&2
  ) 9>"build/$preset.lock"
}

# Names of the programs whose sources match a suffix: programs _fuzz → the fuzz targets.
programs() {
  local file
  find src -name "*$1.cc" | sort | while read -r file; do basename "$file" .cc; done
}

# python_tests DIRECTORY PATTERN: for suites; the program is built only if there is a test that needs it.
python_tests() {
  if compgen -G "$1/$2" >/dev/null; then
    build "$WEIR_PRESET" weir
  fi
  python3 tools/dev/run_unittests.py "$1" "$2"
}

seconds_since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'; }

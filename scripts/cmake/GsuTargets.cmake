# gsu_library(name sources...): one static library per folder; include paths start at sc_model/ and tb/.
function(gsu_library name)
  add_library(${name} STATIC ${ARGN})
  gsu_target_settings(${name})
endfunction()

# gsu_linkable(target...): parts of libgsu.so. Hidden symbols cost nothing in position-independent code, and stay inside.
function(gsu_linkable)
  set_target_properties(${ARGN} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

function(gsu_target_settings name)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/sc_model> $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/tb>)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
    -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)  # assertions name files of the project, not of the build machine
  if(GSU_SANITIZE)
    target_compile_options(${name} PUBLIC -fsanitize=${GSU_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
    target_link_options(${name} PUBLIC -fsanitize=${GSU_SANITIZE})
  endif()
endfunction()

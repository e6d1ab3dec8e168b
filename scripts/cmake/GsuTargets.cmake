# gsu_together(target...): several files of the target are compiled together, because reading headers takes longer than compiling the files.
# -DGSU_TOGETHER=OFF compiles each file alone, for people who change one file after another.
option(GSU_TOGETHER "Compile several files of the libraries and programs at a time (half the build time)" ON)
function(gsu_together)
  set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ${GSU_TOGETHER} UNITY_BUILD_BATCH_SIZE 16)
endfunction()

# gsu_library(name sources...): one static library per folder. Its headers are named by their path below sc_model/ or tb/ ("exec/tensor/form.hpp"), and
# only targets that link it see them: the compiler enforces the layers.
function(gsu_library name)
  add_library(${name} STATIC ${ARGN})
  gsu_together(${name})
  gsu_target_settings(${name})
  gsu_root(${name})
  if(GSU_COVERAGE)  # the libraries alone: nobody asks what of a test was executed
    target_compile_options(${name} PRIVATE -O1 --coverage -fprofile-abs-path)
    target_link_options(${name} INTERFACE --coverage)
  endif()
endfunction()

# gsu_root(target): makes the current folder visible by that path (a link in the build folder) for the target and for targets that link it.
function(gsu_root name)
  file(RELATIVE_PATH place ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "^(sc_model|tb|tests)/" "" inside ${place})
  get_filename_component(above ${inside} DIRECTORY)
  string(MAKE_C_IDENTIFIER ${place} key)
  set(root ${CMAKE_BINARY_DIR}/roots/${key})
  file(MAKE_DIRECTORY ${root}/${above})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${inside} SYMBOLIC)
  get_target_property(kind ${name} TYPE)
  set(reach PUBLIC)
  if(kind STREQUAL EXECUTABLE)
    set(reach PRIVATE)
  endif()
  target_include_directories(${name} ${reach} $<BUILD_INTERFACE:${root}>)
  # Assertions in headers name "folder/x.hpp".
  target_compile_options(${name} ${reach} $<BUILD_INTERFACE:-ffile-prefix-map=${root}/=>)
endfunction()

# gsu_linkable(target...): parts of libgsu.so. Hidden symbols cost nothing in position-independent code, and are not exported.
function(gsu_linkable)
  set_target_properties(${ARGN} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# gsu_seldom(target...): at -O1, which compiles a quarter faster, what reads options or writes a text once in a run.
function(gsu_seldom)
  foreach(name ${ARGN})
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

function(gsu_target_settings name)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
    -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)  # assertions name files of the project, not of the build machine
  if(GSU_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  if(GSU_SANITIZE)
    target_compile_options(${name} PUBLIC -fsanitize=${GSU_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
    target_link_options(${name} PUBLIC -fsanitize=${GSU_SANITIZE})
  endif()
endfunction()

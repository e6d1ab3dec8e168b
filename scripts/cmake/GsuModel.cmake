# gsu_model_digest: an interface library whose header model_digest.hpp names what a model of another structure (gsu build) must be built from. It is
# written in each build, so that it matches the files that are compiled.
include(${CMAKE_CURRENT_LIST_DIR}/model_files.cmake)
model_files(files ${CMAKE_SOURCE_DIR})
set(tools "${GSU_VERILATOR_VERSION}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, ${CMAKE_SYSTEM_PROCESSOR}")
if(GSU_SANITIZE)
  string(APPEND tools ", ${GSU_SANITIZE}")
endif()
set(header ${CMAKE_BINARY_DIR}/model/model_digest.hpp)
add_custom_command(OUTPUT ${header} DEPENDS ${files} ${CMAKE_CURRENT_LIST_DIR}/model_digest.cmake ${CMAKE_CURRENT_LIST_DIR}/model_files.cmake
  COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} "-DTOOLS=${tools}" -DOUTPUT=${header} -P ${CMAKE_CURRENT_LIST_DIR}/model_digest.cmake
  COMMENT "Digest of the models" VERBATIM)
add_custom_target(gsu_model_header DEPENDS ${header})
add_library(gsu_model_digest INTERFACE)
target_include_directories(gsu_model_digest INTERFACE ${CMAKE_BINARY_DIR}/model)
add_dependencies(gsu_model_digest gsu_model_header)

# cmake -DROOT= -DTOOLS= -DOUTPUT= -P built_from.cmake: writes a header with what a program was built from, for `gsu --version`: the commit, where ROOT is
# the top of a git checkout, with a + for changes, and what translated it. Run in each build; the header changes only when that does.
set(commit "")
find_program(git git)
if(git)
  execute_process(COMMAND ${git} rev-parse --show-toplevel WORKING_DIRECTORY ${ROOT} OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH ${ROOT} root)
  if(top STREQUAL root)  # not that of a folder around it
    execute_process(COMMAND ${git} describe --always --dirty=+ --abbrev=9 --exclude=* WORKING_DIRECTORY ${ROOT} OUTPUT_VARIABLE commit
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
if(commit)
  set(commit "commit ${commit}, ")
endif()
set(text "#pragma once\n#define GSU_BUILT_FROM \"${commit}${TOOLS}\"\n")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()

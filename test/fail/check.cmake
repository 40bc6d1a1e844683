# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles FILE by COMMAND without CMERGE_FAIL, and with CMERGE_FAIL=1, 2 and so on; see
# CMakeLists.txt.

execute_process(COMMAND ${COMMAND} "${FILE}" RESULT_VARIABLE result ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "The file must compile without CMERGE_FAIL:\n${output}")
endif()

file(STRINGS "${FILE}" expected REGEX "^// error: ")
string(REPLACE "// error: " "" expected "${expected}")
file(STRINGS "${FILE}" mistakes REGEX "^// mistakes: ")
string(REPLACE "// mistakes: " "" mistakes "${mistakes}")
if(mistakes STREQUAL "")
  set(mistakes 1)
endif()
foreach(mistake RANGE 1 ${mistakes})
  execute_process(COMMAND ${COMMAND} -DCMERGE_FAIL=${mistake} "${FILE}"
    RESULT_VARIABLE result ERROR_VARIABLE output OUTPUT_VARIABLE output)
  if(result EQUAL 0)
    message(FATAL_ERROR "The file must not compile with CMERGE_FAIL=${mistake}.")
  endif()
  # nvcc breaks the line after "error:".
  if(NOT output MATCHES "error:?[^\n]*\n?[^\n]*")
    message(FATAL_ERROR "CMERGE_FAIL=${mistake}: the compiler failed without an error message:\n${output}")
  endif()
  set(first "${CMAKE_MATCH_0}")
  string(FIND "${first}" "${expected}" position)
  if(expected STREQUAL "" OR position EQUAL -1)
    message(FATAL_ERROR "CMERGE_FAIL=${mistake}: the first error must contain\n  ${expected}\n"
      "but is\n  ${first}\n\n${output}")
  endif()
  message("${first}")
endforeach()

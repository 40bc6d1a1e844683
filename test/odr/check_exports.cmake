# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fails where LIBRARY exports anything whose name contains `cmerge`, or, which would be an error of
# this check, not its one function. NM is the program of that name.

execute_process(COMMAND "${NM}" -D --defined-only -C "${LIBRARY}"
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES " T merge_[a-z0-9_]*\\(")
  message(FATAL_ERROR "${LIBRARY} does not export what it is made for:\n${symbols}")
endif()
string(REGEX MATCHALL "[^\n]*cmerge[^\n]*" found "${symbols}")
list(LENGTH found count)
if(count GREATER 0)
  list(JOIN found "\n" found)
  message(FATAL_ERROR "${LIBRARY} exports ${count} symbols of cmerge:\n${found}")
endif()

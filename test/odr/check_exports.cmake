# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fails if LIBRARY exports a name that contains `cmerge`. Also fails if it does not export its one
# function, since the check would then have read nothing. NM is the program `nm`.

execute_process(COMMAND "${NM}" -D --defined-only -C "${LIBRARY}"
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES " T merge_[a-z0-9_]*\\(")
  message(FATAL_ERROR "${LIBRARY} does not export its function:\n${symbols}")
endif()
string(REGEX MATCHALL "[^\n]*cmerge[^\n]*" found "${symbols}")
list(LENGTH found count)
if(count GREATER 0)
  list(JOIN found "\n" found)
  message(FATAL_ERROR "${LIBRARY} exports ${count} symbols of cmerge:\n${found}")
endif()

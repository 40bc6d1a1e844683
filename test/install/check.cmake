# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds and runs the consumer in WORK_DIR. consumer/CMakeLists.txt describes HOW and LANGUAGE. For
# find_package, cmerge is first installed from BUILD_DIR, and the installed copy is moved.

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "failed: ${command}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
file(MAKE_DIRECTORY "${WORK_DIR}")
if(HOW STREQUAL "find_package")
  run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${WORK_DIR}/first")
  file(RENAME "${WORK_DIR}/first" "${WORK_DIR}/moved")
elseif(HOW STREQUAL "FetchContent")
  # FetchContent copies the whole folder, so this one holds the files of a release only.
  file(COPY "${CMERGE_SOURCE_DIR}/CMakeLists.txt" "${CMERGE_SOURCE_DIR}/LICENSE"
    "${CMERGE_SOURCE_DIR}/cmerge" DESTINATION "${WORK_DIR}/source")
  set(CMERGE_SOURCE_DIR "${WORK_DIR}/source")
endif()

set(options "")
foreach(name IN ITEMS CMAKE_CXX_COMPILER CMAKE_CUDA_COMPILER CMAKE_CUDA_ARCHITECTURES
    CMERGE_THRUST_INCLUDE_DIR CMERGE_SOURCE_DIR HOW LANGUAGE VERSION)
  if(NOT "${${name}}" STREQUAL "")
    list(APPEND options "-D${name}=${${name}}")
  endif()
endforeach()
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/consumer" -B "${WORK_DIR}/build"
  -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${WORK_DIR}/moved" ${options})
run("${CMAKE_COMMAND}" --build "${WORK_DIR}/build")
run("${WORK_DIR}/build/consumer")

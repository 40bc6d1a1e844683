# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Defines cmerge::cmerge, for find_package(cmerge) and for add_subdirectory alike: the source tree
# and an installed copy use this one file. Enables no language and needs no CUDA toolkit.

if(TARGET cmerge::cmerge)
  return()
endif()

# The folder that holds cmerge/: above this file in the source tree; wherever the package was moved
# to in an installed copy.
find_path(_cmerge_include_dir cmerge/merge.h
  HINTS "${CMAKE_CURRENT_LIST_DIR}/../.." "${CMAKE_CURRENT_LIST_DIR}/../../../include"
  NO_DEFAULT_PATH NO_CACHE REQUIRED)
get_filename_component(_cmerge_include_dir "${_cmerge_include_dir}" ABSOLUTE)

# nvcc brings its own Thrust. Any other compiler is pointed to the folder that the user set, or to
# the CUDA toolkit's Thrust, or else to one by itself, as Linux distributions package it. What is
# found is not cached: the user's own setting must stay distinct from it.
set(_cmerge_cuda_include_dirs "")
if(CMAKE_CXX_COMPILER_LOADED OR CMAKE_C_COMPILER_LOADED)
  if(NOT CMERGE_THRUST_INCLUDE_DIR)
    find_package(CUDAToolkit QUIET)
    if(CUDAToolkit_FOUND)
      set(_cmerge_cuda_include_dirs ${CUDAToolkit_INCLUDE_DIRS})
    endif()
    find_path(CMERGE_THRUST_INCLUDE_DIR thrust/version.h
      HINTS ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES cccl NO_CACHE)
  endif()
  if(NOT CMERGE_THRUST_INCLUDE_DIR)
    set(cmerge_FOUND FALSE)
    set(cmerge_NOT_FOUND_MESSAGE "cmerge needs Thrust, and there is none here. Install a CUDA \
toolkit, or a package of Thrust (Debian and Ubuntu: libthrust-dev), or set \
CMERGE_THRUST_INCLUDE_DIR to the folder that holds thrust/.")
    return()
  endif()
endif()

# Imported, so that a project may install and export what links to it.
add_library(cmerge::cmerge INTERFACE IMPORTED GLOBAL)
target_compile_features(cmerge::cmerge INTERFACE cxx_std_17)
target_include_directories(cmerge::cmerge INTERFACE "${_cmerge_include_dir}")
if(CMERGE_THRUST_INCLUDE_DIR)
  target_include_directories(cmerge::cmerge SYSTEM INTERFACE
    "$<$<NOT:$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>>:${CMERGE_THRUST_INCLUDE_DIR};${_cmerge_cuda_include_dirs}>")
endif()

unset(_cmerge_cuda_include_dirs)
unset(_cmerge_include_dir)

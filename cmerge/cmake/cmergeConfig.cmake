# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Defines the target cmerge::cmerge, for find_package(cmerge) and for add_subdirectory. The source
# tree and an installed copy use the same file. It enables no language and needs no CUDA toolkit.

if(TARGET cmerge::cmerge)
  return()
endif()

# The folder that contains cmerge/. In the source tree it is above this file. In an installed copy it
# is relative to this file, so that the package can be moved.
find_path(_cmerge_include_dir cmerge/merge.h
  HINTS "${CMAKE_CURRENT_LIST_DIR}/../.." "${CMAKE_CURRENT_LIST_DIR}/../../../include"
  NO_DEFAULT_PATH NO_CACHE REQUIRED)
get_filename_component(_cmerge_include_dir "${_cmerge_include_dir}" ABSOLUTE)

# nvcc has its own Thrust. Any other compiler uses the folder that the user has set, otherwise the
# Thrust of the CUDA toolkit, otherwise a separate one, as in packages of Linux distributions. The
# result is not cached, because it must not be mistaken for the user's own setting.
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
    set(cmerge_NOT_FOUND_MESSAGE "cmerge needs Thrust, which was not found. Install a CUDA \
toolkit or a package of Thrust (libthrust-dev on Debian and Ubuntu), or set \
CMERGE_THRUST_INCLUDE_DIR to the folder that contains thrust/.")
    return()
  endif()
endif()

# Imported, so that a project can install and export targets that link to it.
add_library(cmerge::cmerge INTERFACE IMPORTED GLOBAL)
target_compile_features(cmerge::cmerge INTERFACE cxx_std_17)
target_include_directories(cmerge::cmerge INTERFACE "${_cmerge_include_dir}")
if(CMERGE_THRUST_INCLUDE_DIR)
  target_include_directories(cmerge::cmerge SYSTEM INTERFACE
    "$<$<NOT:$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>>:${CMERGE_THRUST_INCLUDE_DIR};${_cmerge_cuda_include_dirs}>")
endif()

unset(_cmerge_cuda_include_dirs)
unset(_cmerge_include_dir)

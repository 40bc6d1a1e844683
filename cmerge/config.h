// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Macros that all headers use: for host and device functions, for symbol visibility, and for the
// inline namespace of the version. Also selects Thrust's device system if CUDA is missing.
#pragma once

#include <cmerge/version.h>
#if defined(__CUDACC__)
#include <cmerge/detail/core/thrust_version.h>
#endif

// By default, Thrust's device system is CUDA. It then needs CUDA headers even for host policies.
// If there are none, the device system is plain C++.
#if !defined(THRUST_DEVICE_SYSTEM) && !defined(__CUDACC__) && !__has_include(<cuda_runtime_api.h>)
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#endif

// Everything is in an inline namespace whose name carries the version, v<CMERGE_VERSION>. Objects
// of two versions in one program therefore never share a function or a kernel.
//
// The namespace is hidden. Its functions, and templates of other libraries over its types, stay
// private to the binary that contains them. Two shared libraries in one program may differ in
// architecture or CUDA runtime. If one called the other's copy of a function, the call would fail
// or give a wrong result.
//
// CMERGE_VISIBLE marks types that users may keep in their exported classes. g++ would warn
// about hidden ones. Host functions of such a type are hidden one by one. Those of templates are
// [[gnu::always_inline]] instead, because nvcc warns about a hidden function whose template
// arguments are local to a file.
#if defined(__GNUC__)
#define CMERGE_HIDDEN __attribute__((visibility("hidden")))
#define CMERGE_VISIBLE __attribute__((visibility("default")))
#else  // Other compilers export nothing by default.
#define CMERGE_HIDDEN
#define CMERGE_VISIBLE
#endif
#define CMERGE_INLINE_NAMESPACE v100 CMERGE_HIDDEN

#if defined(__CUDACC__)
// Marks a function for host and device.
#define CMERGE_HOST_DEVICE __host__ __device__
// Precedes a template that calls a user's function object or iterator, which may exist on the host
// or on the device only. It turns off the compiler's warning about that.
#define CMERGE_EXEC_CHECK_DISABLE _Pragma("nv_exec_check_disable")
#else
#define CMERGE_HOST_DEVICE
#define CMERGE_EXEC_CHECK_DISABLE
#endif

/// Stable merges of sorted ranges, on CUDA devices and on the host.
namespace cmerge {
/// The version of the library. The namespace is inline: write `cmerge::merge`.
inline namespace CMERGE_INLINE_NAMESPACE {}
}  // namespace cmerge

#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs missing packages on Debian or Ubuntu.
# usage: bash .ci/setup.sh [tests] [examples] [bench] [sanitizers] [lint] [docs]  (default: tests)
#
# Never prompts. Needs root or sudo only if a package is missing. Uses an existing CUDA toolkit but
# does not install one.
set -euo pipefail

packages=(g++ cmake ninja-build)
for part in "${@:-tests}"; do
  case "$part" in
    tests) packages+=(doctest-dev libtbb-dev python3) ;;
    examples) packages+=(libcli11-dev libtbb-dev wamerican wbritish) ;;
    bench) packages+=(libbenchmark-dev libtbb-dev) ;;
    sanitizers) packages+=(clang libclang-rt-dev libomp-dev) ;;
    lint) packages+=(clang-format clang-tidy git python3 shellcheck) ;;
    docs) packages+=(doxygen) ;;
    *)
      echo "setup: unknown part '$part'. Parts: tests examples bench sanitizers lint docs" >&2
      exit 2
      ;;
  esac
done

if command -v nvcc > /dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
  echo "setup: CUDA toolkit found"
else
  echo "setup: no CUDA toolkit; host code only, with Thrust from the package libthrust-dev"
  packages+=(libthrust-dev)
fi

# Succeeds if a package is installed, or its tool was installed in another way.
is_installed() {
  case "$1" in
    g++ | cmake | python3 | clang | clang-format | clang-tidy | git | shellcheck | doxygen)
      command -v "$1" > /dev/null && return
      ;;
    ninja-build) command -v ninja > /dev/null && return ;;
  esac
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: nothing to install"
  exit 0
fi
mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)
echo "setup: installing ${missing[*]}"

give_up() {
  echo "setup: $1. Please install these packages: ${missing[*]}" >&2
  exit 1
}
command -v apt-get > /dev/null || give_up "apt-get is missing"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  # -n fails instead of asking for a password.
  sudo -n true 2> /dev/null || give_up "installing needs root or passwordless sudo"
  as_root=(sudo -n)
fi
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
    "$@" < /dev/null
}
# On a fresh machine the package lists are empty or old.
apt update || echo "setup: apt-get update failed; using the existing package lists" >&2
# In older releases clang itself contains the sanitizers' runtime.
if ! apt-cache show libclang-rt-dev > /dev/null 2>&1; then
  mapfile -t missing < <(printf '%s\n' "${missing[@]}" | grep -vx libclang-rt-dev)
fi
[ ${#missing[@]} -gt 0 ] || exit 0
apt install --no-install-recommends "${missing[@]}" || give_up "apt-get install failed"

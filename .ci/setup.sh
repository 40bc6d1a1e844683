#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing on a Debian or Ubuntu machine.
# usage: bash .ci/setup.sh [tests] [examples] [bench] [sanitizers]      (nothing named: tests)
#
# Asks nothing. Needs root, or sudo, only where something is missing. A CUDA toolkit is used where
# there is one and never installed.
set -euo pipefail

packages=(g++ cmake ninja-build)
for part in "${@:-tests}"; do
  case "$part" in
    tests) packages+=(doctest-dev libtbb-dev python3) ;;
    examples) packages+=(libcli11-dev libtbb-dev wamerican wbritish) ;;
    bench) packages+=(libbenchmark-dev libtbb-dev) ;;
    sanitizers) packages+=(clang libclang-rt-dev libomp-dev) ;;
    *)
      echo "setup: unknown part '$part'; there are: tests examples bench sanitizers" >&2
      exit 2
      ;;
  esac
done

if command -v nvcc > /dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
  echo "setup: CUDA toolkit found"
else
  echo "setup: no CUDA toolkit: host only, with Thrust from the package libthrust-dev"
  packages+=(libthrust-dev)
fi

# A tool or header that is there in another way than as a package is as good.
is_there() {
  case "$1" in
    g++ | cmake | python3 | clang) command -v "$1" > /dev/null && return ;;
    ninja-build) command -v ninja > /dev/null && return ;;
  esac
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

missing=()
for package in "${packages[@]}"; do
  is_there "$package" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: nothing is missing"
  exit 0
fi
mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)
echo "setup: installing ${missing[*]}"

give_up() {
  echo "setup: $1. Please install these packages: ${missing[*]}" >&2
  exit 1
}
command -v apt-get > /dev/null || give_up "this machine has no apt-get"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  # -n: fail, do not ask for a password.
  sudo -n true 2> /dev/null || give_up "installing needs root, and sudo does not give it"
  as_root=(sudo -n)
fi
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
    "$@" < /dev/null
}
# A fresh machine's package lists are empty or old.
apt update || echo "setup: apt-get update failed; trying with the package lists that are there" >&2
# In older releases the runtime of the sanitizers and of libFuzzer comes with clang itself.
if ! apt-cache show libclang-rt-dev > /dev/null 2>&1; then
  mapfile -t missing < <(printf '%s\n' "${missing[@]}" | grep -vx libclang-rt-dev)
fi
[ ${#missing[@]} -gt 0 ] || exit 0
apt install --no-install-recommends "${missing[@]}" || give_up "apt-get install failed"

# SPDX-License-Identifier: MIT
# Debian's cross compiler, its programs run by qemu-user. QEMU_CPU in the environment chooses the CPU.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ppc64)
set(triple powerpc64-linux-gnu)
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_ASM_COMPILER ${triple}-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-ppc64 -L /usr/${triple})
set(CMAKE_FIND_ROOT_PATH /usr/${triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

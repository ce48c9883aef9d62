# SPDX-License-Identifier: MIT
# The part that is the same for Debian's cross compilers. Set before: triple, emulator, CMAKE_SYSTEM_PROCESSOR. QEMU_CPU in
# the environment chooses the CPU that programs run on.
#
# FASTCOPY_CROSS_ROOT: a folder with the libraries of fastcopy-tune for the target, as tests/cross_root.sh makes one.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_ASM_COMPILER ${triple}-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR ${emulator} -L /usr/${triple})
set(FASTCOPY_CROSS_ROOT "" CACHE PATH "Libraries of the target, for fastcopy-tune")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FASTCOPY_CROSS_ROOT)
set(CMAKE_FIND_ROOT_PATH /usr/${triple} ${FASTCOPY_CROSS_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE ${triple})
# packages of the target, never of this machine
set(ENV{PKG_CONFIG_LIBDIR} ${FASTCOPY_CROSS_ROOT}/usr/lib/${triple}/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${FASTCOPY_CROSS_ROOT})
if(FASTCOPY_CROSS_ROOT)
  set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,-rpath-link,${FASTCOPY_CROSS_ROOT}/usr/lib/${triple})
endif()

# SPDX-License-Identifier: MIT
# Three ABIs. The C library of each, and the version of its __chk_fail.
set(FASTCOPY_LIBC_SONAME libc.so.6)
if(CMAKE_SIZEOF_VOID_P EQUAL 8 AND CMAKE_C_BYTE_ORDER STREQUAL LITTLE_ENDIAN)
  set(FASTCOPY_LIBC_VERSION GLIBC_2.17)
else()
  set(FASTCOPY_LIBC_VERSION GLIBC_2.3.4)
endif()

# No vector register in early code, whatever CPU the compiler is told of.
list(APPEND early_flags -mno-altivec -mno-vsx)
# -fno-plt, which is for x86, would call hidden functions through their descriptors, and those need relocation.
list(APPEND early_flags -fplt)
# Code for POWER10 that needs no r2 gives none to the assembly that it calls, and takes none from it.
check_c_compiler_flag("-Werror -mno-pcrel" HAVE_mno_pcrel)
if(HAVE_mno_pcrel)
  list(APPEND early_flags -mno-pcrel)
endif()
# For size a compiler saves registers by calls into its runtime, which is not linked.
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
if("${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}" MATCHES "-O[sz]")
  list(APPEND early_flags -O2)
endif()
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
  # data found by an address that the code takes from itself; no PLT that is written at run time
  list(APPEND early_flags -msecure-plt)
endif()
list(APPEND early_sources arch/powerpc/cpu.c arch/powerpc/registry.c arch/powerpc/rules.c)
set(arch_assembly
    arch/powerpc/entry.S
    arch/powerpc/functions.S
    arch/powerpc/fc_memmove_altivec.S
    arch/powerpc/fc_memmove_cacheline128.S
    arch/powerpc/fc_memmove_cacheline32.S
    arch/powerpc/fc_memmove_cacheline64.S
    arch/powerpc/fc_memmove_generic.S
    arch/powerpc/fc_memmove_power10.S
    arch/powerpc/fc_memmove_power9.S
    arch/powerpc/fc_memmove_vsx.S
    arch/powerpc/fc_memmove_vsx_cacheline128.S
    arch/powerpc/fc_memmove_word.S)

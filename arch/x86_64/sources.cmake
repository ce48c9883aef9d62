# SPDX-License-Identifier: MIT
# The C library of the ABI, and the version of its __chk_fail.
set(FASTCOPY_LIBC_SONAME libc.so.6)
set(FASTCOPY_LIBC_VERSION GLIBC_2.3.4)
set(FASTCOPY_TUNE_PACKAGES libcpuid)

list(APPEND early_flags -fcf-protection=full -mgeneral-regs-only)
list(APPEND early_sources arch/x86_64/cpu.c arch/x86_64/registry.c arch/x86_64/rules.c)
set(arch_assembly
    arch/x86_64/entry.S
    arch/x86_64/functions.S
    arch/x86_64/fc_memmove_avx2.S
    arch/x86_64/fc_memmove_avx2_narrow.S
    arch/x86_64/fc_memmove_avx512.S
    arch/x86_64/fc_memmove_avx512_masked.S
    arch/x86_64/fc_memmove_evex.S
    arch/x86_64/fc_memmove_evex_masked.S
    arch/x86_64/fc_memmove_generic.S
    arch/x86_64/fc_memmove_rep_movsb.S
    arch/x86_64/fc_memmove_sse2.S)

/* SPDX-License-Identifier: MIT */
/*
 * AVX-512 on a CPU that has none, for tests of correctness.
 *
 * Without AVX-512 every EVEX instruction and every opmask instruction raises SIGILL. avx512_emulate() installs a
 * SIGILL handler that decodes the instruction, executes it on a software copy of the registers the CPU lacks, and
 * resumes after it. The low 256 bits of zmm0-zmm15 stay in the real registers (they are read and written in the
 * signal frame), so AVX and EVEX instructions can be mixed. A trap costs microseconds: nothing here measures speed.
 *
 * What a caller can rely on
 *   - Masked-out elements in memory are never touched, masked-in ones always are. A fault surfaces as the usual
 *     SIGSEGV at the first byte that cannot be accessed; its handler runs on top of the SIGILL handler and may
 *     siglongjmp out of both, or return to have the access tried again. Until then nothing has changed, neither
 *     registers nor memory.
 *   - An aligned form with a misaligned address gets the general protection fault of the hardware (SIGSEGV,
 *     si_code SI_KERNEL), whatever the mask.
 *   - Instructions outside the supported set go to the SIGILL disposition found at installation: with the default
 *     one they kill the process as they would without the emulator.
 *   - The handler calls no function of the C library, so the routine under test may be memcpy itself.
 *   - It runs on the alternate signal stack where the thread has one, else below the red zone.
 *
 * Supported, with all lengths, {k}, {z}, {1toN} and addresses that the instructions take
 *   vmovdqu8/16/32/64, vmovdqa32/64, vmovups/upd/aps/apd, vmovntdq/ntps/ntpd/ntdqa, vmovd, vmovq;
 *   vpand, vpandn, vpor, vpxor (d, q), vandps, vandnps, vorps, vxorps (and pd), vpternlog, vpblendm, valign (d, q);
 *   vpcmp, vpcmpu, vpcmpeq, vpcmpgt, vptestm, vptestnm (b, w, d, q) into opmasks, vpmovm2*, vpmov*2m;
 *   vpbroadcast from vector, memory and general registers, vbroadcasti/f*, vbroadcastss/sd; vextracti/f*, vinserti/f*;
 *   all opmask instructions: kmov, kand, kandn, kor, kxor, kxnor, knot, kadd, kunpck, kortest, ktest, kshiftl, kshiftr.
 *
 * What differs from the hardware
 *   - VEX instructions clear the register above the bits they write. They do not trap, so this is noticed at the
 *     next emulated use of the register, by its low bits having changed: a VEX instruction that writes the value
 *     already there goes unnoticed, and a legacy SSE write, which should keep the upper bits, clears them.
 *   - The software registers are not saved around signal handlers: one that interrupts emulated code and itself
 *     runs emulated code changes its registers.
 *   - Segment overrides (fs, gs), 32-bit addresses and embedded rounding are not supported.
 *
 * All state is per thread; a new thread starts with zeros.
 */
#ifndef AVX512_H
#define AVX512_H

#include <stdint.h>

/* The parts of AVX-512 an instruction belongs to, as avx512_features() reports them. */
enum {
  AVX512_F = 1,
  AVX512_VL = 2,
  AVX512_BW = 4,
  AVX512_DQ = 8,
};

/* 1 when the CPU and the operating system run avx512f, avx512vl, avx512bw and avx512dq, else 0. */
int avx512_native(void);

/*
 * Install the handler for the whole process; again is harmless. Returns 0, also where avx512_native() holds and
 * nothing needs to be installed; -1 with errno set where it cannot work: ENOTSUP on a CPU with avx512f but not the
 * rest, whose registers are not in software, or as sigaction() sets it.
 */
int avx512_emulate(void);

/* Instructions emulated so far in this thread. */
unsigned long avx512_emulated(void);

/* The AVX512_* sets that emulated instructions of this thread have needed since the last call. */
unsigned avx512_features(void);

/*
 * The 64 bytes of register zmm (0-31), or NULL. Of zmm0-zmm15 the low 256 bits are those of the last emulated
 * instruction that used the register. avx512_set_reg() takes 16-31 only, as the others are partly in the CPU: load
 * them with an instruction. Both setters return 0, or -1 for a register that is not theirs.
 */
const void *avx512_reg(unsigned zmm);
int avx512_set_reg(unsigned zmm, const void *bytes);

/* Opmask register k (0-7); 0 for any other number. */
uint64_t avx512_kreg(unsigned k);
int avx512_set_kreg(unsigned k, uint64_t value);

#endif

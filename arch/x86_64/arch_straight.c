/* SPDX-License-Identifier: MIT */
#include "arch/straight.h"

#include <immintrin.h>

#define SSE2 /* the baseline */
#define AVX __attribute__((target("avx")))
#define AVX512 __attribute__((target("avx512f")))

#define LOAD_16(from) _mm_loadu_si128((const __m128i *)(from))
#define STOREU_16(to, vector) _mm_storeu_si128((__m128i *)(to), vector)
#define STORE_16(to, vector) _mm_store_si128((__m128i *)(to), vector)
#define STREAM_16(to, vector) _mm_stream_si128((__m128i *)(to), vector)
#define LOAD_32(from) _mm256_loadu_si256((const __m256i *)(from))
#define STOREU_32(to, vector) _mm256_storeu_si256((__m256i *)(to), vector)
#define STORE_32(to, vector) _mm256_store_si256((__m256i *)(to), vector)
#define STREAM_32(to, vector) _mm256_stream_si256((__m256i *)(to), vector)
#define LOAD_64(from) _mm512_loadu_si512(from)
#define STOREU_64(to, vector) _mm512_storeu_si512(to, vector)
#define STORE_64(to, vector) _mm512_store_si512(to, vector)

FC_STRAIGHT(unaligned_16, SSE2, __m128i, LOAD_16, STOREU_16, STOREU_16, 0, )
FC_STRAIGHT(aligned_16, SSE2, __m128i, LOAD_16, STOREU_16, STORE_16, 1, )
FC_STRAIGHT(stream_16, SSE2, __m128i, LOAD_16, STOREU_16, STREAM_16, 1, _mm_sfence())
FC_STRAIGHT(unaligned_32, AVX, __m256i, LOAD_32, STOREU_32, STOREU_32, 0, )
FC_STRAIGHT(aligned_32, AVX, __m256i, LOAD_32, STOREU_32, STORE_32, 1, )
FC_STRAIGHT(stream_32, AVX, __m256i, LOAD_32, STOREU_32, STREAM_32, 1, _mm_sfence())
FC_STRAIGHT(unaligned_64, AVX512, __m512i, LOAD_64, STOREU_64, STOREU_64, 0, )
FC_STRAIGHT(aligned_64, AVX512, __m512i, LOAD_64, STOREU_64, STORE_64, 1, )

unsigned fc_straight_loops(fc_copy *loops[FC_STRAIGHT_MOST]) {
  unsigned count = 0;
  loops[count++] = unaligned_16;
  loops[count++] = aligned_16;
  loops[count++] = stream_16;
  if (__builtin_cpu_supports("avx")) {
    loops[count++] = unaligned_32;
    loops[count++] = aligned_32;
    loops[count++] = stream_32;
  }
  if (__builtin_cpu_supports("avx512f")) {
    loops[count++] = unaligned_64;
    loops[count++] = aligned_64;
  }
  return count;
}

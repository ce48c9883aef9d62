/* SPDX-License-Identifier: MIT */
/*
 * void *fc_memmove_generic(void *dst, const void *src, size_t n): the portable copy, right for any overlap.
 *
 *   below 4 words    bytes
 *   above            bytes until dst is word-aligned, whole words, the last bytes. Where src is then aligned
 *                    too, words are moved as they are; else each is merged from the two aligned words that it
 *                    straddles. Only words wholly inside the source are loaded.
 *   dst inside (src, src + n): the same from the end down
 *
 * The build forbids the compiler to turn these loops into calls of memcpy or memmove.
 */
#include "arch/generic/memmove.h"

#include <stdint.h>

typedef size_t __attribute__((may_alias)) word;

#define WORD sizeof(word)
#define BITS (8 * (unsigned)WORD)

/* The word that starts `shift` bits (0 < shift < BITS) after `low` in memory, from it and its successor. */
static inline word merge(word low, word high, unsigned shift) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return low >> shift | high << (BITS - shift);
#else
  return low << shift | high >> (BITS - shift);
#endif
}

static void forward(unsigned char *dst, const unsigned char *src, size_t n) {
  if (n >= 4 * WORD) {
    while ((uintptr_t)dst % WORD != 0) {
      *dst++ = *src++;
      n--;
    }
    unsigned past = (uintptr_t)src % WORD;
    if (past == 0) {
      for (; n >= WORD; n -= WORD, dst += WORD, src += WORD)
        *(word *)dst = *(const word *)src;
    } else {
      /* the first straddling word starts before src: its missing bytes are not read but made up, and shifted out */
      word low = 0;
      for (unsigned i = past; i < WORD; i++)
        ((unsigned char *)&low)[i] = src[i - past];
      const unsigned char *next = src - past + WORD;
      /* a turn reads up to 2 * WORD - past beyond src, which must be inside */
      for (; n >= 2 * WORD; n -= WORD, dst += WORD, src += WORD, next += WORD) {
        word high = *(const word *)next;
        *(word *)dst = merge(low, high, 8 * past);
        low = high;
      }
    }
  }
  while (n-- > 0)
    *dst++ = *src++;
}

static void backward(unsigned char *dst, const unsigned char *src, size_t n) {
  dst += n;
  src += n;
  if (n >= 4 * WORD) {
    while ((uintptr_t)dst % WORD != 0) {
      *--dst = *--src;
      n--;
    }
    unsigned past = (uintptr_t)src % WORD;
    if (past == 0) {
      for (; n >= WORD; n -= WORD) {
        dst -= WORD;
        src -= WORD;
        *(word *)dst = *(const word *)src;
      }
    } else {
      word high = 0;
      for (unsigned i = 0; i < past; i++)
        ((unsigned char *)&high)[i] = (src - past)[i];
      const unsigned char *next = src - past;
      for (; n >= 2 * WORD; n -= WORD) {
        dst -= WORD;
        src -= WORD;
        next -= WORD;
        word low = *(const word *)next;
        *(word *)dst = merge(low, high, 8 * past);
        high = low;
      }
    }
  }
  while (n-- > 0)
    *--dst = *--src;
}

void *fc_memmove_generic(void *dst, const void *src, size_t n) {
  /* unsigned: true only for dst inside (src, src + n), and for dst = src, where either way is right */
  if ((uintptr_t)dst - (uintptr_t)src < n)
    backward(dst, src, n);
  else
    forward(dst, src, n);
  return dst;
}

/* SPDX-License-Identifier: MIT */
/*
 * What the CPU itself, rather than the kernel, says of who it is, in arch/<architecture>/arch_identity.c. Part of
 * fastcopy-tune, not of the library.
 */
#ifndef FC_IDENTITY_H
#define FC_IDENTITY_H

#include <stddef.h>

struct fc_identity {
  const char *source; /* where the sizes are from */
  char name[64];      /* "" where it does not say; may be padded with blanks */
  char vendor[16];
  size_t l1d, l2, l3; /* bytes, unchecked; 0 where it does not say */
};

/* Fills *identity, which is zero. */
void fc_identity_read(struct fc_identity *identity);

#endif

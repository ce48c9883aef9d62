/* SPDX-License-Identifier: MIT */
/*
 * Pointers to the copies that the loader or the linker must fill in: global and initialised, in the program and in a
 * shared library (POINTER_DSO), of the plain names and, with FASTCOPY_LINKED, of the IFUNCs. They must be callable,
 * and both sides must see the same address.
 */
#include <stdio.h>
#include <string.h>

#ifdef FASTCOPY_LINKED
#include "fastcopy.h"
#else
#define fastcopy_memcpy memcpy
#define fastcopy_memmove memmove
#endif

typedef void *copy(void *, const void *, size_t);

#ifdef POINTER_DSO
copy *const dso_pointers[4] = {memcpy, memmove, fastcopy_memcpy, fastcopy_memmove};
#else
extern copy *const dso_pointers[4];
static copy *pointers[4] = {memcpy, memmove, fastcopy_memcpy, fastcopy_memmove};
#ifdef POINTER_ALONE
copy *const dso_pointers[4] = {memcpy, memmove, fastcopy_memcpy, fastcopy_memmove};
#endif

int main(void) {
  for (int i = 0; i < 4; i++) {
    char text[200] = "0123456789";
    copy *volatile ours = pointers[i], *volatile theirs = dso_pointers[i];
    if (ours == NULL || theirs == NULL || ours != theirs) {
      printf("pointer %d: %p in the program, %p in the library\n", i, *(void **)&pointers[i],
             *(void **)&dso_pointers[i]);
      return 1;
    }
    if (ours(text + 1, text, 10) != text + 1 || strcmp(text, "00123456789") != 0)
      return 1;
    if (theirs(text, text + 1, 10) != text || strcmp(text, "01234567899") != 0)
      return 1;
  }
  puts("pointers are right");
  return 0;
}
#endif

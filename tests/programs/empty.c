/* SPDX-License-Identifier: MIT */
/* A library that does nothing, with the same kinds of segments as libfastcopy: what any preload costs. */
int fc_empty_bss;
int *const fc_empty_relro = &fc_empty_bss;
int fc_empty(void);
int fc_empty(void) { return *fc_empty_relro; }

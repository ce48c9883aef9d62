/* SPDX-License-Identifier: MIT */
/* A library that does nothing, with the same segments as libfastcopy: what any preload costs. */
static const int nothing;
const int *const fc_empty_relro = &nothing;
int fc_empty(void);
int fc_empty(void) { return *fc_empty_relro; }

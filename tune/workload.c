/* SPDX-License-Identifier: MIT */
#include "workload.h"

#define BANDS(name) .bands = (name), .band_count = sizeof(name) / sizeof(name)[0]
#define MANY 131072 /* no branch predictor learns them */
#define FEW 256     /* every one does */

/*
 * Recorded from sqlite3, python3, cc1, git, perl, node, mke2fs and mkfs.btrfs. Programs that live on small copies
 * make 42 to 68 % of them below 16 bytes and 85 to 99 % up to 64, of a mean of 17 to 52 bytes.
 */
static const struct band small[] = {{0, 0, 0.01},   {1, 15, 0.61},    {16, 31, 0.18},
                                    {32, 64, 0.13}, {65, 256, 0.055}, {257, 1024, 0.015}};
static const struct band words[] = {{8, 8, 1}, {16, 16, 1}, {24, 24, 1}, {32, 32, 1}, {48, 48, 1}, {64, 64, 1}};
static const struct band medium[] = {{65, 1024, 1}};
static const struct band records[] = {{1024, 4096, 1}}; /* file system metadata: means of 1216 and 3224 bytes */
static const struct band blocks[] = {{4096, 65536, 1}};
static const struct band shifts[] = {{1, 256, 1}}; /* an element inserted into, or removed from, an array */

/*
 * The shares: in all but one of the programs 67 % and more of the calls have another size than the call before,
 * so most are not predictable, and cc1 (29 %) gives the predictable ones. How often a source was just written and the copy is
 * read at once no recording tells; a fifth keeps strategies out that only win when nobody looks at the copy.
 * Of memmove, mkfs.btrfs makes a tenth of the calls and nearly all that overlap, in long regions.
 */
const struct workload_row workload_default[] = {
    {{"small, not predictable", "small", BANDS(small), .operations = MANY}, LEVEL_L1, 0.42, 0.42},
    {{"small, predictable", "small, predictable", BANDS(small), .operations = FEW}, LEVEL_L1, 0.14, 0.10},
    {{"small, copy read at once", "read at once", BANDS(small), .operations = MANY, .next = NEXT_CONSUMED},
     LEVEL_L1,
     0.20,
     0.14},
    {{"8 to 64, stored, copied, loaded", "read at once", BANDS(words), .operations = FEW, .next = NEXT_FORWARD},
     LEVEL_L1,
     0.05,
     0.04},
    {{"small, from L2", "small", BANDS(small), .operations = MANY}, LEVEL_L2, 0.05, 0.05},
    {{"65 to 1K, not predictable", "medium", BANDS(medium), .operations = MANY}, LEVEL_L1, 0.07, 0.07},
    {{"1K to 4K, L1", "medium", BANDS(records), .operations = 4096}, LEVEL_L1, 0.04, 0.04},
    {{"4K to 64K, L2", "blocks", BANDS(blocks), .operations = 1024}, LEVEL_L2, 0.02, 0.02},
    {{"4K to 64K, L3", "blocks", BANDS(blocks), .operations = 1024}, LEVEL_L3, 0.01, 0.01},
    {{"1 to 256, overlapping", "overlapping", BANDS(shifts), .operations = MANY, .place = PLACE_NEAR},
     LEVEL_L1,
     0,
     0.04},
    {{"1K to 4K, overlapping", "overlapping", BANDS(records), .operations = 4096, .place = PLACE_NEAR},
     LEVEL_L1,
     0,
     0.07},
};
const size_t workload_default_count = sizeof workload_default / sizeof *workload_default;

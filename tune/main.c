/* SPDX-License-Identifier: MIT */
#include "tune.h"

int main(void) { return TUNE_USAGE; }

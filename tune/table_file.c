/* SPDX-License-Identifier: MIT */
#include "table_file.h"

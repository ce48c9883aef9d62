/* SPDX-License-Identifier: MIT */
#include "identity.h"

/* SPDX-License-Identifier: MIT */
/* A C++ program that binds the variants directly and lets the standard library copy, exceptions included. */
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "fastcopy.h"

int main() {
  std::string from(1000, 'a'), to(1000, 'b');
  if (fastcopy_memcpy(&to[0], from.data(), from.size()) != &to[0] || to != from)
    return 1;
  if (fastcopy_mempcpy(&to[0], "xyz", 3) != &to[3] || to.compare(0, 4, "xyza") != 0)
    return 1;
  fastcopy_memmove(&to[1], &to[0], 3);
  std::vector<std::string> list;
  for (int i = 0; i < 500; i++)
    list.insert(list.begin() + i / 2, to.substr(0, 4) + std::string(static_cast<std::size_t>(i % 70), 'c'));
  std::sort(list.begin(), list.end());
  try {
    throw std::runtime_error(list.front() + " " + std::to_string(list.back().size()));
  } catch (const std::exception &error) {
    std::puts(std::strcmp(error.what(), "xxyz 73") == 0 ? "right" : error.what());
  }
  fastcopy_plan plan = {};
  plan.size = sizeof plan;
  return fastcopy_describe(&plan) != 0 || std::strcmp(fastcopy_version(), FASTCOPY_VERSION_STRING) != 0;
}

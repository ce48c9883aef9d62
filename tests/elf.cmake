# SPDX-License-Identifier: MIT
# The library as a file, and real programs under preload. Included by tests/CMakeLists.txt.
if(NOT FASTCOPY_ARCH STREQUAL x86_64 OR CMAKE_CROSSCOMPILING)
  return()
endif()
if(NOT TARGET PkgConfig::ELF)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(ELF REQUIRED IMPORTED_TARGET libelf)
endif()

add_executable(check_elf check_elf.c)
target_link_libraries(check_elf PRIVATE fastcopy_warnings PkgConfig::ELF)
add_test(NAME elf COMMAND check_elf $<TARGET_FILE:fastcopy> $<TARGET_FILE:fastcopy_static>)

# Copies that another thread looks at, or whose source another thread writes.
find_package(Threads REQUIRED)
fastcopy_check(check_whole)
target_link_libraries(check_whole PRIVATE Threads::Threads)
fastcopy_test(copy.whole 120 check_whole)

# Dynamically linked and knowing nothing of the library: it finds it in the process, when it was preloaded.
add_executable(copies programs/copies.c)
target_include_directories(copies PRIVATE ${PROJECT_SOURCE_DIR}/lib)
target_compile_options(copies PRIVATE -fno-builtin)
target_link_libraries(copies PRIVATE fastcopy_warnings ${CMAKE_DL_LIBS})

add_executable(make_table programs/make_table.c)
target_include_directories(make_table PRIVATE ${FASTCOPY_INCLUDES})
target_link_libraries(make_table PRIVATE fastcopy_warnings fastcopy_static)

# What the scripts need to know of the build, a word a line.
set(settings "source lib/fastcopy.c\n")
foreach(pair IN ITEMS source:early_sources assembly:arch_assembly flag:early_flags include:FASTCOPY_INCLUDES
                      definition:FASTCOPY_EARLY_DEFINITIONS root:PROJECT_SOURCE_DIR compiler:CMAKE_C_COMPILER)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 key)
  list(GET pair 1 variable)
  foreach(value IN LISTS ${variable})
    string(APPEND settings "${key} ${value}\n")
  endforeach()
endforeach()
set(settings_file ${CMAKE_CURRENT_BINARY_DIR}/settings)
file(GENERATE OUTPUT ${settings_file} CONTENT "${settings}")

# add_script(name seconds script arguments...): 77 is a test that cannot run here and says why
function(add_script name seconds script)
  add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${seconds} SKIP_RETURN_CODE 77)
endfunction()
set(library $<TARGET_FILE:fastcopy>)
set(archive $<TARGET_FILE:fastcopy_static>)
set(copies $<TARGET_FILE:copies>)
set(make_table $<TARGET_FILE:make_table>)

add_script(elf_faults 200 elf_faults.sh $<TARGET_FILE:check_elf> ${archive} ${copies} ${settings_file})
add_script(early_objects 400 early_objects.sh ${settings_file})
add_script(builds 600 builds.sh ${settings_file})
add_script(preload 400 preload.sh ${library} ${copies})
add_script(preload_variants 400 preload.sh ${library} ${copies} --variants)
add_script(preload_all 400 preload_all.sh ${library})
foreach(group IN ITEMS install archive pointers early versions reload loader lto sanitizer fortify)
  add_script(link_${group} 200 link.sh ${settings_file} ${PROJECT_BINARY_DIR} ${group})
endforeach()
add_script(secure 200 secure.sh ${settings_file})
if(TARGET fastcopy-run)
  add_script(tools 100 tools.sh ${settings_file} ${PROJECT_BINARY_DIR})
endif()
if(TARGET fastcopy-tune)
  add_script(bench 300 bench.sh $<TARGET_FILE:fastcopy-tune>)
endif()
add_script(valgrind 400 valgrind.sh ${library} ${copies} ${make_table})
add_script(emulated 300 emulated.sh ${library} ${copies} ${settings_file} ${archive})

# What a start costs; printed, not judged, since other processes of the machine are in the figures.
add_library(empty_preload SHARED programs/empty.c)
target_link_options(empty_preload PRIVATE -nostdlib -fno-sanitize=all
                    -Wl,-z,relro,-z,now,-z,noexecstack,-z,noseparate-code)
target_link_libraries(empty_preload PRIVATE $<TARGET_FILE:fastcopy_libc>)
add_dependencies(empty_preload fastcopy_libc)
set_target_properties(empty_preload PROPERTIES SKIP_BUILD_RPATH ON LINKER_LANGUAGE C)
add_script(startup 100 startup.sh ${library} ${copies} ${make_table} $<TARGET_FILE:empty_preload>)
add_executable(bench_startup bench/startup.c)
target_link_libraries(bench_startup PRIVATE fastcopy_warnings)
add_custom_target(
  startup-cost
  COMMAND make_table ${CMAKE_CURRENT_BINARY_DIR}/startup.fct sse2 sse2 0
  COMMAND bench_startup $<TARGET_FILE:empty_preload> ${library} ${CMAKE_CURRENT_BINARY_DIR}/startup.fct
  VERBATIM USES_TERMINAL)

# What real programs gain, under the table that FASTCOPY_TABLE or the system names; printed, not judged, either.
add_executable(bench_programs bench/programs.c)
target_link_libraries(bench_programs PRIVATE fastcopy_warnings m)
add_custom_target(
  programs-cost
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/bench/programs.sh ${library} $<TARGET_FILE:bench_programs>
  VERBATIM USES_TERMINAL)
add_dependencies(programs-cost fastcopy)
add_test(NAME bench_programs COMMAND ${CMAKE_COMMAND} -E env "ONLY=^(awk|sort)$"
                                     ${CMAKE_CURRENT_SOURCE_DIR}/bench/programs.sh ${library}
                                     $<TARGET_FILE:bench_programs> 1)
set_tests_properties(bench_programs PROPERTIES TIMEOUT 100 PASS_REGULAR_EXPRESSION "geometric mean +[0-9.]+ +[0-9.]+"
                                               FAIL_REGULAR_EXPRESSION "skipped: awk;failed")

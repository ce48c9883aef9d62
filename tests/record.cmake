# SPDX-License-Identifier: MIT
# Recorded workloads. Included by tests/CMakeLists.txt, behind what it uses of that.
if(NOT TARGET fastcopy-tune)
  return()
endif()

add_executable(check_workload check_workload.c ${PROJECT_SOURCE_DIR}/tune/text_file.c ${PROJECT_SOURCE_DIR}/tune/workload.c
                              ${PROJECT_SOURCE_DIR}/tune/workload_file.c)
target_sources(check_workload PRIVATE $<TARGET_OBJECTS:workload_builtins>)
target_include_directories(check_workload PRIVATE ${FASTCOPY_INCLUDES})
target_link_libraries(check_workload PRIVATE fastcopy_warnings m)
if(HAVE_SANITIZERS)
  target_compile_options(check_workload PRIVATE ${sanitizers} -fno-sanitize-recover=all -g)
  target_link_options(check_workload PRIVATE ${sanitizers})
endif()
fastcopy_test(workload 120 check_workload ${some_files})

if(CMAKE_CROSSCOMPILING OR NOT TARGET copies)
  return()
endif()
add_executable(recorded programs/recorded.c)
target_compile_options(recorded PRIVATE -fno-builtin -U_FORTIFY_SOURCE -fno-sanitize=all)
target_link_options(recorded PRIVATE -fno-sanitize=all)
target_link_libraries(recorded PRIVATE fastcopy_warnings Threads::Threads)
add_script(record 200 record.sh ${settings_file} ${PROJECT_BINARY_DIR} $<TARGET_FILE:recorded>)
add_script(calibrate 200 record.sh ${settings_file} ${PROJECT_BINARY_DIR} $<TARGET_FILE:recorded> calibrate)
set_tests_properties(calibrate PROPERTIES RUN_SERIAL ON)

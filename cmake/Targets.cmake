# SPDX-License-Identifier: Apache-2.0
include(GoogleTest)

# sluice_library(NAME SOURCES a.cpp ... DEPS sluice_x ... PRIVATE Third::party ...)
# One static library a folder. DEPS are folders below and are visible to users; PRIVATE libraries are not.
function(sluice_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS;PRIVATE" ${ARGN})
  add_library(sluice_${name} STATIC ${arg_SOURCES})
  target_link_libraries(sluice_${name} PUBLIC ${arg_DEPS} fmt::fmt PRIVATE sluice_settings sluice_warnings ${arg_PRIVATE})
endfunction()

# sluice_test(NAME SOURCES a_test.cpp ... DEPS sluice_x ... [LABELS unit] [TIMEOUT 120])
# One GoogleTest program a folder; every case is one ctest test `NAME.Suite.Case`.
function(sluice_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;DEPS;LABELS" ${ARGN})
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name}_test ${arg_SOURCES})
  target_link_libraries(${name}_test PRIVATE sluice_settings sluice_warnings ${arg_DEPS} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name}_test PRIVATE SLUICE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" SLUICE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()

# SPDX-License-Identifier: Apache-2.0
# Compiler settings and warnings, as two interface targets that every target of ours links privately.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(sluice_settings INTERFACE)
target_include_directories(sluice_settings INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_compile_definitions(sluice_settings INTERFACE _GNU_SOURCE JSON_USE_IMPLICIT_CONVERSIONS=0)
if(SLUICE_SANITIZE)
  string(REPLACE ";" "," _sanitize "${SLUICE_SANITIZE}")
  target_compile_options(sluice_settings INTERFACE -fsanitize=${_sanitize} -fno-omit-frame-pointer)
  target_link_options(sluice_settings INTERFACE -fsanitize=${_sanitize})
endif()
if(SLUICE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "SLUICE_FUZZ needs clang for its libFuzzer; this is ${CMAKE_CXX_COMPILER_ID}. Without it test/fuzz "
                        "is built with a driver of its own")
  endif()
  # A finding ends the run, so that libFuzzer keeps the input.
  target_compile_options(sluice_settings INTERFACE -fsanitize=fuzzer-no-link -fno-sanitize-recover=all)
endif()

add_library(sluice_warnings INTERFACE)
target_compile_options(sluice_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # At -O3 g++ 12 sees overlapping copies in `"text" + std::string` and uninitialised members of an empty
  # std::optional; neither is true (GCC bugs 105651, 105562).
  target_compile_options(sluice_warnings INTERFACE $<$<CONFIG:Release>:-Wno-restrict> $<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
endif()
if(SLUICE_WERROR)
  target_compile_options(sluice_warnings INTERFACE -Werror)
endif()

find_program(SLUICE_CCACHE ccache)
if(SLUICE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SLUICE_CCACHE})
endif()
find_program(SLUICE_MOLD mold)
set(SLUICE_LINKER default)
if(SLUICE_MOLD)
  add_link_options(-fuse-ld=mold)
  set(SLUICE_LINKER mold)
endif()

#!/bin/sh
# Configures, builds and tests in ./build.
set -e
cmake -S . -B build -G Ninja
cmake --build build
ctest --test-dir build --output-on-failure --no-tests=error

# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the reader of recordings to a fresh directory. Builds two programs against the copy and runs them on a
# recording: the installed example, which docs/recording.md quotes, and a C program.
# cmake -DSOURCE_DIR=... -DBUILD_DIR=... -DGENERATOR=... -DCXX=... -DSANITIZE=... -P tst_reader_package.cmake

cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../support/package.cmake)
install_package(reader)

# Only the interface is installed: no internal headers, no internal symbols.
file(GLOB_RECURSE headers RELATIVE ${work}/moved/include ${work}/moved/include/*)
if(NOT headers STREQUAL "corotracer/recording/capi.h;corotracer/recording/reader.h")
    message(FATAL_ERROR "installed headers: ${headers}")
endif()
file(GLOB_RECURSE library ${work}/moved/libcorotracer-recording.so)
find_program(nm NAMES nm)
if(nm)
    run(${nm} -D --defined-only ${library})
    string(REGEX REPLACE "[^\n]* (ctr_[a-z_]+@@CTR_0|CTR_0)\n" "" others "${output}")
    if(NOT others STREQUAL "")
        message(FATAL_ERROR "${library} has other symbols than its interface:\n${others}")
    endif()
endif()

foreach(file __init__.py _layouts.py _library.py _recording.py _summaries.py _tables.py py.typed)
    if(NOT EXISTS ${work}/moved/lib/python3/dist-packages/corotracer/${file})
        message(FATAL_ERROR "the Python module has no ${file}")
    endif()
endforeach()

file(GLOB_RECURSE example ${work}/moved/longest.cpp)
file(READ ${example} text)
string(REGEX REPLACE "^.*\n(#include <corotracer)" "\\1" code "${text}")
file(READ ${SOURCE_DIR}/docs/recording.md manual)
string(FIND "${manual}" "${code}" offset)
if(offset EQUAL -1)
    message(FATAL_ERROR "the example in docs/recording.md is not ${example}")
endif()

# Make a recording, and read the sums from the summary of the same run.
run(${BUILD_DIR}/bin/corotracer-gui --batch --summary ${work}/summary.json -o ${work}/run.ctr -- ${BUILD_DIR}/bin/ct_storm
    --coroutines 100 --threads 2 --transitions 50000 --rate 500000)
file(READ ${work}/summary.json summary)
string(JSON events GET ${summary} events)
string(JSON lost GET ${summary} lost_events)
if(events LESS 1000)
    message(FATAL_ERROR "a recording of ${events} events")
endif()
# expect(<program>...): runs the program on the recording. It must print the sums of the summary.
function(expect)
    run(${ARGN} ${work}/run.ctr)
    if(NOT output MATCHES "${events} transitions of 100 coroutines, ${lost} lost")
        message(FATAL_ERROR "${ARGN}: instead of ${events} transitions:\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

file(WRITE ${work}/program/count.c [=[
#include <corotracer/recording/capi.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    ctr_reader *reader = ctr_open(argc > 1 ? argv[1] : "");
    const ctr_batch *batch;
    uint64_t transitions = 0, coroutines = 0;
    while ((batch = ctr_next(reader)) != NULL) {
        transitions += batch->transition_count;
        coroutines += batch->birth_count;
    }
    const ctr_overview *overview = ctr_overview_of(reader);
    int good = ctr_status(reader) == CTR_GOOD && ctr_ended(reader) && overview && overview->transitions == transitions &&
               overview->last_ts > overview->first_ts && strstr(ctr_info(reader), "ct_storm") != NULL;
    printf("%" PRIu64 " transitions of %" PRIu64 " coroutines, %" PRIu64 " lost\n", transitions, coroutines,
           ctr_sums_of(reader)->lost);
    puts(ctr_message(reader));
    ctr_close(reader);
    return good ? 0 : 1;
}
]=])
file(COPY ${example} DESTINATION ${work}/program)
file(WRITE ${work}/program/CMakeLists.txt [=[
cmake_minimum_required(VERSION 3.25)
project(program C CXX)
find_package(corotracer-recording 0.1 REQUIRED)
set(CMAKE_CXX_STANDARD 20)
add_executable(longest longest.cpp)
target_link_libraries(longest PRIVATE corotracer::recording)
add_executable(count count.c)
target_link_libraries(count PRIVATE corotracer::recording)
]=])
run(${CMAKE_COMMAND} -S ${work}/program -B ${work}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_CXX_FLAGS=${flags} -DCMAKE_C_FLAGS=${flags} -DCMAKE_PREFIX_PATH=${work}/moved)
run(${CMAKE_COMMAND} --build ${work}/build)
expect(${work}/build/longest)
if(NOT output MATCHES "storm[a-z_]*\\.cpp:[0-9]+ +[0-9]+\\.[0-9]+ ms")
    message(FATAL_ERROR "the example prints no location in the source:\n${output}")
endif()
expect(${work}/build/count)

find_pkg_config(corotracer-recording)
if(pkg_config)
    ask_pkg_config(corotracer-recording)
    cmake_path(GET library PARENT_PATH directory)
    foreach(compiler ${compilers})
        set(strict ${compiler} -Wall -Wextra -Wshadow -Wpedantic -Werror ${cflags})
        run(${strict} -std=c++20 -fno-exceptions -fsyntax-only ${work}/program/longest.cpp)
        run(${strict} -std=c11 -x c -fsyntax-only ${work}/program/count.c)
        if(NOT SANITIZE)
            run(${strict} -std=c++20 ${work}/program/longest.cpp ${libs} -Wl,-rpath,${directory} -o ${work}/program-pc)
            expect(${work}/program-pc)
        endif()
    endforeach()
endif()
file(REMOVE_RECURSE ${work})
report_skips()

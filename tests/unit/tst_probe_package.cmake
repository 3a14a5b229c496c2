# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the probe to a fresh directory and builds a small program against the copy: with find_package, with
# pkg-config, and with every other compiler that is there.
# cmake -DBUILD_DIR=... -DGENERATOR=... -DCXX=... -P tst_probe_package.cmake

cmake_minimum_required(VERSION 3.25)
set(work ${BUILD_DIR}/probe-package)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work}/program)

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "failed (${status}): ${ARGN}\n${output}")
    endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/prefix --component probe)
# The package must not lean on the place it was installed to.
file(RENAME ${work}/prefix ${work}/moved)

file(WRITE ${work}/program/main.cpp [=[
#include <coroTracer.h>
struct Task {
    struct promise_type : corotracer::PromiseMixin {
        Task get_return_object() { return {}; }
        auto initial_suspend() { return trace_initial_suspend(std::suspend_never{}); }
        auto final_suspend() noexcept { return trace_final_suspend(std::suspend_never{}); }
        void return_void() {}
        void unhandled_exception() {}
    };
};
Task task() { co_await std::suspend_never{}; }
int main()
{
    corotracer::InitTracer();
    task();
    return corotracer::get_ns() > 0 ? 0 : 1;
}
]=])
file(WRITE ${work}/program/CMakeLists.txt [=[
cmake_minimum_required(VERSION 3.25)
project(program CXX)
find_package(corotracer-probe 0.1 REQUIRED)
add_executable(program main.cpp)
target_link_libraries(program PRIVATE corotracer::probe)
]=])
run(${CMAKE_COMMAND} -S ${work}/program -B ${work}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_PREFIX_PATH=${work}/moved)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/program)

find_program(pkg_config NAMES pkg-config pkgconf)
if(pkg_config)
    file(GLOB_RECURSE pc ${work}/moved/corotracer-probe.pc)
    cmake_path(GET pc PARENT_PATH pc_dir)
    set(ENV{PKG_CONFIG_PATH} ${pc_dir})
    foreach(kind cflags libs)
        execute_process(COMMAND ${pkg_config} --${kind} corotracer-probe OUTPUT_VARIABLE ${kind}
            OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
        separate_arguments(${kind} UNIX_COMMAND "${${kind}}")
    endforeach()
    find_program(clang NAMES clang++ clang++-14)
    foreach(compiler ${CXX} ${clang})
        if(compiler)
            run(${compiler} -Wall -Wextra -Wshadow -Wpedantic -Werror ${cflags} ${work}/program/main.cpp ${libs}
                -o ${work}/program-pc)
            run(${work}/program-pc)
            # As a Qt program without QT_NO_KEYWORDS includes it.
            run(${compiler} -Dslots= -Dsignals=public -Demit= -Werror -fsyntax-only ${cflags} ${work}/program/main.cpp)
            run(${compiler} -fno-exceptions -fno-rtti -Werror -fsyntax-only ${cflags} ${work}/program/main.cpp)
        endif()
    endforeach()
endif()
file(REMOVE_RECURSE ${work})

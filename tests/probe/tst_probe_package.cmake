# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the probe to a fresh directory. Builds small programs in C++ and in C against the copy: with find_package, and
# with pkg-config and each compiler that is installed. Builds one in Rust with cargo.
# cmake -DBUILD_DIR=... -DGENERATOR=... -DCXX=... -DSANITIZE=... -P tst_probe_package.cmake

cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../support/package.cmake)
install_package(probe)

# A program that prints whether it is traced. With a path as its argument, it starts a flight recorder in that file.
file(WRITE ${work}/program/main.cpp [=[
#include <coroTracer.h>
#include <cstdio>
struct Task {
    struct promise_type : corotracer::PromiseMixin {
        promise_type() { set_name("task"); }
        Task get_return_object() { return {}; }
        auto initial_suspend() { return trace_initial_suspend(std::suspend_never{}); }
        auto final_suspend() noexcept { return trace_final_suspend(std::suspend_never{}); }
        void return_void() {}
        void unhandled_exception() {}
    };
};
Task task() { co_await std::suspend_never{}; }
int main(int argc, char **argv)
{
    corotracer::flight_recorder_options options;
    options.path = argc > 1 ? argv[1] : "/nonexistent/file";
    options.pool_bytes = 1 << 20;
    if (argc > 1)
        corotracer::start_flight_recorder(options);
    corotracer::InitTracer();
    corotracer::name_thread("main");
    corotracer::PromiseMixin one;
    one.waits_on(corotracer::wait::descriptor, 0);
    corotracer::note_wake(one);
    task();
    std::puts(corotracer::flight_recorder_path()[0] != 0 ? "traced" : "untraced");
    return corotracer::get_ns() > 0 && corotracer::get_tid() > 0 ? 0 : 1;
}
]=])
file(WRITE ${work}/program/CMakeLists.txt [=[
cmake_minimum_required(VERSION 3.25)
project(program CXX)
find_package(corotracer-probe 0.1 REQUIRED)
add_executable(plain main.cpp)
target_link_libraries(plain PRIVATE corotracer::probe)
add_executable(off main.cpp)
target_link_libraries(off PRIVATE corotracer::probe)
target_compile_definitions(off PRIVATE COROTRACER_OFF)
# The same object file, linked in two ways.
add_library(objects OBJECT main.cpp)
target_link_libraries(objects PRIVATE corotracer::probe)
target_compile_definitions(objects PRIVATE COROTRACER_EXTERN)
foreach(choice runtime stub)
    add_executable(${choice} $<TARGET_OBJECTS:objects>)
    target_link_libraries(${choice} PRIVATE corotracer::probe-${choice})
endforeach()
]=])
run(${CMAKE_COMMAND} -S ${work}/program -B ${work}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_CXX_FLAGS=${flags} -DCMAKE_PREFIX_PATH=${work}/moved)
run(${CMAKE_COMMAND} --build ${work}/build)

# expect(<output> <program> [<region>]): runs the program. The region must exist exactly if the program prints "traced".
function(expect said program)
    execute_process(COMMAND ${program} ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT status EQUAL 0 OR NOT output STREQUAL said)
        message(FATAL_ERROR "${program} ${ARGN}: ${status}, \"${output}\" instead of \"${said}\"")
    endif()
    if(ARGN AND said STREQUAL traced AND NOT EXISTS ${ARGN})
        message(FATAL_ERROR "${program}: no recording")
    elseif(ARGN AND said STREQUAL untraced AND EXISTS ${ARGN})
        message(FATAL_ERROR "${program}: a recording")
    endif()
endfunction()
foreach(program plain runtime)
    expect(untraced ${work}/build/${program})
    expect(traced ${work}/build/${program} ${work}/${program}.shm)
endforeach()
foreach(program off stub)
    expect(untraced ${work}/build/${program})
    expect(untraced ${work}/build/${program} ${work}/${program}.shm)
endforeach()

find_pkg_config(corotracer-probe)
if(pkg_config)
    # The linker options export each variable of the state, and mean the same after a shell has split them.
    file(GLOB headers ${work}/moved/include/corotracer/*.h)
    set(variables "")
    foreach(header ${headers})
        file(STRINGS ${header} lines REGEX "^COROTRACER_ONE_PER_PROCESS inline")
        string(REGEX MATCHALL "[a-z]+_v2" found "${lines}")
        list(APPEND variables ${found})
    endforeach()
    foreach(module corotracer-probe corotracer-probe-c)
        execute_process(COMMAND ${pkg_config} --libs ${module} OUTPUT_VARIABLE libs COMMAND_ERROR_IS_FATAL ANY)
        foreach(variable page_v2 thread_v2 ${variables})
            string(LENGTH ${variable} length)
            if(NOT libs MATCHES "-Wl,--export-dynamic-symbol=_ZN10corotracer2v26detail${length}${variable}E" OR libs MATCHES "\\\\")
                message(FATAL_ERROR "pkg-config --libs ${module} does not export ${variable}: ${libs}")
            endif()
        endforeach()
    endforeach()
    ask_pkg_config(corotracer-probe)
    foreach(compiler ${compilers})
        run(${compiler} -Wall -Wextra -Wshadow -Wpedantic -Werror ${cflags} ${work}/program/main.cpp ${libs}
            -o ${work}/program-pc)
        expect(untraced ${work}/program-pc)
        # The header must compile in a Qt program without QT_NO_KEYWORDS.
        run(${compiler} -Dslots= -Dsignals=public -Demit= -Werror -fsyntax-only ${cflags} ${work}/program/main.cpp)
        run(${compiler} -fno-exceptions -fno-rtti -Werror -fsyntax-only ${cflags} ${work}/program/main.cpp)
        foreach(macro COROTRACER_OFF COROTRACER_EXTERN)
            run(${compiler} -D${macro} -Wall -Wextra -Wshadow -Wpedantic -Werror -fsyntax-only ${cflags}
                ${work}/program/main.cpp)
        endforeach()
    endforeach()
    foreach(choice runtime stub)
        ask_pkg_config(corotracer-probe-${choice})
        run(${CXX} ${flags} ${cflags} ${work}/program/main.cpp ${libs} -o ${work}/program-${choice})
    endforeach()
    expect(traced ${work}/program-runtime ${work}/program-runtime.shm)
    expect(untraced ${work}/program-stub ${work}/program-stub.shm)
endif()

# A program in C, in a project that knows no C++.
file(MAKE_DIRECTORY ${work}/cprogram)
file(WRITE ${work}/cprogram/main.c [=[
#include <corotracer.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    static corotracer_flight_options options;
    static corotracer_coroutine task;
    options.path = argc > 1 ? argv[1] : "/nonexistent/file";
    options.pool_bytes = 1 << 20;
    if (argc > 1)
        corotracer_start_flight_recorder(&options);
    corotracer_init();
    corotracer_name_thread("main");
    corotracer_birth(&task, "task");
    corotracer_resume(&task);
    corotracer_waits_on(&task, COROTRACER_WAIT_DESCRIPTOR, 0, corotracer_get_ns() + 1);
    corotracer_suspend(&task, COROTRACER_AWAIT, COROTRACER_HERE);
    corotracer_death(&task);
    puts(corotracer_flight_recorder_path()[0] != 0 ? "traced" : "untraced");
    return corotracer_abi() == COROTRACER_ABI ? 0 : 1;
}
]=])
file(WRITE ${work}/cprogram/CMakeLists.txt [=[
cmake_minimum_required(VERSION 3.25)
project(program C)
find_package(corotracer-probe 0.1 REQUIRED)
add_executable(c main.c)
target_link_libraries(c PRIVATE corotracer::probe-c)
]=])
run(${CMAKE_COMMAND} -S ${work}/cprogram -B ${work}/cbuild -G ${GENERATOR} -DCMAKE_C_COMPILER=${CC}
    -DCMAKE_C_FLAGS=${flags} -DCMAKE_PREFIX_PATH=${work}/moved)
run(${CMAKE_COMMAND} --build ${work}/cbuild)
expect(untraced ${work}/cbuild/c)
expect(traced ${work}/cbuild/c ${work}/c.shm)

if(pkg_config)
    ask_pkg_config(corotracer-probe-c)
    string(REPLACE "clang++" "clang" c_compilers "${CC};${clang}")
    if(SANITIZE)  # compilers do not share their sanitizers
        set(compilers ${CXX})
        set(c_compilers ${CC})
    endif()
    foreach(compiler ${c_compilers})
        foreach(level -O0 -O2)
            set(warnings -Wall -Wextra -Wshadow -Wpedantic -Werror)
            run(${compiler} -std=c11 ${level} ${warnings} ${flags} ${cflags} ${work}/cprogram/main.c ${libs} -o ${work}/c-pc)
            expect(untraced ${work}/c-pc)
            expect(traced ${work}/c-pc ${work}/c-pc${level}.shm)
            file(REMOVE ${work}/c-pc${level}.shm)
        endforeach()
        run(${compiler} -std=c11 -DCOROTRACER_NO_INLINE ${flags} ${cflags} ${work}/cprogram/main.c ${libs} -o ${work}/c-pc)
        expect(untraced ${work}/c-pc)
    endforeach()
    # The header in C++, alone and with the one of C++.
    file(WRITE ${work}/cprogram/both.cpp "#include <corotracer.h>\n#include <coroTracer.h>\n#include \"main.c\"\n")
    foreach(compiler ${compilers})
        run(${compiler} -std=c++11 -x c++ ${warnings} -fsyntax-only ${cflags} ${work}/cprogram/main.c)
        run(${compiler} -std=c++20 ${warnings} ${flags} ${cflags} ${work}/cprogram/both.cpp ${libs} -o ${work}/c-pc)
        expect(traced ${work}/c-pc ${work}/c-both.shm)
        file(REMOVE ${work}/c-both.shm)
    endforeach()
endif()

# A program in Rust. The region of the program in C++ shows whether the crate attaches.
find_program(cargo NAMES cargo HINTS /usr/bin NO_DEFAULT_PATH) # Debian's, the oldest that the crate supports
if(cargo)
    file(WRITE ${work}/rustprogram/src/main.rs [=[
use corotracer::TraceFutureExt;

fn main() {
    drop(async {}.traced().named("task"));
    println!("{}", if corotracer::tracer_enabled() { "traced" } else { "untraced" });
}
]=])
    file(WRITE ${work}/rustprogram/Cargo.toml "[package]
name = \"program\"
version = \"0.1.0\"
edition = \"2021\"

[workspace]

[dependencies]
corotracer = { path = \"${work}/moved/share/corotracer/rust\" }
")
    set(ENV{RUSTC} /usr/bin/rustc)
    set(ENV{CARGO_TARGET_DIR} ${work}/rustbuild)
    # Packages are installed by root, so nothing may be written to the crate.
    run(chmod -R a-w ${work}/moved/share/corotracer)
    run(${cargo} build --offline --quiet --manifest-path ${work}/rustprogram/Cargo.toml)
    run(chmod -R u+w ${work}/moved/share/corotracer)
    expect(untraced ${work}/rustbuild/debug/program)
    set(region CTP_SHM_PATH=${work}/plain.shm CTP_SOCK_PATH=${work}/none.sock CTP_MAX_STATIONS=16)
    run(${CMAKE_COMMAND} -E env ${region} ${work}/rustbuild/debug/program)
    if(NOT output STREQUAL "traced\n")
        message(FATAL_ERROR "the program in Rust says: ${output}")
    endif()
endif()
file(REMOVE_RECURSE ${work})
report_skips(cargo)

# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions for the tests of installed packages. Needs BUILD_DIR, SANITIZE and, for find_pkg_config(), CXX.

# install_package(<component>): installs the component below ${work}/moved. Sets ${flags} to the compiler flags for
# programs that link it.
macro(install_package component)
    set(work ${BUILD_DIR}/${component}-package)
    file(REMOVE_RECURSE ${work})
    file(MAKE_DIRECTORY ${work}/program)
    set(flags "")
    if(SANITIZE)
        set(flags -fsanitize=${SANITIZE})  # the libraries were built with it
    endif()
    run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/prefix --component ${component})
    # The package must not depend on the path it was installed to.
    file(RENAME ${work}/prefix ${work}/moved)
endmacro()

# run(<command>...): runs a command that must succeed. Sets ${output} to its stdout and stderr.
function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "failed (${status}): ${ARGN}\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

# find_pkg_config(<module>): finds ${pkg_config} and points it to the moved module. Sets ${compilers} to ${CXX} and, if
# installed, clang++.
macro(find_pkg_config module)
    find_program(pkg_config NAMES pkg-config pkgconf)
    find_program(clang NAMES clang++ clang++-14)
    set(compilers ${CXX})
    if(clang)
        list(APPEND compilers ${clang})
    endif()
    file(GLOB_RECURSE pc ${work}/moved/${module}.pc)
    cmake_path(GET pc PARENT_PATH pc_dir)
    set(ENV{PKG_CONFIG_PATH} ${pc_dir})
endmacro()

# report_skips([<tool>...]): prints a line for each tool that is missing, of these and those of find_pkg_config(). Call it
# last: CTest then reports the test as skipped.
macro(report_skips)
    foreach(tool pkg_config clang ${ARGN})
        if(NOT ${tool})
            message("SKIP ${CMAKE_CURRENT_LIST_FILE}: ${tool} is missing")
        endif()
    endforeach()
endmacro()

# ask_pkg_config(<module>): sets ${cflags} and ${libs} to the flags for programs that use the module.
macro(ask_pkg_config module)
    foreach(kind cflags libs)
        execute_process(COMMAND ${pkg_config} --${kind} ${module} OUTPUT_VARIABLE ${kind}
            OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
        separate_arguments(${kind} UNIX_COMMAND "${${kind}}")
    endforeach()
endmacro()

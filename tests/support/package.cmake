# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests of installed packages have in common. Wants BUILD_DIR and SANITIZE.

# install_package(<component>): installs it below ${work}/moved; ${flags} are the compiler's for what links it.
macro(install_package component)
    set(work ${BUILD_DIR}/${component}-package)
    file(REMOVE_RECURSE ${work})
    file(MAKE_DIRECTORY ${work}/program)
    set(flags "")
    if(SANITIZE)
        set(flags -fsanitize=${SANITIZE})  # as the libraries were built
    endif()
    run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/prefix --component ${component})
    # The package must not lean on the place it was installed to.
    file(RENAME ${work}/prefix ${work}/moved)
endmacro()

# run(<command>...): which must succeed; what it says is in ${output}.
function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "failed (${status}): ${ARGN}\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

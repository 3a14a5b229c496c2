# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Settings of all targets of the project: warnings, sanitizers, precompiled headers and ccache.

find_program(CT_CCACHE ccache)
if(CT_CCACHE)
    # Precompiled headers need this sloppiness: https://ccache.dev/manual/latest.html#_precompiled_headers
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime,locale ${CT_CCACHE})
endif()

add_library(ct_options INTERFACE)
target_compile_options(ct_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wundef -Werror=return-type -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(ct_options INTERFACE -fpch-preprocess)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # ccache cannot reuse what was compiled with a precompiled header that contains times.
    target_compile_options(ct_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()
target_compile_definitions(ct_options INTERFACE QT_NO_CAST_FROM_ASCII QT_NO_FOREACH QT_NO_KEYWORDS QT_DISABLE_DEPRECATED_BEFORE=0x060400)
target_include_directories(ct_options INTERFACE ${PROJECT_SOURCE_DIR})
# The build type of the sanitizer presets. Reports have line numbers, and compiling needs two thirds of the time of
# RelWithDebInfo.
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1")
if(CT_SANITIZE)
    target_compile_options(ct_options INTERFACE -fsanitize=${CT_SANITIZE} -fno-sanitize-recover=all)
    target_link_options(ct_options INTERFACE -fsanitize=${CT_SANITIZE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        # With this check, clang 14 cannot compile a coroutine that is inline or a template. The check also needs the C++
        # runtime, which programs in C do not link.
        target_compile_options(ct_options INTERFACE -fno-sanitize=function)
    endif()
    if(CT_SANITIZE MATCHES "thread")
        target_compile_options(ct_options INTERFACE -Werror=tsan)
    endif()
endif()

# ct_library(<name> [QT] SOURCES ... [LINK ...]): makes the static library of one room. QT adds moc and precompiled
# headers.
function(ct_library name)
    cmake_parse_arguments(arg "QT" "" "SOURCES;LINK" ${ARGN})
    add_library(${name} STATIC ${arg_SOURCES})
    target_link_libraries(${name} PUBLIC ct_options ${arg_LINK})
    if(arg_QT)
        ct_use_qt(${name})
        if("Qt6::Widgets" IN_LIST arg_LINK)
            ct_precompile(${name} <QtWidgets> <memory> <vector> <string>)
        else()
            ct_precompile(${name} <QtCore> <memory> <vector> <string>)
        endif()
    endif()
endfunction()

# ct_precompile(<target> <header>...): precompiles the headers if several sources share them. It costs seconds and
# 100 to 300 MB for each target.
function(ct_precompile name)
    get_target_property(sources ${name} SOURCES)
    list(LENGTH sources count)
    if(count GREATER 5)
        target_precompile_headers(${name} PRIVATE ${ARGN})
    endif()
endfunction()

# ct_use_qt(<target>): adds moc, resources and QtCore.
function(ct_use_qt name)
    set_target_properties(${name} PROPERTIES AUTOMOC ON AUTORCC ON)
    target_link_libraries(${name} PUBLIC Qt6::Core)
endfunction()

# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the application below a fresh prefix: program, man page, and what a desktop shows of it, which must fit together.
# cmake -DBUILD_DIR=... -DVERSION=... -P tst_install.cmake

cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../support/package.cmake)
install_package(Unspecified)
set(root ${work}/moved)

foreach(file bin/corotracer-gui share/man/man1/corotracer-gui.1 share/applications/corotracer-gui.desktop
        share/metainfo/corotracer-gui.metainfo.xml share/icons/hicolor/scalable/apps/corotracer-gui.svg)
    if(NOT EXISTS ${root}/${file})
        message(FATAL_ERROR "${file} is not installed")
    endif()
endforeach()

# names(<variable> <file> <regex>): the part in parentheses of the one line that matches.
function(names variable file regex)
    file(READ ${root}/${file} text)
    if(NOT text MATCHES "${regex}")
        message(FATAL_ERROR "${file} has no ${regex}")
    endif()
    set(${variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

set(desktop share/applications/corotracer-gui.desktop)
set(metainfo share/metainfo/corotracer-gui.metainfo.xml)
names(icon ${desktop} "\nIcon=([^\n]+)\n")
names(program ${desktop} "\nExec=([^ \n]+)")
names(launched ${metainfo} "<launchable type=\"desktop-id\">([^<]+)<")
names(stock ${metainfo} "<icon type=\"stock\">([^<]+)<")
names(binary ${metainfo} "<binary>([^<]+)<")
foreach(wanted share/icons/hicolor/scalable/apps/${icon}.svg share/icons/hicolor/scalable/apps/${stock}.svg
        bin/${program} bin/${binary} share/applications/${launched})
    if(NOT EXISTS ${root}/${wanted})
        message(FATAL_ERROR "${wanted} is referred to and not installed")
    endif()
endforeach()
run(${root}/bin/corotracer-gui --version)
if(NOT output STREQUAL "corotracer-gui ${VERSION}\n")
    message(FATAL_ERROR "the installed program says: ${output}")
endif()

# Not needed to build: the formats' own checks, where they are there.
find_program(appstreamcli NAMES appstreamcli)
if(appstreamcli)
    # Its errors only: it warns of an id that is not the name of a domain, and the project has none.
    execute_process(COMMAND ${appstreamcli} validate --no-net ${root}/${metainfo} OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(output MATCHES "E: ")
        message(FATAL_ERROR "${output}")
    endif()
endif()
find_program(desktop_file_validate NAMES desktop-file-validate)
if(desktop_file_validate)
    run(${desktop_file_validate} ${root}/${desktop})
endif()
file(REMOVE_RECURSE ${work})

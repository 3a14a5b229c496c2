# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the application below a fresh prefix. Checks that program, man page and desktop files are there and agree.
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

# names(<variable> <file> <regex>): sets the variable to the part of the file that matches the parentheses.
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

# The checkers of both formats are optional: they run only where they are installed.
find_program(appstreamcli NAMES appstreamcli)
if(appstreamcli)
    # Only errors count. It warns that the id is not a domain name, but the project has no domain.
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

// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs a program of this folder to its end, and returns the addresses that it printed and its mappings.
#pragma once

#include "core/symbols/buildid.h"
#include "core/symbols/modulemap.h"
#include "tests/support/paths.h"
#include "tests/support/skips.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace made {

struct Marker {
    int line = 0;
    std::uint64_t address = 0;
};

struct ProgramRun {
    std::map<std::string, Marker> locations;
    ct::ModuleMap modules;
    bool ran = false;
};

inline std::string path(const std::string &name)
{
    return ct::test::kSymbolProgramsDir + "/" + name;
}

/// Returns false, and reports a skip, if the program was not built because its compiler is missing.
inline bool exists(const std::string &name)
{
    const bool found = std::filesystem::exists(path(name));
    if (!found)
        ct::test::reportSkip(__FILE__, __LINE__, "the compiler that makes " + name + " is missing");
    return found;
}

/// Returns the executable mappings of files with build ids, as a recording has them.
inline ct::ModuleMap modulesOf(const std::vector<std::string> &lines)
{
    std::vector<ct::Module> modules;
    for (const std::string &line : lines) {
        ct::Module module;
        char rights[8] = "";
        int at = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx %7s %lx %*s %*s %n", &module.begin, &module.end, rights, &module.offset,
                        &at) != 4 ||
            rights[2] != 'x' || line.find('/') == std::string::npos)
            continue;
        module.path = line.substr(static_cast<std::size_t>(at));
        module.buildId = ct::buildIdOf(module.path);
        modules.push_back(module);
    }
    return ct::ModuleMap(modules);
}

inline ProgramRun run(const std::string &name)
{
    ProgramRun ran;
    std::FILE *output = ::popen(std::string("'").append(path(name)).append("'").c_str(), "r");
    std::vector<std::string> maps;
    bool inMaps = false;
    char text[4096];
    while (output && std::fgets(text, sizeof(text), output)) {
        std::string line(text);
        line.erase(line.find_last_not_of('\n') + 1);
        if (inMaps)
            maps.push_back(line);
        inMaps = inMaps || line == "maps";
        std::istringstream words(line);
        std::string key;
        Marker marker;
        if (!inMaps && words >> key >> marker.line >> std::hex >> marker.address)
            ran.locations[key] = marker;
    }
    ran.ran = output && ::pclose(output) == 0;
    ran.modules = modulesOf(maps);
    return ran;
}

/// Returns the number of the line with "// MARK <mark>" in a source of this folder.
inline int marked(const std::string &source, const std::string &mark)
{
    std::ifstream file(ct::test::kSourceDir + "/tests/core/symbols/" + source);
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        if (line.ends_with("// MARK " + mark))
            return number;
    }
    return 0;
}

}  // namespace made

// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the corpus's programs with other libraries share: the command line.
#pragma once

#include "support/arguments.h"

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace corpus {

struct PeerSetting {
    bool isBroken = false;
    unsigned threads = 1;
    std::chrono::milliseconds unit{20};  ///< programs pace themselves by multiples of it
};

struct PeerProgram {
    std::string name;
    std::function<void(const PeerSetting &)> run;
};

/// Runs the program that the command line names.
inline int runPeerProgram(int argc, char **argv, const std::vector<PeerProgram> &programs)
{
    std::vector<std::string> names;
    for (const PeerProgram &program : programs)
        names.push_back(program.name);
    targets::Arguments arguments("a program of the corpus; it runs until it is killed");
    arguments.choice("--program", names, "which")
        .flag("--broken", "with its defect")
        .number("--threads", 2, 1, 64, "threads")
        .number("--unit", 20, 1, 1000, "ms; programs pace themselves by multiples of it");
    arguments.parse(argc, argv);
    const PeerSetting setting{arguments.isSet("--broken"), static_cast<unsigned>(arguments.value("--threads")),
                              std::chrono::milliseconds(arguments.value("--unit"))};
    for (const PeerProgram &program : programs)
        if (program.name == arguments.word("--program"))
            program.run(setting);
    return 0;
}

}  // namespace corpus

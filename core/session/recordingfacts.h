// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a recording says of the machine and of processes, as the system tells it. Qt-free.
#pragma once

#include "core/recording/recordinginfo.h"

#include <map>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace ct {

RecordingInfo::Machine machineFacts();
RecordingInfo::Clocks clocksNow();
/// Executable and what is mapped to be executed, without build ids. Empty where we may not look, or it is gone.
RecordingInfo::Process processFacts(pid_t pid);
void addBuildIds(RecordingInfo::Process &process);
/// Of the variables that a process began with those that may go into a file: see mayBeKept().
std::map<std::string, std::string> keptEnvironment(pid_t pid);
/// An allow-list: what changes how a program runs under a tracer, or how its texts and times read. Never anything that
/// may be a secret.
bool mayBeKept(std::string_view variable);
/// 16 hexadecimal digits.
std::string randomSessionId();

/// Qt-free and for tests: the executable mappings of a /proc/PID/maps.
std::vector<RecordingInfo::Module> modulesIn(std::string_view maps);

}  // namespace ct

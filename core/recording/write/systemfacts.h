// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Facts about the machine and about processes for a recording, as the system reports them. Qt-free.
#pragma once

#include "core/recording/format/recordinginfo.h"

#include <map>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace ct {

RecordingInfo::Machine machineFacts();
RecordingInfo::Clocks clocksNow();
/// Executable and executable mappings of a process, without build ids. Empty when the process has ended, or when access
/// is denied.
RecordingInfo::Process processFacts(pid_t pid);
void addBuildIds(RecordingInfo::Process &process);
/// The variables of a process's initial environment that may go into a file: see mayBeKept().
std::map<std::string, std::string> keptEnvironment(pid_t pid);
/// An allow-list: variables that change how a program runs under a tracer, or how its texts and times read. No variable
/// that may contain a secret.
bool mayBeKept(std::string_view variable);
/// 16 hexadecimal digits.
std::string randomSessionId();

/// Parses the executable mappings from the text of /proc/PID/maps. Public for tests.
std::vector<RecordingInfo::Module> modulesIn(std::string_view maps);

}  // namespace ct

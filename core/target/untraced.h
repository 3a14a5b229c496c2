// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Explains why a target shows no coroutine: collects facts that distinguish the causes, and names the likely one.
#pragma once

#include "core/stream/stream.h"
#include "core/target/mappingprocesses.h"
#include "core/target/targetprocess.h"

#include <QCoreApplication>
#include <QString>

#include <memory>
#include <set>

namespace ct {

/// Facts about a target that shows no coroutine. A plain value.
struct UntracedFacts {
    bool hasEntry = false;         ///< a probe of this project has registered its process in the region
    bool mapped = false;           ///< a process was seen to map the region
    bool connected = false;        ///< a process connected to the engine's socket
    bool livesUnmapped = false;    ///< a connected process lives, and does not map the region
    bool lacksVariables = false;   ///< a process of the launched group lives without CTP_SHM_PATH
    std::string dropsEnvironment;  ///< word of the command that drops variables, as "sudo"; empty: none
    std::string gainsRights;       ///< program of the command with more rights than ours, as "ping"; empty: none
};

class Untraced {
    Q_DECLARE_TR_FUNCTIONS(ct::Untraced)
public:
    /// Returns one sentence. The causes are rows of one table in the .cpp file.
    static QString why(const UntracedFacts &facts);
};

/// Returns the word of a command that starts the program with an environment of its own ("sudo", "env -i"); empty:
/// none.
std::string environmentDropper(const LaunchSpec &command);

/// Collects UntracedFacts of one run. Main thread.
class UntracedWatch {
public:
    UntracedWatch();
    /// Sink for the session: notices processes that register themselves.
    std::shared_ptr<Sink> sink() const;
    void launched(const LaunchSpec &command, pid_t pid);
    void connected(int pid);  ///< 0: a process without a pid in our namespace
    /// Reads /proc for the processes that live now. `mapped`: a process was seen to map the region.
    UntracedFacts facts(const FileIdentity &region, bool mapped) const;

private:
    class Entries;
    const std::shared_ptr<Entries> m_entries;
    std::string m_dropper;
    std::string m_privileged;
    pid_t m_launched = 0;
    bool m_connected = false;
    std::set<pid_t> m_peers;
};

}  // namespace ct

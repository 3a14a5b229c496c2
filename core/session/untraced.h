// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Why a target shows no coroutine: collects what distinguishes the causes, and names the likely one in a sentence.
#pragma once

#include "core/session/mappings.h"
#include "core/session/targetprocess.h"
#include "core/trace/stream.h"

#include <QCoreApplication>
#include <QString>

#include <memory>
#include <set>

namespace ct {

/// What is known of a target that shows no coroutine. A plain value.
struct UntracedFacts {
    bool hasEntry = false;         ///< a probe of ours has registered its process in the region
    bool mapped = false;           ///< a process was seen to map the region
    bool connected = false;        ///< a process connected to the engine's socket
    bool livesUnmapped = false;    ///< one that connected lives, and does not map the region
    bool lacksVariables = false;   ///< a process of the launched group lives without CTP_SHM_PATH
    std::string dropsEnvironment;  ///< word of the command that drops variables: "sudo"; empty: none
    std::string gainsRights;       ///< program of the command that has more rights than we: "ping"; empty: none
};

class Untraced {
    Q_DECLARE_TR_FUNCTIONS(ct::Untraced)
public:
    /// One sentence. The causes are rows of one table in the .cpp file.
    static QString why(const UntracedFacts &facts);
};

/// The word of a command line that starts the program with an environment of its own ("sudo", "env -i"); empty: none.
std::string environmentDropper(const LaunchSpec &command);

/// Collects UntracedFacts of one run. Main thread.
class UntracedWatch {
public:
    UntracedWatch();
    /// For the session's sinks: notices processes that register themselves.
    std::shared_ptr<Sink> sink() const;
    void launched(const LaunchSpec &command, pid_t pid);
    void connected(int pid);  ///< 0: a process that has no pid here
    /// Reads /proc for what lives at present. `mapped`: a process was seen to map the region.
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

// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/convertregion.h"

#include "app/batch/batch.h"
#include "app/batch/console.h"
#include "app/batch/consolesignals.h"
#include "app/batch/filesdiffer.h"
#include "app/batch/inputcopy.h"
#include "app/batch/recordedrun.h"
#include "core/databases/serveraddress.h"
#include "core/exporting/exportformat.h"

#include <memory>
#include <string>

namespace ct {

int convertRegion(const CommandLine &line, const std::function<int(const CommandLine &)> &capture)
{
    const auto fail = [](const Error &error) {
        Console().print(QString::fromStdString(error.message));
        return int{kExitOutput};
    };
    if (const Result<void> checked = checkFilesDiffer(line); !checked)
        return fail(checked.error());
    const std::string region = line.start.inputPath();
    const Result<std::unique_ptr<InputCopy>> copy = InputCopy::makeEmpty(line, region);
    if (!copy)
        return fail(copy.error());
    CommandLine toCopy = line;
    toCopy.exports = {{std::string(kRecordingKind), (*copy)->path()}};
    toCopy.diagnosis = {};
    // On a server, a second export of the same region replaces the first one.
    toCopy.sessionId = sourceOfInput(region);
    noteEndSignals();  // for the time between the capture and the conversion
    const int captured = capture(toCopy);
    if (captured == kExitSuccess)
        return runCopied(line, **copy);
    Console().print(captured >= kExitSignalBase ? QStringLiteral("interrupted: nothing was written")
                                                : QStringLiteral("nothing was written"));
    return captured;
}

}  // namespace ct

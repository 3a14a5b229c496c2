// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch.h"
#include "app/commandline.h"
#include "app/descriptors.h"
#include "app/display.h"
#include "app/window.h"

#include <QCoreApplication>

#include <cstdio>
#include <unistd.h>

namespace {

int complain(const ct::Error &error, int code)
{
    std::fprintf(stderr, "corotracer-gui: %s\n", error.message.c_str());
    return code;
}

/// Qt must not see what belongs to a target: it would take a -style or -platform from there.
std::vector<char *> argumentsForQt(char *program, std::vector<std::string> &options)
{
    std::vector<char *> result{program};
    for (std::string &option : options)
        result.push_back(option.data());
    result.push_back(nullptr);
    return result;
}

}  // namespace

int main(int argc, char **argv)
{
    const std::vector<int> inherited = ct::settleDescriptors();
    QCoreApplication::setApplicationName(QStringLiteral("corotracer-gui"));
    QCoreApplication::setOrganizationName(QStringLiteral("corotracer-gui"));
    QCoreApplication::setApplicationVersion(QStringLiteral(CT_VERSION));

    ct::Result<ct::CommandLine> parsed = ct::parseCommandLine({argv + (argc > 0 ? 1 : 0), argv + argc});
    if (!parsed)
        return complain(parsed.error(), ct::kExitUsage);
    ct::CommandLine &line = *parsed;
    if (line.mode == ct::CommandLine::Mode::Help)
        return std::fputs(ct::usageText().c_str(), stdout) >= 0 ? 0 : 1;
    if (line.mode == ct::CommandLine::Mode::Version)
        return std::puts("corotracer-gui " CT_VERSION) >= 0 ? 0 : 1;

    std::vector<char *> qtArguments = argumentsForQt(argv[0], line.qtArguments);
    int qtCount = static_cast<int>(qtArguments.size()) - 1;
    if (line.mode == ct::CommandLine::Mode::Batch) {
        if (auto *target = std::get_if<ct::LaunchSpec>(&line.start.what))
            target->keptDescriptors = inherited;
        const QCoreApplication application(qtCount, qtArguments.data());
        return ct::runBatch(line);
    }
    if (std::holds_alternative<ct::InputRequest>(line.start.what) && ::isatty(STDIN_FILENO) == 1)
        return complain({ct::ErrorCode::InvalidArgument,
                         "--input -: standard input is a terminal; send a recording into it through a pipe: "
                         "corotracer-gui --batch -o - -- TARGET | corotracer-gui --input -"},
                        ct::kExitUsage);
    if (const ct::Result<void> display = ct::checkDisplay(qtCount, qtArguments.data()); !display)
        return complain(display.error(), ct::kExitCapture);
    return ct::runWindow(line, qtCount, qtArguments.data());
}

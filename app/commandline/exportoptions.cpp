// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/exportoptions.h"

#include "app/commandline/optionvalues.h"
#include "core/base/fileending.h"
#include "core/databases/serveraddress.h"
#include "core/exporting/exportformat.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ct {

namespace {

/// The existing collector's names for kinds.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOtherNames{
    {{"dataframe", "csv"}, {"postgres", "postgresql"}}};

std::string knownKinds()
{
    std::string names;
    for (const ExportFormat &format : exportFormats())
        names += std::string(format.kind) + ", ";
    return names + "postgresql, mysql";
}

/// Checks the address of a database on a server. `input`: the input of a conversion, or empty.
Result<void> checkAddress(const CommandLine::Export &requested, const std::string &input)
{
    const std::string option = "--export " + requested.kind;
    const std::string form = requested.kind + "://[USER@]HOST[:PORT]/DATABASE";
    if (requested.output.empty())
        return usageError(option + " needs --output " + form);
    if (exportFormatFor(requested.output) != exportFormatOfKind(requested.kind))
        return usageError(option + ": its --output must be " + form);
    const Result<ServerAddress> address = parseServerAddress(requested.output);
    if (!address)
        return usageError(option + ": " + address.error().message);
    const Result<ServerAddress> read = parseServerAddress(input);
    if (read && areSameDatabase(*read, *address))
        return usageError(option + ": its --output is the database of --input; choose another database");
    return {};
}

/// The file that outputs are named after, with another extension; empty: there is none.
std::string namesake(const CommandLine &line, const std::string &source)
{
    if (source.starts_with("--input "))
        return isServerAddress(line.start.inputPath()) ? std::string() : line.start.inputPath();
    return line.streams() ? std::string() : line.outputPath;
}

/// In a capture, the file of --export ctr is the main output, and that of -o becomes an export.
Result<void> makeRecordingMainOutput(CommandLine &line)
{
    const auto recording = std::find_if(line.exports.begin(), line.exports.end(),
                                        [](const CommandLine::Export &one) { return one.kind == kRecordingKind; });
    if (recording == line.exports.end())
        return {};
    const ExportFormat *const main = line.outputPath.empty() ? nullptr : exportFormatFor(line.outputPath);
    if (line.records() || (!line.outputPath.empty() && !main))
        return usageError("--export ctr: the capture has -o " + line.outputPath + "; choose one of them");
    if (!hasEnding(recording->output, ".ctr"))
        return usageError("--export ctr needs --output FILE.ctr");
    std::swap(line.outputPath, recording->output);
    if (main)
        recording->kind = main->kind;
    else
        line.exports.erase(recording);
    return makeRecordingMainOutput(line);
}

}  // namespace

std::string withoutEnding(std::string path)
{
    const auto cut = [&path] {
        const std::size_t dot = path.rfind('.');
        const std::size_t slash = path.rfind('/');
        const std::size_t nameBegin = slash == std::string::npos ? 0 : slash + 1;
        if (dot != std::string::npos && dot > nameBegin)
            path.resize(dot);
    };
    if (hasEnding(path, ".gz") || hasEnding(path, ".zst"))
        cut();
    cut();
    return path;
}

bool isOfServer(const CommandLine::Export &requested)
{
    return exportFormatOfKind(requested.kind)->isOfServer();
}

Result<void> addExport(std::vector<CommandLine::Export> &exports, const std::string &value)
{
    const auto other = std::find_if(kOtherNames.begin(), kOtherNames.end(),
                                    [&value](const auto &names) { return names.first == value; });
    const std::string kind(other != kOtherNames.end() ? other->second : value);
    if (!exportFormatOfKind(kind))
        return usageError("--export " + value + ": expected one of " + knownKinds());
    exports.push_back({kind, {}});
    return {};
}

Result<void> setOutputOfExport(CommandLine::Export &requested, const std::string &name, const std::string &value)
{
    const std::string kind = "--export " + requested.kind;
    if (value.empty())
        return usageError(name + ": its value is empty; give one");
    if (!requested.output.empty())
        return usageError(name + " " + value + ": " + kind +
                          " already has an output; the output of a capture comes before the first --export");
    if (value == "-")
        return usageError(name + " -: " + kind + " needs a file name");
    requested.output = value;
    return {};
}

/// -o with the address of a server is an export.
void makeServerExport(CommandLine &line)
{
    if (!isServerAddress(line.outputPath))
        return;
    line.exports.insert(line.exports.begin(), {std::string(exportFormatFor(line.outputPath)->kind), line.outputPath});
    line.outputPath.clear();
}

Result<void> completeExports(CommandLine &line, const std::string &source)
{
    makeServerExport(line);
    const std::string stem = namesake(line, source);
    for (CommandLine::Export &requested : line.exports) {
        if (isOfServer(requested)) {
            if (Result<void> checked = checkAddress(requested, line.start.inputPath()); !checked)
                return checked;
            continue;
        }
        const std::string option = "--export " + requested.kind;
        if (exportFormatOfKind(requested.kind)->isMisnamed(requested.output))
            return usageError(option + ": " + requested.output +
                              " would not be compressed: only jsonl and csv can be; choose another name");
        if (isServerAddress(requested.output))
            return usageError(option + " needs a file as its --output, not the address of a server: choose --export " +
                              std::string(exportFormatFor(requested.output)->kind) + ", or the name of a file");
        if (!requested.output.empty())
            continue;
        if (stem.empty())
            return usageError(option + " needs --output FILE: there is no file to derive its name from");
        requested.output = withoutEnding(stem) + "." + std::string(exportFormatOfKind(requested.kind)->extension);
        if (requested.output == stem)
            return usageError(option + " needs --output FILE: " + stem + " would be both its input and its output");
    }
    line.convertsRegion =
        source.starts_with("--input ") && line.start.kind() == RunKind::Attached && !line.exports.empty();
    const bool captures = !readsRecording(line.start.kind()) && !line.convertsRegion;
    return captures ? makeRecordingMainOutput(line) : Result<void>();
}

}  // namespace ct

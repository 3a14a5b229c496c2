// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/filesdiffer.h"

#include "core/recording/segments.h"

#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace ct {

namespace {

struct NamedFile {
    std::string name;
    std::string path;  ///< "-": standard output
};

std::optional<struct stat> statusOf(const std::string &path)
{
    struct stat status {};
    const int failed = path == "-" ? fstat(STDOUT_FILENO, &status) : stat(path.c_str(), &status);
    // What is written into a terminal or a device does not replace anything.
    return failed == 0 && !S_ISCHR(status.st_mode) && !S_ISBLK(status.st_mode) ? std::optional(status) : std::nullopt;
}

bool areSame(const std::optional<struct stat> &a, const std::optional<struct stat> &b)
{
    return a && b && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

}  // namespace

Result<void> checkFilesDiffer(const CommandLine &line)
{
    std::vector<NamedFile> files;
    std::string output;
    if (!line.outputPath.empty() && !line.keepsOnly()) {  // dumps get names that are free
        output = line.limit.any() ? ctr::segmentPath(line.outputPath, 0) : line.outputPath;
        files.push_back({"-o " + line.outputPath, output});
    }
    if (!line.summaryPath.empty())
        files.push_back({"--summary " + line.summaryPath, line.summaryPath});
    if (const auto *attach = std::get_if<AttachRequest>(&line.start.what))
        files.push_back({"--attach " + attach->regionPath, attach->regionPath});
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (std::size_t j = i + 1; j < files.size(); ++j) {
            if (areSame(statusOf(files[i].path), statusOf(files[j].path)))
                return Error{ErrorCode::InvalidArgument,
                             files[i].name + " and " + files[j].name + " are the same file; choose different ones"};
        }
    }
    struct stat messages {};
    if (!output.empty() && fstat(STDERR_FILENO, &messages) == 0 && areSame(statusOf(output), messages))
        return Error{ErrorCode::InvalidArgument, "-o " + line.outputPath +
                                                     " and standard error are the same file: "
                                                     "messages would damage it; send them elsewhere (2> FILE)"};
    return {};
}

}  // namespace ct

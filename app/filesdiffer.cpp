// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/filesdiffer.h"

#include "core/recording/segments.h"

#include <array>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace ct {

namespace {

struct NamedFile {
    std::string name;
    std::string path;     ///< "-": standard output
    bool isRead = false;  ///< not written
    bool isText = false;  ///< may share a stream
};

/// What others write, the target and our messages.
struct Stream {
    int fd;
    const char *name;
    const char *what;
    const char *redirection;
};
constexpr std::array<Stream, 2> kStreams{{
    {STDOUT_FILENO, "standard output", "lines of the target", "> FILE"},
    {STDERR_FILENO, "standard error", "messages", "2> FILE"},
}};

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
    if (!line.outputPath.empty() && !line.keepsOnly()) {  // dumps get names that are free
        const std::string output = line.limit.any() ? ctr::segmentPath(line.outputPath, 0) : line.outputPath;
        files.push_back({"-o " + line.outputPath, output});
    }
    if (!line.summaryPath.empty())
        files.push_back({"--summary " + line.summaryPath, line.summaryPath, false, true});
    if (const auto *attach = std::get_if<AttachRequest>(&line.start.what))
        files.push_back({"--attach " + attach->regionPath, attach->regionPath, true});
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (std::size_t j = i + 1; j < files.size(); ++j) {
            if (areSame(statusOf(files[i].path), statusOf(files[j].path)))
                return Error{ErrorCode::InvalidArgument,
                             files[i].name + " and " + files[j].name + " are the same file; choose different ones"};
        }
    }
    for (const Stream &stream : kStreams) {
        for (const NamedFile &file : files) {
            struct stat status {};
            const bool isAskedFor =
                (file.path == "-" && (stream.fd == STDOUT_FILENO || file.isText)) || file.path.starts_with("/dev/");
            if (!isAskedFor && !file.isRead && fstat(stream.fd, &status) == 0 && areSame(statusOf(file.path), status))
                return Error{ErrorCode::InvalidArgument,
                             file.name + " and " + stream.name + " are the same file: " + stream.what +
                                 " would damage it; send them elsewhere (" + stream.redirection + ")"};
        }
    }
    return {};
}

}  // namespace ct

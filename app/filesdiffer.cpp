// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/filesdiffer.h"

#include "core/exporting/exporting.h"
#include "core/filekey.h"
#include "core/recording/segments.h"
#include "core/recording/standardstreams.h"
#include "core/session/capturespec.h"

#include <array>
#include <fcntl.h>
#include <filesystem>
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

/// A file; or the directory in which it would be created, and its name there.
struct Place {
    FileKey key;
    std::string name;  ///< empty: the file exists

    bool operator==(const Place &) const = default;
};

/// Where a chain of links ends, whether or not a file is there.
std::filesystem::path behindLinks(const std::string &path)
{
    constexpr int kMostLinks = 40;  // as the kernel has it
    std::filesystem::path at(path);
    std::error_code failed;
    for (int i = 0; i < kMostLinks; ++i) {
        const std::filesystem::path target = std::filesystem::read_symlink(at, failed);
        if (failed)
            break;
        at = at.parent_path() / target;
    }
    return at;
}

/// nullopt: the path is no place for a file, or a terminal or a device, where nothing is replaced.
std::optional<Place> placeOf(const std::string &path)
{
    struct stat status {};
    const std::optional<int> stream = outputStreamNamed(path);
    if ((stream ? fstat(*stream, &status) : stat(path.c_str(), &status)) == 0) {
        if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
            return std::nullopt;
        return Place{{status.st_dev, status.st_ino}, {}};
    }
    const std::filesystem::path file = behindLinks(path);
    const std::filesystem::path directory = file.has_parent_path() ? file.parent_path() : ".";
    const std::optional<FileKey> key = FileKey::of(directory.string());
    return key && file.has_filename() ? std::optional(Place{*key, file.filename().string()}) : std::nullopt;
}

bool areSame(const std::optional<Place> &a, const std::optional<Place> &b)
{
    return a && a == b;
}

/// The name of a recording, or of one of the numbered files that it may come to.
bool isNameOf(const std::string &recording, const std::string &path)
{
    const std::optional<ctr::SegmentName> segment = ctr::segmentNameOf(behindLinks(path).string());
    return areSame(placeOf(path), placeOf(recording)) ||
           (segment && areSame(placeOf(segment->path), placeOf(recording)));
}

Error sameFile(const NamedFile &a, const NamedFile &b)
{
    return {ErrorCode::InvalidArgument, a.name + " and " + b.name + " are the same file; choose different ones"};
}

/// The files that SQLite creates and removes next to a database. It follows links to find their place.
void addDatabaseFiles(const std::string &output, std::vector<NamedFile> &files)
{
    const ExportFormat *const format = exportFormatFor(output);
    if (!format || format->extension != "sqlite")
        return;
    for (const char *suffix : {"-journal", "-wal", "-shm"})
        files.push_back({"the file " + output + suffix + " of the database", behindLinks(output).string() + suffix});
}

/// In the order of the options in messages.
std::vector<NamedFile> filesOf(const CommandLine &line)
{
    std::vector<NamedFile> files;
    if (!line.outputPath.empty() && !line.keepsOnly()) {  // dumps get names that are free
        const std::string output = line.limit.any() ? ctr::segmentPath(line.outputPath, 0) : line.outputPath;
        files.push_back({"-o " + line.outputPath, output});
        addDatabaseFiles(line.outputPath, files);
    }
    if (!line.summaryPath.empty())
        files.push_back({"--summary " + line.summaryPath, line.summaryPath, false, true});
    if (const auto *attach = std::get_if<AttachRequest>(&line.start.what))
        files.push_back({"--attach " + attach->regionPath, attach->regionPath, true});
    const CaptureSpec &capture = line.start.capture;
    if (!capture.regionPath.empty())
        files.push_back({"--shm " + capture.regionPath, capture.regionPath});
    if (!capture.socketPath.empty())
        files.push_back({"--sock " + capture.socketPath, capture.socketPath});
    else if (const Result<std::string> socket = socketPathOf(capture, capture.regionPath);
             socket && !capture.regionPath.empty())
        files.push_back({"the socket of --shm " + capture.regionPath, *socket});
    return files;
}

bool writesRegularFile(int fd)
{
    struct stat status {};
    const int flags = ::fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

/// A file that is opened by its name is emptied. Only a name that outputStreamNamed() knows is one of the descriptor.
Result<void> checkInherited(const NamedFile &file, int fd)
{
    const std::optional<FileKey> key = FileKey::of(fd);
    if (file.isRead || outputStreamNamed(file.path) || !key || !areSame(placeOf(file.path), Place{*key, {}}) ||
        !writesRegularFile(fd))
        return {};
    const std::string number = std::to_string(fd);
    const std::string remedy = file.isText
                                   ? "; write behind its content with /dev/fd/" + number + ", or choose another file"
                                   : "; choose another file";
    return Error{ErrorCode::InvalidArgument, file.name + " and the inherited descriptor " + number +
                                                 " are the same file: its content would be lost" + remedy};
}

}  // namespace

Result<void> checkFilesDiffer(const CommandLine &line)
{
    const std::vector<NamedFile> files = filesOf(line);
    const bool isNumbered = line.records() && !line.streams();
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (std::size_t j = i + 1; j < files.size(); ++j) {
            if (areSame(placeOf(files[i].path), placeOf(files[j].path)))
                return sameFile(files[i], files[j]);
        }
        if (isNumbered && i > 0 && isNameOf(line.outputPath, files[i].path))
            return sameFile(files.front(), files[i]);
    }
    for (const Stream &stream : kStreams) {
        for (const NamedFile &file : files) {
            const std::optional<int> named = outputStreamNamed(file.path);
            const bool isAskedFor = named && (*named == stream.fd || file.isText);
            const std::optional<FileKey> key = FileKey::of(stream.fd);
            if (!isAskedFor && !file.isRead && key && areSame(placeOf(file.path), Place{*key, {}}))
                return Error{ErrorCode::InvalidArgument,
                             file.name + " and " + stream.name + " are the same file: " + stream.what +
                                 " would damage it; send them elsewhere (" + stream.redirection + ")"};
        }
    }
    for (const NamedFile &file : files) {
        for (const int fd : line.inherited) {
            if (Result<void> checked = checkInherited(file, fd); !checked)
                return checked;
        }
    }
    return {};
}

}  // namespace ct

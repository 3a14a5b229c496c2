// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/debugfile.h"

#include "core/symbols/buildid.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <utility>

namespace ct {

namespace {

std::string folderOf(const std::string &path)
{
    return path.substr(0, path.find_last_of('/') + 1);
}

std::string nameOf(const std::string &path)
{
    return path.substr(path.find_last_of('/') + 1);
}

/// Returns "/.build-id/ab/cdef.debug", or an empty text if `buildId` is invalid.
std::string buildIdPath(const std::string &buildId)
{
    if (buildId.size() < 6 || buildId.find_first_not_of("0123456789abcdef") != std::string::npos)
        return {};
    return "/.build-id/" + buildId.substr(0, 2) + "/" + buildId.substr(2) + ".debug";
}

/// Removes the suffix that the kernel adds to the path of a deleted file's mapping.
std::string withoutDeleted(const std::string &path)
{
    constexpr std::string_view kDeleted = " (deleted)";
    return path.ends_with(kDeleted) ? path.substr(0, path.size() - kDeleted.size()) : path;
}

std::vector<std::string> binaryCandidates(const std::string &path, const DebugSearchPath &searchPath)
{
    std::vector<std::string> candidates;
    for (const std::string &root : searchPath.roots)
        candidates.push_back(root + path);
    for (const std::string &folder : searchPath.folders) {
        candidates.push_back(folder + path);
        candidates.push_back(folder + "/" + nameOf(path));
    }
    return candidates;
}

void findBinary(const Module &module, const DebugSearchPath &searchPath, ModuleFiles &files)
{
    const std::string path = withoutDeleted(module.path);
    for (const std::string &candidate : binaryCandidates(path, searchPath)) {
        Result<ElfImage> image = ElfImage::open(candidate);
        if (!image) {
            files.lacksMemory = files.lacksMemory || image.error().code == ErrorCode::NoSpace;
            if (image.error().code != ErrorCode::NotFound && files.reason != Unresolved::OtherBuild) {
                files.reason = Unresolved::Unreadable;
                files.remedy = image.error().message;
            }
            continue;
        }
        if (!module.buildId.empty() && image->buildId() != module.buildId) {
            files.reason = Unresolved::OtherBuild;
            files.remedy = candidate + " is not the build that ran (build id " + module.buildId +
                           "); name a folder that contains that build";
            continue;
        }
        files.binary = std::move(*image);
        files.reason = Unresolved::None;
        files.remedy.clear();
        return;
    }
    if (files.reason == Unresolved::None) {
        files.reason = Unresolved::NoFile;
        files.remedy = path + " does not exist; name a folder that contains it or its debug file" +
                       (module.buildId.empty() ? "" : " (build id " + module.buildId + ")");
    }
}

std::vector<std::string> byBuildId(const std::string &buildId, const DebugSearchPath &searchPath)
{
    std::vector<std::string> candidates;
    const std::string name = buildIdPath(buildId);
    for (const auto *folders : {&searchPath.folders, &searchPath.debugFolders}) {
        for (const std::string &folder : *folders) {
            if (!name.empty())
                candidates.push_back(folder + name);
        }
    }
    return candidates;
}

std::vector<std::string> byLink(const ElfImage &binary, const std::string &link, const DebugSearchPath &searchPath)
{
    const std::string folder = folderOf(binary.path());
    std::vector<std::string> candidates{folder + link, folder + ".debug/" + link};
    for (const std::string &debugFolder : searchPath.debugFolders)
        candidates.push_back(debugFolder + folder + link);
    for (const std::string &root : searchPath.folders)
        candidates.push_back(root + "/" + link);
    return candidates;
}

/// Opens the file if it has debug information of this build.
std::optional<ElfImage> debugOf(const std::string &path, const std::string &buildId, const std::uint32_t *crc,
                                ModuleFiles &files)
{
    // The build id is cheap to read, and most candidates do not exist.
    const std::string own = buildIdOf(path);
    const bool sameBuild = !buildId.empty() && own == buildId;
    if (!sameBuild && (!crc || (!buildId.empty() && !own.empty()) || fileCrc(path) != *crc))
        return std::nullopt;
    Result<ElfImage> image = ElfImage::open(path);
    if (!image && image.error().code == ErrorCode::NoSpace) {
        files.lacksMemory = true;
        files.reason = Unresolved::Unreadable;
        files.remedy = image.error().message;
    }
    if (!image || !image->hasDwarf())
        return std::nullopt;
    return std::move(*image);
}

std::optional<ElfImage> findDebug(const ElfImage *binary, const std::string &buildId, const DebugSearchPath &searchPath,
                                  ModuleFiles &files)
{
    for (const std::string &candidate : byBuildId(buildId, searchPath)) {
        if (auto image = debugOf(candidate, buildId, nullptr, files))
            return image;
    }
    if (const auto link = binary ? binary->debugLink() : std::nullopt) {
        for (const std::string &candidate : byLink(*binary, link->name, searchPath)) {
            auto image = candidate == binary->path() ? std::nullopt : debugOf(candidate, buildId, &link->crc, files);
            if (image)
                return image;
        }
    }
    if (const std::string fetched = searchPath.fetch && !buildId.empty() ? searchPath.fetch(buildId) : "";
        !fetched.empty())
        return debugOf(fetched, buildId, nullptr, files);
    return std::nullopt;
}

}  // namespace

ModuleFiles findModuleFiles(const Module &module, const DebugSearchPath &searchPath)
{
    ModuleFiles files;
    findBinary(module, searchPath, files);
    if (files.binary && files.binary->hasDwarf())
        return files;
    const std::string &buildId = files.binary ? files.binary->buildId() : module.buildId;
    files.debug = findDebug(files.binary ? &*files.binary : nullptr, buildId, searchPath, files);
    if (files.debug) {
        files.reason = Unresolved::None;
        files.remedy.clear();
    }
    return files;
}

std::optional<std::uint32_t> fileCrc(const std::string &path)
{
    static const auto kTable = [] {
        std::array<std::uint32_t, 256> table{};
        for (std::uint32_t i = 0; i < table.size(); ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit)
                value = (value >> 1) ^ ((value & 1) != 0 ? 0xEDB88320U : 0);
            table[i] = value;
        }
        return table;
    }();
    std::ifstream file(path, std::ios::binary);
    std::vector<char> block(64U << 10);
    std::uint32_t crc = ~0U;
    while (file) {
        file.read(block.data(), static_cast<std::streamsize>(block.size()));
        for (std::streamsize i = 0; i < file.gcount(); ++i)
            crc = kTable[(crc ^ static_cast<unsigned char>(block[static_cast<std::size_t>(i)])) & 255] ^ (crc >> 8);
    }
    return file.eof() ? std::optional(~crc) : std::nullopt;
}

}  // namespace ct

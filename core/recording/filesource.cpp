// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/filesource.h"

#include "core/recording/jsonlreader.h"
#include "core/recording/recordingreader.h"

namespace ct {

namespace {

template <class Reader>
Result<std::unique_ptr<FileSource>> openAs(const std::string &path)
{
    Result<std::unique_ptr<Reader>> reader = Reader::open(path);
    if (!reader)
        return reader.error();
    return std::unique_ptr<FileSource>(std::move(*reader));
}

}  // namespace

Result<std::unique_ptr<FileSource>> openRecording(const std::string &path)
{
    return RecordingReader::isRecording(path) ? openAs<RecordingReader>(path) : openAs<JsonlReader>(path);
}

}  // namespace ct

// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/library/openrecording.h"

#include "core/recording/read/recordingreader.h"
#include "core/recording/text/jsonlreader.h"

namespace ct {

Result<std::unique_ptr<StreamFile>> openRecording(const std::string &path, std::shared_ptr<StreamIndex> streamIndex,
                                                  FileGrowth *growth, OutputHandler handleOutput, ReadOptions options)
{
    if (!RecordingReader::isRecording(path)) {
        Result<std::unique_ptr<JsonlReader>> lines = JsonlReader::open(path, options);
        if (!lines)
            return lines.error();
        if (streamIndex)
            streamIndex->close();
        return std::unique_ptr<StreamFile>(std::move(*lines));
    }
    Result<std::unique_ptr<RecordingReader>> reader = RecordingReader::open(path, std::move(handleOutput), growth);
    if (!reader)
        return reader.error();
    if (streamIndex)
        (*reader)->setStreamIndex(std::move(streamIndex));
    return std::unique_ptr<StreamFile>(std::move(*reader));
}

}  // namespace ct

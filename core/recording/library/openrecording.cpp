// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/library/openrecording.h"

#include "core/recording/read/recordingreader.h"
#include "core/recording/text/jsonlreader.h"

namespace ct {

Result<std::unique_ptr<FileSource>> openRecording(const std::string &path, std::shared_ptr<StreamIndex> places,
                                                  FileGrowth *growth, TakeOutput takeOutput)
{
    if (!RecordingReader::isRecording(path)) {
        Result<std::unique_ptr<JsonlReader>> lines = JsonlReader::open(path);
        if (!lines)
            return lines.error();
        if (places)
            places->close();
        return std::unique_ptr<FileSource>(std::move(*lines));
    }
    Result<std::unique_ptr<RecordingReader>> reader = RecordingReader::open(path, std::move(takeOutput), growth);
    if (!reader)
        return reader.error();
    if (places)
        (*reader)->setPlaces(std::move(places));
    return std::unique_ptr<FileSource>(std::move(*reader));
}

}  // namespace ct

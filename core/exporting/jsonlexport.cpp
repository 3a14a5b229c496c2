// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/jsonlexport.h"

#include "core/exporting/knownlocations.h"
#include "core/recording/text/jsonlwriter.h"

#include <utility>

namespace ct {

Result<std::shared_ptr<Sink>> makeJsonlExport(const std::string &path, const ExportContext &context, OldContent old)
{
    if (!context.resolver)
        return makeJsonlWriter(path, {}, context.unselected, old);
    auto known = std::make_shared<KnownLocations>(context.resolver, [](const SourceFrame &frame) {
        return jsonlLocationText({kUnknownSite, frame.line, frame.column, frame.file, frame.function});
    });
    const auto locations = [known = std::move(known)](const Transition &suspension, std::uint32_t pid) {
        return known->textOf(suspension, pid);
    };
    return makeJsonlWriter(path, locations, context.unselected, old);
}

}  // namespace ct

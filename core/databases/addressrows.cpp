// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/addressrows.h"

#include "core/base/utf8.h"

namespace ct {

namespace {

Result<void> addRow(RowStore &store, const EventAddress &address, const DescribedAddress &described, std::size_t depth)
{
    static const SourceFrame kNothing;
    const SourceFrame &frame = depth < described.frames.size() ? described.frames[depth] : kNothing;
    const std::string function = validUtf8(frame.function);
    const std::string file = validUtf8(frame.file);
    const std::string module = validUtf8(described.module);
    const std::string remedy = validUtf8(described.remedy);
    return store.add(Table::Addresses, Row()
                                           .number(address.coroutine)
                                           .address(address.addr)
                                           .number(depth)
                                           .textIfAny(function)
                                           .textIfAny(file)
                                           .known(frame.line)
                                           .known(frame.column)
                                           .textIfAny(module)
                                           .known(address.since)
                                           .textIfAny(remedy));
}

}  // namespace

Result<void> addAddressRows(RowStore &store, const EventAddress &address, const DescribedAddress &described)
{
    Result<void> added = addRow(store, address, described, 0);
    for (std::size_t depth = 1; added && depth < described.frames.size(); ++depth)
        added = addRow(store, address, described, depth);
    return added;
}

}  // namespace ct

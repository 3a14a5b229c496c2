// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/batchrest.h"

#include <vector>

namespace ct {

namespace {

template <class T>
std::size_t bytesOf(const std::vector<T> &values)
{
    return values.size() * sizeof(T);
}

}  // namespace

std::size_t restBytesOf(const Batch &batch)
{
    const Notes &notes = batch.notes;
    std::size_t bytes = bytesOf(batch.sites) + bytesOf(batch.births) + bytesOf(batch.losses) + bytesOf(batch.deaths) +
                        bytesOf(batch.flags) + bytesOf(notes.processes) + bytesOf(notes.threadNames) +
                        bytesOf(notes.names) + bytesOf(notes.parents) + bytesOf(notes.waits) + bytesOf(notes.wakes) +
                        bytesOf(notes.uses) + bytesOf(notes.wakersLeft) + bytesOf(notes.finishes) +
                        bytesOf(notes.drops) + bytesOf(notes.switches) + bytesOf(notes.processEnds) +
                        bytesOf(notes.threadSamples) + bytesOf(notes.descriptorSamples) + bytesOf(notes.processSamples);
    for (const CoroutineName &name : notes.names)
        bytes += name.name.size();
    for (const Site &site : batch.sites)
        bytes += site.file.size() + site.function.size();
    return bytes == 0 ? 0 : bytes + sizeof(Batch);
}

Batch restOf(const Batch &batch)
{
    Batch rest;
    rest.sites = batch.sites;
    rest.births = batch.births;
    rest.losses = batch.losses;
    rest.deaths = batch.deaths;
    rest.flags = batch.flags;
    rest.notes = batch.notes;
    rest.now = batch.now;
    return rest;
}

}  // namespace ct

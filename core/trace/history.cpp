// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The writer of the History, without the log itself.
#include "core/trace/history.h"

#include "core/base/relaxed.h"
#include "core/trace/historydata.h"

#include <algorithm>

namespace ct {

using namespace history;

namespace {

constexpr auto kRelease = std::memory_order_release;

}  // namespace

void History::Data::evictPage(std::uint32_t page)
{
    for (CoroutineId gone = page * CoroutineEviction::kPageSize; gone < (page + 1) * CoroutineEviction::kPageSize;
         ++gone) {
        overflow.addEnded(0, 0, 0);
        if (const std::uint32_t lossIndex = coroutines.heads[gone].loss.load(kRelaxed))
            freeLosses.push_back(lossIndex);
    }
}

void History::Data::release(CoroutineId first, CoroutineId end)
{
    coroutines.heads.release(first, end);
    coroutines.lives.release(first, end);
}

bool History::Data::admit(CoroutineId id)
{
    return coroutines.coroutineEviction.admit(
        id, [this](std::uint32_t page) { evictPage(page); },
        [this](CoroutineId first, CoroutineId end) { release(first, end); });
}

void History::Data::addBirth(const Birth &birth)
{
    // Ids are dense, in order of discovery. If an id finds no room in the arrays, later ones find none either.
    const CoroutineId next = coroutines.heads.sizeOfWriter();
    if (birth.coroutine < next)
        return;
    if (birth.coroutine == next && !admit(birth.coroutine)) {
        overflow.addCoroutine();
        if (coroutines.lives.prepareHole() && coroutines.heads.prepareHole()) {
            coroutines.lives.publish();
            coroutines.heads.publish();
        }
        return;
    }
    Life *const life = birth.coroutine == next ? coroutines.lives.prepare() : nullptr;
    if (!life || !coroutines.heads.prepare()) {
        overflow.addCoroutine();
        return;
    }
    life->dialect = birth.dialect;
    // In this order: a reader that sees the head may read its life.
    coroutines.lives.publish();
    coroutines.heads.publish();
}

void History::Data::addDeath(const Death &death)
{
    if (death.coroutine >= coroutines.heads.sizeOfWriter() ||
        coroutines.coroutineEviction.isWithoutRecord(death.coroutine))
        return;
    coroutines.lives[death.coroutine].deathTs.store(std::max<std::uint64_t>(death.ts, 1), kRelaxed);
    coroutines.coroutineEviction.died(death.coroutine);
}

void History::Data::addLoss(const Loss &loss, std::uint64_t noticed)
{
    if (loss.coroutine >= coroutines.heads.sizeOfWriter() ||
        coroutines.coroutineEviction.isWithoutRecord(loss.coroutine))
        return;
    Head &head = coroutines.heads[loss.coroutine];
    // A loss before the first event shows as a jump from the first number.
    if (head.last.load(kRelaxed) == 0)
        return;
    std::uint32_t lossIndex = head.loss.load(kRelaxed);
    if (lossIndex == 0 && !freeLosses.empty()) {
        lossIndex = freeLosses.back();
        freeLosses.pop_back();
    } else if (lossIndex == 0) {
        if (!losses.prepare())
            return;
        losses.publish();
        lossIndex = losses.sizeOfWriter();
    }
    EndLoss &entry = losses[lossIndex - 1];
    entry.ts.store(noticed, kRelaxed);
    entry.endN.store(loss.firstN + loss.count, kRelease);
    head.loss.store(lossIndex, kRelease);
}

History::History(std::uint64_t budget, std::uint64_t keepNs, std::uint32_t mostCoroutines, std::uint64_t restored,
                 const RecordLimits &limits)
    : m_data(std::make_unique<Data>(budget, keepNs, std::min(mostCoroutines, kMostCoroutines), restored, limits))
{
}

History::~History() = default;

void History::prepareMemory()
{
    m_data->log.prepareMemory();
}

Result<void> History::consume(const Batch &batch)
{
    Data &data = *m_data;
    for (const Birth &birth : batch.births)
        data.addBirth(birth);
    data.log.append(batch.transitions, data.coroutines);
    data.overflow.addEvents(batch, data.coroutines.heads.sizeOfWriter());
    // After the transitions: a reader that sees the loss sees all events before it.
    for (const Loss &loss : batch.losses)
        data.addLoss(loss, batch.now);
    for (const Death &death : batch.deaths)
        data.addDeath(death);
    data.coroutines.coroutineEviction.evictOverLimit(
        [&data](std::uint32_t page) { data.evictPage(page); },
        [&data](CoroutineId first, CoroutineId end) { data.release(first, end); });
    data.now.store(std::max({data.now.load(kRelaxed), batch.now, data.log.lastTs()}), kRelaxed);
    data.notes.append(batch.notes, batch.now);
    data.log.evictOld(data.now.load(kRelaxed));
    data.notes.evictOld(data.now.load(kRelaxed));
    return {};
}

bool History::readNotes(std::uint64_t &position, std::size_t limit, Notes &notes) const
{
    return m_data->notes.read(position, limit, notes);
}

std::uint64_t History::noteCount() const
{
    return m_data->notes.count();
}

std::uint64_t History::evictedNotes() const
{
    return m_data->notes.evicted();
}

std::uint64_t History::evictedBefore() const
{
    return m_data->log.evictedBefore();
}

std::uint64_t History::evictedEvents() const
{
    return m_data->log.evictedEvents();
}

Overflow History::overflow() const
{
    return m_data->overflow.load();
}

std::uint64_t History::bytesUsed() const
{
    return m_data->log.bytesUsed() + m_data->coroutines.coroutineEviction.records() * (sizeof(Head) + sizeof(Life)) +
           std::uint64_t{m_data->losses.size()} * sizeof(EndLoss) + m_data->notes.bytesUsed();
}

std::uint64_t History::mostEventBytes() const
{
    return m_data->log.mostBytes();
}

std::uint64_t History::eventCount() const
{
    return m_data->log.keptEvents();
}

std::uint64_t History::firstTs() const
{
    return m_data->log.firstTs();
}

std::uint64_t History::lastTs() const
{
    return m_data->log.lastTs();
}

}  // namespace ct

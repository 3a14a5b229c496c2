// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The fields of all sections except transitions, as in the tables of docs/recording.md.
#pragma once

#include "core/recording/format/rowcodec.h"
#include "core/stream/framelocation.h"

#include <array>

namespace ct::ctr {

/// True for the sections whose rows belong to batches: 2 to 16 and 19 to 24.
constexpr bool hasBatchRows(Tag tag)
{
    return (tag >= Tag::Sites && tag <= Tag::ProcessEnds) || (tag >= Tag::Uses && tag <= Tag::ProcessSamples);
}
inline constexpr std::size_t kBatchSections = 21;
/// Position among these sections.
constexpr std::size_t batchSection(Tag tag)
{
    return static_cast<std::size_t>(tag) - (tag < Tag::Uses ? 2 : 4);
}

/// A batch: its time, and how many rows of each section belong to it, by batchSection().
struct BatchRow {
    std::uint64_t now = 0;  ///< ns, CLOCK_MONOTONIC
    std::array<std::uint32_t, kBatchSections> rows{};

    std::uint32_t &of(Tag tag) { return rows[batchSection(tag)]; }
    std::uint32_t of(Tag tag) const { return rows[batchSection(tag)]; }
};

template <std::size_t Index>
struct RowCount {
    static void write(const std::vector<BatchRow> &rows, ColumnWriter &column, ColumnWriter &section)
    {
        for (const BatchRow &row : rows)
            column.plain(row.rows[Index]);
        section.column(column);
    }
    static bool read(ColumnReader &section, std::vector<BatchRow> &rows)
    {
        ColumnReader column = section.column();
        bool good = true;
        for (BatchRow &row : rows)
            good &= convert(column.plain(), row.rows[Index]);
        return good && column.atEnd() && !column.failed();
    }
};

/// Output of the target on its terminal.
struct OutputPiece {
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC: when the output was read
    std::string bytes;
};

/// The keyframe section. A keyframe can have several blocks, its pieces.
struct KeyframeRow {
    CoroutineId born = 0;      ///< coroutines born before the keyframe, alive or not
    std::uint32_t piece = 0;   ///< number of this piece, from 0
    std::uint32_t pieces = 1;  ///< number of pieces
};

/// A block, as the index in the End block lists it.
struct BlockLocation {
    std::uint64_t offset = 0;  ///< offset of its head in the file, bytes
    std::uint16_t kind = 0;
    std::uint32_t transitions = 0;
    std::uint64_t firstTs = 0;  ///< ns, CLOCK_MONOTONIC
    std::uint64_t lastTs = 0;   ///< ns, CLOCK_MONOTONIC
};

using BatchLayout = Layout<BatchRow, Tag::Batches, Delta<&BatchRow::now>, RowCount<0>, RowCount<1>, RowCount<2>,
                           RowCount<3>, RowCount<4>, RowCount<5>, RowCount<6>, RowCount<7>, RowCount<8>, RowCount<9>,
                           RowCount<10>, RowCount<11>, RowCount<12>, RowCount<13>, RowCount<14>, RowCount<15>,
                           RowCount<16>, RowCount<17>, RowCount<18>, RowCount<19>, RowCount<20>>;
using SiteLayout = Layout<Site, Tag::Sites, Delta<&Site::id>, Plain<&Site::line>, Plain<&Site::column>,
                          Text<&Site::file>, Text<&Site::function>>;
using BirthLayout =
    Layout<Birth, Tag::Births, Delta<&Birth::coroutine>, Delta<&Birth::station>, Plain<&Birth::generation>,
           Plain<&Birth::pid>, Plain<&Birth::dialect>, Delta<&Birth::probeId>, Delta<&Birth::birthTs>>;
using LossLayout = Layout<Loss, Tag::Losses, Delta<&Loss::coroutine>, Number<&Loss::firstN>, Number<&Loss::count>,
                          Plain<&Loss::beforeAttach>>;
using DeathLayout = Layout<Death, Tag::Deaths, Delta<&Death::coroutine>, Delta<&Death::ts>>;
using FlagLayout = Layout<Flag, Tag::Flags, Delta<&Flag::coroutine>, Plain<&Flag::reason>>;
using ProcessLayout = Layout<Process, Tag::Processes, Plain<&Process::pid>, Delta<&Process::ts>, Text<&Process::name>>;
using ThreadNameLayout =
    Layout<ThreadName, Tag::ThreadNames, Plain<&ThreadName::pid>, Plain<&ThreadName::tid>, Text<&ThreadName::name>>;
using NameLayout = Layout<CoroutineName, Tag::Names, Delta<&CoroutineName::coroutine>, Text<&CoroutineName::name>>;
using ParentLayout = Layout<Parent, Tag::Parents, Delta<&Parent::coroutine>, Delta<&Parent::parent>>;
using WaitLayout = Layout<WaitsOn, Tag::WaitsOn, Delta<&WaitsOn::coroutine>, Number<&WaitsOn::n>, Plain<&WaitsOn::kind>,
                          Delta<&WaitsOn::object>, OneMore<&WaitsOn::target>, Plain<&WaitsOn::part>>;
using WakeLayout = Layout<Wake, Tag::Wakes, Delta<&Wake::coroutine>, OneMore<&Wake::by>, Number<&Wake::n>,
                          Delta<&Wake::ts>, Plain<&Wake::pid>, Plain<&Wake::tid>>;
using DropLayout = Layout<Drop, Tag::Drops, Plain<&Drop::pid>, Plain<&Drop::tid>, Plain<&Drop::records>,
                          Delta<&Drop::firstTs>, Delta<&Drop::lastTs>>;
using SwitchLayout = Layout<Switch, Tag::Switches, Plain<&Switch::pid>, Delta<&Switch::ts>, Plain<&Switch::on>>;
using ProcessEndLayout = Layout<ProcessEnd, Tag::ProcessEnds, Plain<&ProcessEnd::pid>, Delta<&ProcessEnd::ts>>;
using UseLayout = Layout<Use, Tag::Uses, OneMore<&Use::by>, Number<&Use::n>, Plain<&Use::kind>, Delta<&Use::object>,
                         Plain<&Use::site>, Delta<&Use::ts>, Plain<&Use::pid>, Plain<&Use::tid>>;
using WakersLeftLayout = Layout<WakersLeft, Tag::WakersLeft, Delta<&WakersLeft::coroutine>, Number<&WakersLeft::n>,
                                Plain<&WakersLeft::count>, Delta<&WakersLeft::ts>>;
using FinishLayout = Layout<Finish, Tag::Finishes, Delta<&Finish::coroutine>, Delta<&Finish::ts>, Plain<&Finish::site>>;
using ThreadSampleLayout =
    Layout<ThreadSample, Tag::ThreadSamples, Plain<&ThreadSample::pid>, Delta<&ThreadSample::tid>,
           Delta<&ThreadSample::ts>, Plain<&ThreadSample::state>, Plain<&ThreadSample::call>,
           Plain<&ThreadSample::isTimed>, Delta<&ThreadSample::object>, Delta<&ThreadSample::cpuNs>,
           Delta<&ThreadSample::runDelayNs>>;
using DescriptorSampleLayout =
    Layout<DescriptorSample, Tag::DescriptorSamples, Plain<&DescriptorSample::pid>,
           Delta<&DescriptorSample::descriptor>, Plain<&DescriptorSample::epoll>, Delta<&DescriptorSample::ts>,
           Plain<&DescriptorSample::kind>, Plain<&DescriptorSample::events>, OneMore<&DescriptorSample::pending>,
           Delta<&DescriptorSample::deadline>, Plain<&DescriptorSample::tcpState>, Plain<&DescriptorSample::readEnds>,
           Plain<&DescriptorSample::canWrite>>;
using ProcessSampleLayout =
    Layout<ProcessSample, Tag::ProcessSamples, Plain<&ProcessSample::pid>, Delta<&ProcessSample::ts>,
           Delta<&ProcessSample::descriptorsTs>, Plain<&ProcessSample::threads>, Delta<&ProcessSample::stoppedSince>,
           Plain<&ProcessSample::areThreadsKnown>, Plain<&ProcessSample::areCallsKnown>,
           Plain<&ProcessSample::areDescriptorsKnown>, Delta<&ProcessSample::machineSuspendedNs>>;
using SumsLayout =
    Layout<Accounting, Tag::Sums, Plain<&Accounting::captured>, Plain<&Accounting::lost>,
           Plain<&Accounting::missedBeforeAttach>, Plain<&Accounting::coroutines>, Plain<&Accounting::coroutinesMissed>,
           Plain<&Accounting::notesEvicted>, Plain<&Accounting::notesLost>, Plain<&Accounting::untraced>,
           Plain<&Accounting::bornWhileOff>, Plain<&Accounting::bornBeforeInit>, Plain<&Accounting::flaggedStations>,
           Plain<&Accounting::sitesDropped>, Plain<&Accounting::recordsDropped>, Plain<&Accounting::eventsNotWritten>,
           Plain<&Accounting::timesApproximate>, Plain<&Accounting::threadsWithoutLane>,
           Plain<&Accounting::birthsOvertaken>, Plain<&Accounting::recordsInHoles>, Plain<&Accounting::lanesShortened>,
           Plain<&Accounting::lanesDamaged>, Plain<&Accounting::processesUnmapped>,
           Plain<&Accounting::processesPartlyMapped>, Plain<&Accounting::coroutinesNotWritten>,
           Plain<&Accounting::lostWithoutCoroutine>, Plain<&Accounting::missedWithoutCoroutine>>;
using KeyframeLayout = Layout<KeyframeRow, Tag::Keyframe, Plain<&KeyframeRow::born>, Plain<&KeyframeRow::piece>,
                              Plain<&KeyframeRow::pieces>>;
using OutputLayout = Layout<OutputPiece, Tag::Output, Delta<&OutputPiece::ts>, Text<&OutputPiece::bytes>>;
using FrameLayout = Layout<FrameLocation, Tag::Frames, Delta<&FrameLocation::coroutine>, Delta<&FrameLocation::frame>,
                           Delta<&FrameLocation::since>, Delta<&FrameLocation::code>, Plain<&FrameLocation::line>,
                           Plain<&FrameLocation::column>, Text<&FrameLocation::file>, Text<&FrameLocation::function>>;
using BlockLocationLayout =
    Layout<BlockLocation, Tag::Blocks, Delta<&BlockLocation::offset>, Plain<&BlockLocation::kind>,
           Plain<&BlockLocation::transitions>, Delta<&BlockLocation::firstTs>, Delta<&BlockLocation::lastTs>>;

/// Calls visit(layout, rows...) for each sort of rows except transitions, in the order of the tags. `rows...` are the
/// rows of that sort in each of the batches.
template <class Visit, class... Batches>
void forEachSort(Visit &&visit, Batches &...batches)
{
    visit(SiteLayout{}, batches.sites...);
    visit(BirthLayout{}, batches.births...);
    visit(LossLayout{}, batches.losses...);
    visit(DeathLayout{}, batches.deaths...);
    visit(FlagLayout{}, batches.flags...);
    visit(ProcessLayout{}, batches.notes.processes...);
    visit(ThreadNameLayout{}, batches.notes.threadNames...);
    visit(NameLayout{}, batches.notes.names...);
    visit(ParentLayout{}, batches.notes.parents...);
    visit(WaitLayout{}, batches.notes.waits...);
    visit(WakeLayout{}, batches.notes.wakes...);
    visit(DropLayout{}, batches.notes.drops...);
    visit(SwitchLayout{}, batches.notes.switches...);
    visit(ProcessEndLayout{}, batches.notes.processEnds...);
    visit(UseLayout{}, batches.notes.uses...);
    visit(WakersLeftLayout{}, batches.notes.wakersLeft...);
    visit(FinishLayout{}, batches.notes.finishes...);
    visit(ThreadSampleLayout{}, batches.notes.threadSamples...);
    visit(DescriptorSampleLayout{}, batches.notes.descriptorSamples...);
    visit(ProcessSampleLayout{}, batches.notes.processSamples...);
}

}  // namespace ct::ctr

// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/viewers/perfettoencoder.h"

#include "core/base/utf8.h"
#include "core/exporting/viewers/protobytes.h"

#include <span>

namespace ct::viewers {

namespace {

// Field numbers, by message. See perfetto.proto.
namespace trace {
enum : std::uint32_t { kPacket = 1 };
}
namespace packet {
enum : std::uint32_t {
    kClockSnapshot = 6,
    kTimestamp = 8,
    kSequence = 10,
    kTrackEvent = 11,
    kInternedData = 12,
    kSequenceFlags = 13,
    kDefaults = 59,
    kTrackDescriptor = 60,
    kFirstOnSequence = 87,
};
}
namespace event {
enum : std::uint32_t {
    kCategory = 3,
    kAnnotation = 4,
    kType = 9,
    kNameIid = 10,
    kTrack = 11,
    kName = 23,
    kLocation = 34,
    kFlow = 47,
    kTerminatingFlow = 48,
};
}
namespace annotation {
enum : std::uint32_t { kNameIid = 1, kBool = 2, kUint = 3, kString = 6, kPointer = 7 };
}
namespace interned {
enum : std::uint32_t { kCategories = 1, kNames = 2, kArgNames = 3, kLocations = 4, kIid = 1, kName = 2 };
}

enum : std::uint64_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3 };
constexpr std::uint64_t kIncrementalStateCleared = 1;
constexpr std::uint64_t kNeedsIncrementalState = 2;
constexpr std::uint64_t kMonotonic = 3;
constexpr std::uint64_t kOnlySequence = 1;

/// A tag with its value needs 12 bytes at most, and a packet has fewer than 12 besides the arguments.
constexpr std::size_t kRoom = 12 * 12 + Slice::kMostName + Args::kMost * (3 * 12 + Arg::kMostText);
static_assert(kRoom < 1U << 14, "Nested has room for the length");

template <class Enum>
std::uint64_t iidOf(Enum value)
{
    return static_cast<std::uint64_t>(value) + 1;
}

/// int32 in the proto: negative numbers have 64 bits on the wire.
std::uint64_t asInt32(std::uint32_t value)
{
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
}

std::string asPacket(Message &content)
{
    content.field(packet::kSequence, kOnlySequence);
    return Message().message(trace::kPacket, content).bytes();
}

void addInterned(Message &data, std::uint32_t field, std::span<const std::string_view> texts)
{
    std::uint64_t iid = 0;
    for (const std::string_view text : texts)
        data.message(field, Message().field(interned::kIid, ++iid).bytes(interned::kName, text));
}

/// A packet with only new interned data.
std::string internedPacket(std::uint32_t field, const Message &entry)
{
    Message content;
    content.message(packet::kInternedData, Message().message(field, entry))
        .field(packet::kSequenceFlags, kNeedsIncrementalState);
    return asPacket(content);
}

char *putArg(char *at, const Arg &arg)
{
    char *const content = Nested::begin(at, event::kAnnotation);
    at = putField(content, annotation::kNameIid, iidOf(arg.name));
    switch (arg.type) {
    case Arg::Type::Number:
    case Arg::Type::Id: at = putField(at, annotation::kUint, arg.number); break;
    case Arg::Type::Address: at = putField(at, annotation::kPointer, arg.number); break;
    case Arg::Type::Text: at = putBytes(at, annotation::kString, arg.text); break;
    case Arg::Type::Flag: at = putField(at, annotation::kBool, 1); break;
    }
    return Nested::end(content, at);
}

char *putArgs(char *at, const Args &args)
{
    for (const Arg &arg : args)
        at = putArg(at, arg);
    return at;
}

/// An event in its packet. The constructor writes what every event has.
class EventPacket {
public:
    EventPacket(char *at, std::uint64_t ts, std::uint64_t type, const Track &track)
        : m_packet(Nested::begin(at, trace::kPacket))
    {
        at = putField(m_packet, packet::kTimestamp, ts);
        at = putField(at, packet::kSequence, kOnlySequence);
        at = putField(at, packet::kSequenceFlags, kNeedsIncrementalState);
        m_event = Nested::begin(at, packet::kTrackEvent);
        at = putField(m_event, event::kType, type);
        m_at = putField(at, event::kTrack, track.id);
    }
    void putName(const Slice &slice)
    {
        m_at = putField(m_at, event::kCategory, iidOf(slice.category));
        m_at = slice.name != 0 ? putField(m_at, event::kNameIid, slice.name)
                               : putBytes(m_at, event::kName, slice.text.substr(0, Slice::kMostName));
        if (slice.location != 0)
            m_at = putField(m_at, event::kLocation, slice.location);
    }
    void putFlow(std::uint32_t field, std::uint64_t flow)
    {
        if (flow != 0)
            m_at = putFixed64(m_at, field, flow);
    }
    char *end(const Args &args)
    {
        m_at = Nested::end(m_event, putArgs(m_at, args));
        return Nested::end(m_packet, m_at);
    }

private:
    char *const m_packet;
    char *m_event;
    char *m_at;
};

class PerfettoEncoder final : public TrackEncoder {
public:
    std::string header(std::uint64_t ts) override
    {
        Message clocks;
        clocks.message(packet::kClockSnapshot,
                       Message().message(1, Message().field(1, kMonotonic).field(2, ts)).field(2, kMonotonic));
        Message data;
        addInterned(data, interned::kCategories, kCategories);
        addInterned(data, interned::kArgNames, kArgNames);
        Message first;
        first.message(packet::kInternedData, data)
            .field(packet::kSequenceFlags, kIncrementalStateCleared)
            .message(packet::kDefaults, Message().field(58, kMonotonic))
            .field(packet::kFirstOnSequence, 1);
        return asPacket(clocks) + asPacket(first);
    }

    std::string text(TextId id, const std::string &text) override
    {
        return internedPacket(interned::kNames,
                              Message().field(interned::kIid, id).bytes(interned::kName, validUtf8(text)));
    }

    std::string location(LocationId id, const Location &location) override
    {
        Message entry;
        entry.field(interned::kIid, id).bytes(2, validUtf8(location.file)).bytes(3, validUtf8(location.function));
        if (location.line != 0)
            entry.field(4, location.line);
        return internedPacket(interned::kLocations, entry);
    }

    std::string track(const TrackDescription &description) override
    {
        const Track &track = description.track;
        const std::string name = validUtf8(description.name);
        Message descriptor;
        descriptor.field(1, track.id);
        if (description.kind == TrackDescription::Kind::Process) {
            descriptor.message(3, Message().field(1, asInt32(track.pid)).bytes(6, name));
        } else if (description.kind == TrackDescription::Kind::Thread) {
            Message thread;
            thread.field(1, asInt32(track.pid)).field(2, asInt32(track.tid));
            descriptor.message(4, name.empty() ? thread : thread.bytes(5, name));
        } else {
            descriptor.bytes(2, name);
            if (description.parent != 0)
                descriptor.field(5, description.parent);
        }
        Message content;
        content.message(packet::kTrackDescriptor, descriptor);
        return asPacket(content);
    }

    std::string footer() override { return {}; }

    std::size_t room() const override { return kRoom; }

    char *begin(char *at, const Slice &slice) override
    {
        EventPacket packet(at, slice.ts, kSliceBegin, slice.track);
        packet.putName(slice);
        packet.putFlow(event::kTerminatingFlow, slice.flow);
        return packet.end(slice.args);
    }
    char *end(char *at, const Slice &slice, std::uint64_t ts, const Args &more) override
    {
        return EventPacket(at, ts, kSliceEnd, slice.track).end(more);
    }
    char *instant(char *at, const Slice &slice) override
    {
        EventPacket packet(at, slice.ts, kInstant, slice.track);
        packet.putName(slice);
        packet.putFlow(event::kFlow, slice.flow);
        return packet.end(slice.args);
    }
};

}  // namespace

std::unique_ptr<TrackEncoder> makePerfettoEncoder()
{
    return std::make_unique<PerfettoEncoder>();
}

}  // namespace ct::viewers

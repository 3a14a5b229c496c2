// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads a Perfetto export as a viewer does: interned texts, tracks, and slices in time order. Shares no code with the
// writer.
#pragma once

#include <QByteArray>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace perfettotest {

struct Field {
    std::uint32_t number = 0;
    std::uint64_t value = 0;
    std::string_view bytes;
};

class Fields {
public:
    explicit Fields(std::string_view bytes) : m_bytes(bytes) {}
    bool atEnd() const { return m_bytes.empty(); }
    Field next()
    {
        const std::uint64_t tag = varint();
        Field field{static_cast<std::uint32_t>(tag >> 3), 0, {}};
        switch (tag & 7) {
        case 0: field.value = varint(); break;
        case 1: std::memcpy(&field.value, take(8).data(), 8); break;
        case 2: field.bytes = take(varint()); break;
        default: throw std::runtime_error("unknown wire type");
        }
        return field;
    }

private:
    std::uint64_t varint()
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 70; shift += 7) {
            const auto byte = static_cast<unsigned char>(take(1)[0]);
            value |= std::uint64_t{byte & 0x7FU} << shift;
            if (byte < 0x80)
                return value;
        }
        throw std::runtime_error("a varint is too long");
    }
    std::string_view take(std::uint64_t count)
    {
        if (count > m_bytes.size())
            throw std::runtime_error("the message is cut off");
        const std::string_view taken = m_bytes.substr(0, count);
        m_bytes.remove_prefix(count);
        return taken;
    }

    std::string_view m_bytes;
};

inline std::map<std::uint32_t, Field> fieldsOf(std::string_view bytes)
{
    std::map<std::uint32_t, Field> fields;
    for (Fields reader(bytes); !reader.atEnd();) {
        const Field field = reader.next();
        fields[field.number] = field;
    }
    return fields;
}

using Args = std::map<std::string, std::string>;

struct Track {
    std::uint64_t parent = 0;
    std::string name;
    std::int32_t pid = -1;  ///< of a process or thread
    std::int32_t tid = -1;  ///< of a thread
};

struct Event {
    std::uint64_t ts = 0;
    std::uint64_t type = 0;
    std::uint64_t track = 0;
    std::string name;
    std::string category;
    std::string location;  ///< function@file:line
    Args args;
    std::uint64_t flow = 0;
    std::uint64_t terminatingFlow = 0;
};

struct Slice : Event {
    std::uint64_t end = 0;
    std::size_t depth = 0;
};

class File {
public:
    explicit File(const QByteArray &content) : m_content(content.toStdString())
    {
        for (Fields packets(m_content); !packets.atEnd(); ++m_packets)
            readPacket(packets.next().bytes);
    }

    std::size_t packets() const { return m_packets; }
    const std::map<std::uint64_t, Track> &tracks() const { return m_tracks; }
    const std::vector<Event> &events() const { return m_events; }
    std::uint64_t primaryClock() const { return m_primaryClock; }
    std::uint64_t defaultClock() const { return m_defaultClock; }

    /// The id of the only track with this name; 0 = none, or several.
    std::uint64_t track(const std::string &name) const
    {
        std::uint64_t found = 0;
        for (const auto &[id, track] : m_tracks) {
            if (track.name == name && found != 0)
                return 0;
            if (track.name == name)
                found = id;
        }
        return found;
    }
    std::uint64_t thread(std::int32_t pid, std::int32_t tid) const
    {
        for (const auto &[id, track] : m_tracks) {
            if (track.pid == pid && track.tid == tid)
                return id;
        }
        return 0;
    }

    /// The slices and instants of a track, by begin, as a viewer nests them. Throws if they do not balance.
    std::vector<Slice> slices(std::uint64_t track) const
    {
        std::vector<Event> events;
        for (const Event &event : m_events) {
            if (event.track == track)
                events.push_back(event);
        }
        std::stable_sort(events.begin(), events.end(), [](const Event &a, const Event &b) { return a.ts < b.ts; });
        std::vector<Slice> slices;
        std::vector<std::size_t> open;
        for (const Event &event : events) {
            if (event.type != 2)
                slices.push_back({event, event.ts, open.size()});
            if (event.type == 1)
                open.push_back(slices.size() - 1);
            if (event.type != 2)
                continue;
            if (open.empty())
                throw std::runtime_error("a slice ends that was not begun");
            slices[open.back()].end = event.ts;
            slices[open.back()].args.insert(event.args.begin(), event.args.end());
            open.pop_back();
        }
        if (!open.empty())
            throw std::runtime_error("a slice has no end");
        return slices;
    }

private:
    void readPacket(std::string_view bytes)
    {
        std::map<std::uint32_t, Field> fields = fieldsOf(bytes);
        if (fields[10].value != 1)
            throw std::runtime_error("a packet is of no sequence");
        if (fields.contains(6))
            m_primaryClock = fieldsOf(fields[6].bytes)[2].value;
        if (fields.contains(59))
            m_defaultClock = fieldsOf(fields[59].bytes)[58].value;
        if (fields.contains(12))
            readInterned(fields[12].bytes);
        if (fields.contains(60))
            readTrack(fields[60].bytes);
        if (fields.contains(11))
            readEvent(fields[8].value, fields[11].bytes);
    }

    void readInterned(std::string_view bytes)
    {
        for (Fields entries(bytes); !entries.atEnd();) {
            const Field entry = entries.next();
            std::map<std::uint32_t, Field> fields = fieldsOf(entry.bytes);
            std::string text(fields[2].bytes);
            if (entry.number == 4)
                text = std::string(fields[3].bytes) + "@" + text + ":" + std::to_string(fields[4].value);
            if (!m_interned[entry.number].emplace(fields[1].value, text).second)
                throw std::runtime_error("an iid is used twice");
        }
    }

    const std::string &interned(std::uint32_t kind, std::uint64_t iid) const { return m_interned.at(kind).at(iid); }

    void readTrack(std::string_view bytes)
    {
        std::map<std::uint32_t, Field> fields = fieldsOf(bytes);
        Track track{fields[5].value, std::string(fields[2].bytes)};
        if (fields.contains(3)) {
            std::map<std::uint32_t, Field> process = fieldsOf(fields[3].bytes);
            track.pid = static_cast<std::int32_t>(process[1].value);
            track.name = std::string(process[6].bytes);
        }
        if (fields.contains(4)) {
            std::map<std::uint32_t, Field> thread = fieldsOf(fields[4].bytes);
            track.pid = static_cast<std::int32_t>(thread[1].value);
            track.tid = static_cast<std::int32_t>(thread[2].value);
            track.name = std::string(thread[5].bytes);
        }
        m_tracks[fields[1].value] = track;
    }

    void readEvent(std::uint64_t ts, std::string_view bytes)
    {
        Event event;
        event.ts = ts;
        for (Fields reader(bytes); !reader.atEnd();) {
            const Field field = reader.next();
            switch (field.number) {
            case 3: event.category = interned(1, field.value); break;
            case 4: readArg(field.bytes, event.args); break;
            case 9: event.type = field.value; break;
            case 10: event.name = interned(2, field.value); break;
            case 11: event.track = field.value; break;
            case 23: event.name = std::string(field.bytes); break;
            case 34: event.location = interned(4, field.value); break;
            case 47: event.flow = field.value; break;
            case 48: event.terminatingFlow = field.value; break;
            default: throw std::runtime_error("unknown field of an event");
            }
        }
        if (!m_tracks.contains(event.track))
            throw std::runtime_error("an event is on an unknown track");
        m_events.push_back(event);
    }

    void readArg(std::string_view bytes, Args &args) const
    {
        std::map<std::uint32_t, Field> fields = fieldsOf(bytes);
        std::string &value = args[interned(3, fields[1].value)];
        for (const std::uint32_t number : {2U, 3U, 7U}) {
            if (fields.contains(number))
                value = std::to_string(fields[number].value);
        }
        if (fields.contains(6))
            value = std::string(fields[6].bytes);
    }

    const std::string m_content;
    std::size_t m_packets = 0;
    std::map<std::uint32_t, std::map<std::uint64_t, std::string>> m_interned;
    std::map<std::uint64_t, Track> m_tracks;
    std::vector<Event> m_events;
    std::uint64_t m_primaryClock = 0;
    std::uint64_t m_defaultClock = 0;
};

}  // namespace perfettotest

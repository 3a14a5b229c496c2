// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a trace viewer shows: tracks, slices on them, and arguments of slices. Plain values, the same for every format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ct::viewers {

/// What a slice shows. Values are indexes into kCategories.
enum class Category : std::uint8_t { Running, Suspended, Finished, Gap, Wake, Use, TracingOff, Dropped, About };
inline constexpr std::array<std::string_view, 9> kCategories{
    "running", "suspended", "finished", "gap", "wake", "use", "tracing off", "dropped", "about",
};

/// Values are indexes into kArgNames.
enum class ArgName : std::uint8_t {
    Coroutine,
    ProbeId,
    BirthTs,
    Parent,
    N,
    Tid,
    Kind,
    Address,
    WaitsFor,
    Object,
    Awaits,
    Objects,
    By,
    End,
    Begin,
    Ts,
    StillOpen,
    FirstTs,
    LastTs,
    Records,
    Lost,
    Missed,
    Unexplained,
    Captured,
    Coroutines,
    Untraced,
    WithoutTrack,
    EventsWithoutTrack,
    MostTracks,
    MostTracksOfFunction,
    WaitsNotShown,
    Reason,
    NotSelected,
};
inline constexpr std::array<std::string_view, 33> kArgNames{
    "coroutine",
    "probe_id",
    "birth_ts",
    "parent",
    "n",
    "tid",
    "kind",
    "addr",
    "waits_for",
    "object",
    "awaits",
    "objects",
    "by",
    "end",
    "begin",
    "ts",
    "still_open",
    "first_ts",
    "last_ts",
    "records",
    "lost",
    "missed",
    "unexplained",
    "captured",
    "coroutines",
    "untraced",
    "coroutines_without_track",
    "events_without_track",
    "most_tracks",
    "most_tracks_of_function",
    "waits_not_shown",
    "reason",
    "events_not_selected",
};

struct Arg {
    /// Number: at most 2^53, exact in every reader. Id: any 64-bit number. Flag: true.
    enum class Type : std::uint8_t { Number, Id, Address, Text, Flag };
    ArgName name;
    Type type;
    std::uint64_t number;
    std::string_view text;  ///< at most kMostText bytes of ASCII without quotes; its owner outlives the call

    static constexpr std::size_t kMostText = 32;
};

/// The arguments of a slice. More than kMost are a bug in this program, and are left out.
class Args {
public:
    static constexpr std::size_t kMost = 16;

    void number(ArgName name, std::uint64_t value) { add({name, Arg::Type::Number, value, {}}); }
    void id(ArgName name, std::uint64_t value) { add({name, Arg::Type::Id, value, {}}); }
    void address(ArgName name, std::uint64_t value) { add({name, Arg::Type::Address, value, {}}); }
    void text(ArgName name, std::string_view text) { add({name, Arg::Type::Text, 0, text.substr(0, Arg::kMostText)}); }
    void flag(ArgName name) { add({name, Arg::Type::Flag, 1, {}}); }

    const Arg *begin() const { return m_args.data(); }
    const Arg *end() const { return m_args.data() + m_count; }
    bool empty() const { return m_count == 0; }

private:
    void add(const Arg &arg)
    {
        if (m_count < kMost)
            m_args[m_count++] = arg;
    }

    std::array<Arg, kMost> m_args;
    std::size_t m_count = 0;
};

/// Id of a text or a location that was introduced to the encoder; 0 = none.
using TextId = std::uint32_t;
using LocationId = std::uint32_t;

struct Location {
    std::string function;
    std::string file;
    std::uint32_t line = 0;  ///< from 1; 0 = unknown
};

struct Track {
    std::uint32_t id = 0;   ///< from 1, unique in the file; 0 = no track
    std::uint32_t pid = 0;  ///< for formats with only processes and threads: real, or from kMadeUp on
    std::uint32_t tid = 0;  ///< as pid

    /// Larger than the pid of any Linux process.
    static constexpr std::uint32_t kMadeUp = 1U << 24;
    explicit operator bool() const { return id != 0; }
};

struct TrackDescription {
    enum class Kind : std::uint8_t {
        Process,  ///< pid is that of a process
        Thread,   ///< pid and tid are those of a thread
        Group,    ///< has other tracks below it, and no slices
        Plain,
    };
    Track track;
    std::uint32_t parent = 0;  ///< id of the track above; 0 = none
    Kind kind = Kind::Plain;
    std::string name;  ///< any bytes
};

/// A slice or an instant.
struct Slice {
    Track track;
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC
    TextId name = 0;
    std::string_view text = {};  ///< the name if `name` is 0: ASCII without quotes, at most kMostName bytes
    Category category = Category::About;
    LocationId location = 0;
    std::uint64_t flow = 0;  ///< of a wake: an instant begins it, a slice ends it; 0 = none
    Args args = {};

    static constexpr std::size_t kMostName = 128;
};

}  // namespace ct::viewers

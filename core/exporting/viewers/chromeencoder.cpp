// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/viewers/chromeencoder.h"

#include "core/base/utf8.h"
#include "core/recording/text/lineoutput.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace ct::viewers {

namespace {

/// Room for an event without its texts, and for the event of its flow.
constexpr std::size_t kRoomWithoutTexts = 512 + Slice::kMostName + Args::kMost * (96 + Arg::kMostText);

std::string jsonString(std::string_view text)
{
    std::string out;
    appendJsonString(out, text);
    return out;
}

/// µs with three decimals.
char *putMicroseconds(char *at, std::uint64_t ns)
{
    at = putDecimal(at, ns / 1000);
    const auto rest = static_cast<unsigned>(ns % 1000);
    *at++ = '.';
    *at++ = static_cast<char>('0' + rest / 100);
    *at++ = static_cast<char>('0' + rest / 10 % 10);
    *at++ = static_cast<char>('0' + rest % 10);
    return at;
}

char *putTrack(char *at, const Track &track)
{
    at = putDecimal(put(at, R"(,"pid":)"), track.pid);
    return putDecimal(put(at, R"(,"tid":)"), track.tid);
}

char *putValue(char *at, const Arg &arg)
{
    switch (arg.type) {
    case Arg::Type::Number: return putDecimal(at, arg.number);
    case Arg::Type::Id: return put(putDecimal(put(at, "\""), arg.number), "\"");
    case Arg::Type::Address: return put(putHex(put(at, "\""), arg.number), "\"");
    case Arg::Type::Text: return put(put(put(at, "\""), arg.text), "\"");
    case Arg::Type::Flag: break;
    }
    return put(at, "true");
}

class ChromeEncoder final : public TrackEncoder {
public:
    std::string header(std::uint64_t) override { return "[\n"; }

    std::string text(TextId id, const std::string &text) override
    {
        keep(m_texts, id, jsonString(text));
        return {};
    }

    std::string location(LocationId id, const Location &location) override
    {
        std::string text = R"("function":)" + jsonString(location.function) + R"(,"file":)" + jsonString(location.file);
        if (location.line != 0)
            text += R"(,"line":)" + std::to_string(location.line);
        keep(m_locations, id, std::move(text));
        return {};
    }

    std::string track(const TrackDescription &description) override
    {
        const bool isProcess =
            description.kind == TrackDescription::Kind::Process || description.kind == TrackDescription::Kind::Group;
        if (description.name.empty())
            return {};
        return std::string(R"({"ph":"M","name":")") + (isProcess ? "process_name" : "thread_name") + R"(","pid":)" +
               std::to_string(description.track.pid) + R"(,"tid":)" + std::to_string(description.track.tid) +
               R"(,"args":{"name":)" + jsonString(description.name) + "}},\n";
    }

    /// The last element has no comma after it. It moves the sums to the top.
    std::string footer() override
    {
        return R"({"ph":"M","name":"process_sort_index","pid":)" + std::to_string(Track::kMadeUp) +
               R"(,"tid":0,"args":{"sort_index":-1}})"
               "\n]\n";
    }

    std::size_t room() const override { return kRoomWithoutTexts + m_longestText + m_longestLocation; }

    /// A complete event is written when its slice ends.
    char *begin(char *at, const Slice &) override { return at; }

    char *end(char *at, const Slice &slice, std::uint64_t ts, const Args &more) override
    {
        at = putName(put(at, R"({"ph":"X","name":)"), slice);
        at = putTrack(at, slice.track);
        at = putMicroseconds(put(at, R"(,"ts":)"), slice.ts);
        at = putMicroseconds(put(at, R"(,"dur":)"), ts - slice.ts);
        at = putArgs(at, slice, more);
        return slice.flow != 0 ? putFlow(at, slice, R"({"ph":"f","bp":"e","name":"wake","cat":"wake","id":")") : at;
    }

    char *instant(char *at, const Slice &slice) override
    {
        // Only slices can have flows.
        const bool hasFlow = slice.flow != 0;
        at = putName(put(at, hasFlow ? R"({"ph":"X","name":)" : R"({"ph":"i","s":"t","name":)"), slice);
        at = putTrack(at, slice.track);
        at = putMicroseconds(put(at, R"(,"ts":)"), slice.ts);
        at = putArgs(put(at, hasFlow ? R"(,"dur":0.000)" : ""), slice, {});
        return hasFlow ? putFlow(at, slice, R"({"ph":"s","name":"wake","cat":"wake","id":")") : at;
    }

private:
    void keep(std::vector<std::string> &texts, std::uint32_t id, std::string text)
    {
        std::size_t &longest = &texts == &m_texts ? m_longestText : m_longestLocation;
        longest = std::max(longest, text.size());
        if (id >= texts.size())
            texts.resize(std::size_t{id} + 1);
        texts[id] = std::move(text);
    }

    char *putName(char *at, const Slice &slice) const
    {
        at = slice.name != 0 ? put(at, m_texts[slice.name])
                             : put(put(put(at, "\""), slice.text.substr(0, Slice::kMostName)), "\"");
        at = put(put(at, R"(,"cat":")"), kCategories[static_cast<std::size_t>(slice.category)]);
        return put(at, "\"");
    }

    char *putArgs(char *at, const Slice &slice, const Args &more) const
    {
        at = put(at, R"(,"args":{)");
        std::string_view separator;
        if (slice.location != 0) {
            at = put(at, m_locations[slice.location]);
            separator = ",";
        }
        for (const Args *args : {&slice.args, &more}) {
            for (const Arg &arg : *args) {
                at = put(put(put(at, separator), "\""), kArgNames[static_cast<std::size_t>(arg.name)]);
                at = putValue(put(at, "\":"), arg);
                separator = ",";
            }
        }
        return put(at, "}},\n");
    }

    static char *putFlow(char *at, const Slice &slice, std::string_view head)
    {
        at = putTrack(put(putHex(put(at, head), slice.flow), "\""), slice.track);
        return put(putMicroseconds(put(at, R"(,"ts":)"), slice.ts), "},\n");
    }

    std::vector<std::string> m_texts;      ///< quoted
    std::vector<std::string> m_locations;  ///< members of an object
    std::size_t m_longestText = 0;
    std::size_t m_longestLocation = 0;
};

}  // namespace

std::unique_ptr<TrackEncoder> makeChromeEncoder()
{
    return std::make_unique<ChromeEncoder>();
}

}  // namespace ct::viewers

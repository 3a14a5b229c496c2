#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Makes a large program with debug information for bench_symbols: large_program.sh FILE [UNITS] [COMPILER] [FLAGS...].
# Each unit instantiates templates of the standard library with its own types, about 3 MB.
set -euo pipefail

file=${1:?"usage: large_program.sh FILE [UNITS] [COMPILER] [FLAGS...]"}
units=${2:-44}
compiler=${3:-g++}
flags=("${@:4}")
[ ${#flags[@]} -gt 0 ] || flags=(-O1 -g)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/unit.h" <<'END'
#include <algorithm>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
namespace JOIN(unit, UNIT) {
template <int N>
struct Value {
    std::string text;
    std::vector<int> numbers;
    bool operator<(const Value &other) const { return text < other.text; }
    bool operator==(const Value &other) const { return text == other.text; }
};
template <int N>
std::size_t use(const std::string &text)
{
    using V = Value<N>;
    std::map<std::string, V> map;
    std::set<V> set;
    std::unordered_map<std::string, std::list<V>> table;
    std::deque<V> queue;
    std::vector<std::variant<int, V, std::shared_ptr<V>>> variants;
    std::function<bool(const V &)> wanted = [&](const V &value) { return value.text != text; };
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        V value{word, {N, int(word.size())}};
        map[word] = value;
        set.insert(value);
        table[word].push_back(value);
        queue.push_front(value);
        variants.emplace_back(std::make_shared<V>(value));
    }
    std::sort(queue.begin(), queue.end());
    std::stable_sort(queue.begin(), queue.end(), [](const V &a, const V &b) { return b < a; });
    std::size_t sum = std::count_if(queue.begin(), queue.end(), wanted) + map.size() + set.size() + table.size();
    for (const auto &variant : variants)
        sum += std::visit([](const auto &value) { return sizeof(value); }, variant);
    return sum;
}
template <int... N>
std::size_t useAll(const std::string &text, std::integer_sequence<int, N...>)
{
    return (use<N>(text) + ... + 0);
}
}
std::size_t JOIN(run, UNIT)(const std::string &text)
{
    return JOIN(unit, UNIT)::useAll(text, std::make_integer_sequence<int, 3>());
}
END
declarations=$work/main.cpp
echo '#include <string>' >"$declarations"
for ((i = 0; i < units; i++)); do echo "std::size_t run$i(const std::string &);" >>"$declarations"; done
echo 'int main(int argc, char **argv) { std::size_t sum = 0; const std::string text(argv[argc - 1]);' >>"$declarations"
for ((i = 0; i < units; i++)); do echo "sum += run$i(text);" >>"$declarations"; done
echo 'return sum == 0; }' >>"$declarations"
seq 0 $((units - 1)) | xargs -P "$(nproc)" -I{} "$compiler" -std=c++20 "${flags[@]}" -DUNIT={} -x c++ -c "$work/unit.h" -o "$work/{}.o"
"$compiler" -std=c++20 "${flags[@]}" "$declarations" "$work"/*.o -o "$file"
ls -l "$file"

// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/text/puttext.h"
#include "tests/support/check.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <random>
#include <string>

using namespace ct;

namespace {

/// Compares with the standard library. Room of the stated size is enough.
void checkNumber(std::uint64_t value)
{
    std::array<char, kMaxDecimal + 1> decimal{};
    decimal.back() = '!';
    std::array<char, kMaxDecimal> expected{};
    char *const end = putDecimal(decimal.data(), value);
    const auto [expectedEnd, error] = std::to_chars(expected.data(), expected.data() + expected.size(), value);
    CHECK(error == std::errc());
    CHECK_EQUAL(std::string(decimal.data(), static_cast<std::size_t>(end - decimal.data())),
                std::string(expected.data(), static_cast<std::size_t>(expectedEnd - expected.data())));
    CHECK_EQUAL(decimal.back(), '!');

    std::array<char, kHexLength + 1> hex{};
    hex.back() = '!';
    std::array<char, kHexLength + 1> expectedHex{};
    std::snprintf(expectedHex.data(), expectedHex.size(), "0x%016llx", static_cast<unsigned long long>(value));
    char *const hexEnd = putHex(hex.data(), value);
    CHECK_EQUAL(std::string(hex.data(), static_cast<std::size_t>(hexEnd - hex.data())),
                std::string(expectedHex.data()));
    CHECK_EQUAL(hex.back(), '!');
}

}  // namespace

CT_CASE(numbersAroundPowersOfTenAndTwo)
{
    std::uint64_t power = 1;
    for (int digits = 1; digits <= 20; ++digits, power *= 10) {
        for (std::uint64_t first = 1; first <= 9 && (digits < 20 || first == 1); ++first) {
            for (const std::uint64_t value : {first * power - 1, first * power, first * power + 1})
                checkNumber(value);
        }
    }
    for (int bit = 0; bit < 64; ++bit) {
        checkNumber(std::uint64_t{1} << bit);
        checkNumber(~(std::uint64_t{1} << bit));
    }
    checkNumber(0);
    checkNumber(~std::uint64_t{0});
}

CT_CASE(randomNumbersOfEachLength)
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 200'000; ++i)
        checkNumber(random() >> (random() % 64));
}

// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Follows x86-64 code without running it, to find where a suspended coroutine would continue.
#pragma once

#include "core/symbols/codewalkstate.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace ct {

/// Interprets the integer instructions that compilers use before a resumption point. Reads values from the process, and
/// keeps writes to itself. Never guesses: an unknown instruction, branch condition or write address ends the walk.
/// Encodings: Intel SDM, volume 2. One thread.
class CodeWalk {
public:
    /// Called with the address of each instruction before its execution; `callTarget` is set for calls with a known
    /// target. Returns true to end the walk.
    using Visit = std::function<bool(std::uint64_t address, std::optional<std::uint64_t> callTarget)>;

    explicit CodeWalk(MemoryReader read) : m_state(std::move(read)) {}

    /// See CodeWalkState::pretend().
    void pretend(std::uint64_t address, std::uint64_t value, std::size_t size)
    {
        m_state.pretend(address, value, size);
    }
    /// Begins at a function, with its first argument. Ends after 20,000 instructions at most.
    void walk(std::uint64_t function, std::uint64_t argument, const Visit &visit);

private:
    using Value = CodeWalkState::Value;
    using Operand = CodeWalkState::Operand;
    using Operation = CodeWalkState::Operation;

    bool step(const Visit &visit);
    bool stepTwoByte();
    bool stepCommon(std::uint8_t opcode);
    bool stepGroup(std::uint8_t opcode);
    bool stepArithmetic(std::uint8_t opcode);
    bool stepFlow(std::uint8_t opcode, const Visit &visit, bool &handled);
    bool stepVector(std::uint8_t opcode);
    bool readPrefixes(std::uint8_t &opcode);

    template <class T>
    bool fetch(T &value);
    bool fetchOperand(int &reg, Operand &operand, int immediateSize = 0);
    bool fetchImmediate(int width, std::uint64_t &value);
    int width(std::uint8_t opcode) const;

    bool jumpIf(int code, std::int64_t distance);
    bool jumpTo(Value target);

    CodeWalkState m_state;
    std::uint64_t m_at = 0;
    std::uint64_t m_begin = 0;  ///< address of the present instruction
    std::uint8_t m_rex = 0;
    bool m_half = false;         ///< prefix 66
    bool m_repeat = false;       ///< prefix F3 or F2
    bool m_threadLocal = false;  ///< prefix 64 or 65
};

}  // namespace ct

// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Follows x86-64 code without running it, to find where a suspended coroutine would continue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>

namespace ct {

/// Copies bytes out of a process. Returns false if not all of them can be read. Called on the thread of the caller.
using MemoryReader = std::function<bool(std::uint64_t address, void *to, std::size_t size)>;

/// Interprets the integer instructions that compilers use before a resumption point. Reads values from the process, and
/// keeps writes to itself. Never guesses: an unknown instruction, branch condition or write address ends the walk.
/// Encodings: Intel SDM, volume 2. One thread.
class CodeWalk {
public:
    /// Called with the address of each instruction before its execution; `callTarget` is set for calls with a known
    /// target. Returns true to end the walk.
    using Visit = std::function<bool(std::uint64_t address, std::optional<std::uint64_t> callTarget)>;

    explicit CodeWalk(MemoryReader read) : m_read(std::move(read)) {}

    /// Replaces `size` bytes of the process's memory by `value` (little-endian), for all walks of this object.
    void pretend(std::uint64_t address, std::uint64_t value, std::size_t size);
    /// Begins at a function, with its first argument. Ends after 20,000 instructions at most.
    void walk(std::uint64_t function, std::uint64_t argument, const Visit &visit);

private:
    using Value = std::optional<std::uint64_t>;
    struct Register {
        std::uint64_t value = 0;
        int known = 0;  ///< number of known low bytes: 0, 1, 2 or 8
    };
    struct Operand {
        int reg = -1;   ///< -1 = in memory
        Value address;  ///< nullopt = unknown address
    };
    struct Flags {
        std::optional<bool> zero, sign, carry, overflow;
    };

    static std::uint64_t cut(std::uint64_t value, int width);
    static std::uint64_t signExtended(std::uint64_t value, int width);
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

    Value get(const Operand &operand, int width);
    bool set(const Operand &operand, int width, Value value);
    Value getRegister(int reg, int width) const;
    bool setRegister(int reg, int width, Value value);
    Value load(std::uint64_t address, int width);
    void store(std::uint64_t address, int width, Value value);
    bool readByte(std::uint64_t address, std::uint8_t &byte);
    bool arithmetic(int operation, const Operand &to, Value with, int width);
    bool shift(int operation, const Operand &to, Value count, int width);
    void setLogicFlags(Value result, int width);
    std::optional<bool> condition(int code) const;
    bool jumpIf(int code, std::int64_t distance);
    bool jumpTo(Value target);
    bool push(Value value);

    using Bytes = std::unordered_map<std::uint64_t, std::optional<std::uint8_t>>;

    MemoryReader m_read;
    Bytes m_pretended;
    Bytes m_written;                                                                         ///< in this walk
    std::unordered_map<std::uint64_t, std::optional<std::array<std::uint8_t, 64>>> m_cache;  ///< by address / 64
    std::array<Register, 16> m_registers{};
    Flags m_flags;
    std::uint64_t m_at = 0;
    std::uint64_t m_begin = 0;  ///< address of the present instruction
    std::uint8_t m_rex = 0;
    bool m_half = false;         ///< prefix 66
    bool m_repeat = false;       ///< prefix F3 or F2
    bool m_threadLocal = false;  ///< prefix 64 or 65
};

}  // namespace ct

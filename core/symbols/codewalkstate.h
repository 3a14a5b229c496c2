// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Registers, flags and memory of a code walk, as far as they are known. x86-64.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

namespace ct {

/// Copies bytes out of a process. Returns false if not all of them can be read. Called on the thread of the caller.
using MemoryReader = std::function<bool(std::uint64_t address, void *to, std::size_t size)>;

/// Reads memory from the process, and keeps writes to itself. Functions that return bool return false when the walk
/// cannot continue, because the result could be anything. Widths are in bytes: 1, 2, 4 or 8. One thread.
class CodeWalkState {
public:
    using Value = std::optional<std::uint64_t>;  ///< nullopt = unknown
    struct Operand {
        int reg = -1;   ///< -1 = in memory
        Value address;  ///< nullopt = unknown address
    };

    explicit CodeWalkState(MemoryReader read) : m_read(std::move(read)) {}

    /// An arithmetic operation, by its number in bits 3 to 5 of the opcode or in the register field of the operand
    /// byte.
    enum class Operation { Add, Or, AddCarry, SubtractCarry, And, Subtract, Xor, Compare };

    static std::uint64_t cut(std::uint64_t value, int width);
    static std::uint64_t signExtended(std::uint64_t value, int width);

    /// Lets all later walks of this object read `value` at `address`, `size` bytes in little-endian order, instead of
    /// the memory of the process. Does not change the process.
    void pretend(std::uint64_t address, std::uint64_t value, std::size_t size);
    /// Forgets all values, and prepares a call with this first argument and a stack of its own.
    void beginCall(std::uint64_t argument);
    /// Sets which registers of width 1 have the numbers 4 to 7 in the present instruction. True, without a REX prefix:
    /// the second bytes of the first four registers (AH, CH, DH, BH). False: the lowest bytes of registers 4 to 7.
    void setNamesSecondBytes(bool names) { m_namesSecondBytes = names; }

    /// Reads a byte of the process's memory, without the values of pretend() and of the walk's writes. Returns false if
    /// it cannot be read.
    bool readByte(std::uint64_t address, std::uint8_t &byte);
    Value get(const Operand &operand, int width);
    bool set(const Operand &operand, int width, Value value);
    Value getRegister(int reg, int width) const;
    bool setRegister(int reg, int width, Value value);
    bool push(Value value);

    bool arithmetic(Operation operation, const Operand &to, Value with, int width);
    /// `operation`: the register field of the operand byte.
    bool shift(int operation, const Operand &to, Value count, int width);
    /// Sets the flags as AND, OR, XOR and TEST do.
    void setLogicFlags(Value result, int width);
    /// Sets the carry flag to bit `index` of `bits`, as BT does.
    void testBit(Value bits, Value index, int width);
    /// Returns true if the condition of a jump holds, and nullopt if it depends on a flag that is not known, or on the
    /// parity flag. `code`: bits 0 to 3 of the opcode.
    std::optional<bool> condition(int code) const;

private:
    struct Register {
        std::uint64_t value = 0;
        int known = 0;  ///< number of known low bytes: 0, 1, 2 or 8
    };
    struct Flags {
        std::optional<bool> zero, sign, carry, overflow;
    };
    using Bytes = std::unordered_map<std::uint64_t, std::optional<std::uint8_t>>;

    Value load(std::uint64_t address, int width);
    void store(std::uint64_t address, int width, Value value);

    MemoryReader m_read;
    Bytes m_pretended;  ///< by address; set by pretend()
    Bytes m_written;    ///< by address; m_pretended and the writes of this walk; nullopt = an unknown value
    /// Memory of the process, by address / 64; nullopt = not readable.
    std::unordered_map<std::uint64_t, std::optional<std::array<std::uint8_t, 64>>> m_cache;
    std::array<Register, 16> m_registers{};
    Flags m_flags;
    bool m_namesSecondBytes = true;
};

}  // namespace ct

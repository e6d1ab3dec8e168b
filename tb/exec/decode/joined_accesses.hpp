/// JoinedAccesses: loads and stores of shared memory that the assembler makes one of 8 or 16 bytes. What ptxas 13.0 does was seen with cuobjdump.
#pragma once
#include <map>
#include <span>
#include <vector>

#include "exec/decode/known_bits.hpp"

namespace gsu::exec {

/// What the machine code has for a load or store of the PTX.
struct JoinedAccess {
    enum class Part : std::uint8_t {
        Alone,
        Whole,  ///< the access that all of them become: the first load, the last store
        Within  ///< nothing: its bytes are of a whole
    } part{Part::Alone};
    std::uint8_t bytes{};               ///< of the whole
    std::int8_t shift{};                ///< from its own first byte to that of the whole
    std::vector<std::uint32_t> others;  ///< instructions of the whole besides itself
};

/// Joined are accesses of a basic block of the same kind, with one base register, whose bytes are adjacent and known to be aligned. Loads are joined if no
/// store to shared memory lies between them, stores if no other access to it does. Barriers, fences and asynchronous operations end both. Three words of 16
/// bytes are loaded as four.
class JoinedAccesses {
public:
    explicit JoinedAccesses(const ptx::Function& function);
    [[nodiscard]] const JoinedAccess& of(std::size_t instruction) const
    {
        return all_[instruction];
    }

private:
    static constexpr unsigned kWord = 4, kMost = 16;
    enum class Effect : std::uint8_t { None, Loads, Stores, Ends };
    struct Piece {
        std::uint32_t instruction{};
        std::int64_t at{};  ///< its first byte, from an aligned place on
        unsigned words{};   ///< a bit for each word of its unit
    };
    /// Accesses that lie in one aligned unit.
    struct Unit {
        bool store{};
        ptx::Operand base;        ///< only what tells one from another
        std::uint32_t version{};  ///< writes to the base so far
        std::int64_t place{};     ///< of the unit
        unsigned bytes{};         ///< 8 or 16
        std::vector<Piece> pieces;
    };
    [[nodiscard]] static Effect effectOf(const ptx::Instruction& in);
    void access(const ptx::Instruction& in, std::uint32_t index, bool store);
    void end(bool store);
    void join(const Unit& unit);
    void join(const Unit& unit, unsigned words);

    KnownBits known_;
    std::vector<JoinedAccess> all_;
    std::vector<Unit> open_;                          ///< of the basic block
    std::map<std::uint32_t, std::uint32_t> written_;  ///< how often a register was written in it
};

}  // namespace gsu::exec

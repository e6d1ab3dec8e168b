/// A litmus test: threads of a few instructions, locations, and a condition on what they leave. `gsu litmus --help` has the format.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "golden/types.hpp"

namespace gsu::litmus {

/// Path of an access to memory.
enum class Proxy : std::uint8_t { Generic, Surface, Texture, Constant, Async };
[[nodiscard]] const char* nameOf(Proxy proxy) noexcept;

/// Ordering semantics of an access or fence.
enum class Order : std::uint8_t { Relaxed, Acquire, Release, AcqRel, Sc };

struct Location {
    enum class Kind : std::uint8_t { Global, Shared, Mbarrier };
    std::string name;
    Kind kind{};
    unsigned cta{};       ///< CTA of shared memory and mbarriers: index of Test::ctas
    std::int32_t init{};  ///< initial value; of an mbarrier the expected arrivals
    unsigned root{};      ///< the location whose memory it uses: itself, or the location it aliases
    /// the location with the same generic address: itself, or the location it reaches by another proxy
    unsigned address{};
    std::uint32_t line{};
    bool stated{};  ///< named in the initial state; else it begins as 0
};

/// A register or a number.
struct Value {
    int reg{-1};  ///< index of Thread::registers, -1: the number
    std::int32_t number{};
};

enum class Kind : std::uint8_t {
    Load,
    Store,
    Atom,
    Red,
    Fence,       ///< sem and scope
    ProxyFence,  ///< proxy; Generic: alias
    MbarrierInitFence,
    Move,
    Arithmetic,  ///< math
    Branch,      ///< to `target` if a math b
    Goto,
    BarSync,
    BarArrive,
    ClusterArrive,
    ClusterWait,
    MbarArrive,    ///< b: expected bytes before the arrival, 0: none
    MbarExpectTx,  ///< a: bytes
    MbarWait,      ///< a: parity
    BulkCopy,      ///< to `location` from `from`, completes kWord bytes on `mbarrier`
    StAsync        ///< a to `location`, completes kWord bytes on `mbarrier`
};

enum class Math : std::uint8_t {
    Add,
    Sub,
    Mul,
    Div,
    And,
    Or,
    Xor,
    Exch,
    Cas,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge
};

/// Bytes of one value in transactions. The kernel of a test moves 16 for a copy.
inline constexpr std::int32_t kWord = 4;

struct Instruction {
    Kind kind{};
    Math math{};
    bool weak{};
    Order sem{};
    Scope scope{Scope::Cta};
    Proxy proxy{};
    int to{-1};  ///< register
    unsigned location{}, from{}, mbarrier{};
    Value a, b;
    unsigned id{};     ///< barrier
    Value barrier;     ///< id of the barrier, if a register gives it
    unsigned count{};  ///< participants of the barrier, in threads of the test
    unsigned target{};
    std::string text;
    std::uint32_t line{}, column{};
};

struct Thread {
    std::string name;
    unsigned cta{};  ///< index of Test::ctas
    std::vector<std::string> registers;
    std::vector<std::int32_t> init;  ///< initial values of the registers
    std::vector<Instruction> code;
};

struct Cta {
    unsigned number{}, cluster{}, gpu{};  ///< numbers as written
    std::vector<unsigned> threads;
};

/// A condition over registers and memory.
struct Condition {
    enum class Op : std::uint8_t { True, And, Or, Not, Compare };
    /// A register of a thread, a location's memory at the end, or a number.
    struct Term {
        enum class Kind : std::uint8_t { Register, Memory, Number } kind{};
        unsigned thread{}, index{};
        std::int32_t number{};
        bool operator==(const Term&) const = default;
    };
    Op op{Op::True};
    Math math{Math::Eq};
    Term left, right;
    std::vector<Condition> parts;
};

struct Test {
    enum class Asks : std::uint8_t {
        Exists,  ///< is it possible?
        Never,   ///< ~exists: it must be impossible
        Always   ///< forall: nothing else may be possible
    };
    std::string file, name;
    std::vector<std::string> remarks;  ///< strings after the name
    std::vector<Location> locations;
    std::vector<Cta> ctas;
    std::vector<Thread> threads;
    Asks asks{};
    Condition condition;
    std::string conditionText;
    std::vector<Condition::Term> shown;  ///< terms of an outcome
    bool clusters{};                     ///< some instruction needs the CTAs to be a cluster
};

/// Reads a test. Throws InputError with file, line and column.
[[nodiscard]] Test parseTest(const std::string& text, const std::string& file);
[[nodiscard]] bool comparesTrue(Math math, std::int32_t a, std::int32_t b) noexcept;
[[nodiscard]] std::int32_t computed(Math math, std::int32_t a, std::int32_t b) noexcept;
/// "P0:r1" or "x".
[[nodiscard]] std::string nameOf(const Test& test, const Condition::Term& term);

/// Whether the condition holds; `valueOf(term)` returns the value of a register or memory.
template <class ValueOf> [[nodiscard]] bool holds(const Condition& c, ValueOf&& valueOf)
{
    switch (c.op) {
        case Condition::Op::True: return true;
        case Condition::Op::Not: return !holds(c.parts.front(), valueOf);
        case Condition::Op::Compare: return comparesTrue(c.math, valueOf(c.left), valueOf(c.right));
        case Condition::Op::And:
            for (const Condition& p : c.parts)
                if (!holds(p, valueOf)) return false;
            return true;
        case Condition::Op::Or:
            for (const Condition& p : c.parts)
                if (holds(p, valueOf)) return true;
            return false;
    }
    return false;
}

}  // namespace gsu::litmus

/// A cluster of three CTAs of which the last has exited, on the RTL with the golden model in lockstep: operations on words of any content,
/// sixteen at once on words of their own.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "derived.hpp"
#include "golden/mbarrier.hpp"
#include "golden/word_memory.hpp"
#include "lockstep/lockstep_port.hpp"
#include "verilated/rtl_port.hpp"

namespace gsu::derived {

/// One lane's operation as the port takes it.
struct Trial {
    Attempt attempt;
    Object before;
    bool async{};       ///< given as a completion, not by an instruction
    bool ownRank{};     ///< the shared::cluster form although it names the own CTA
    unsigned beyond{};  ///< which offset outside
};

/// The unit's reaction.
struct Outcome {
    std::vector<Commit> commits;  ///< of the mbarrier unit
    std::vector<SyncResponse> responses;
    std::uint64_t word{};  ///< memory of the object's place afterwards
};

class Rig final : public SyncSink {
public:
    static constexpr unsigned kPlaces = 16;

    explicit Rig(bool lockOnError);
    /// Performs them all at once, each on its own place and by its own warp. At most kPlaces.
    [[nodiscard]] std::vector<Outcome> perform(const std::vector<Trial>& trials);
    /// One instruction of several lanes on one object; lane i performs trials[i], which differ in their operand alone.
    [[nodiscard]] Outcome together(const std::vector<Trial>& lanes);
    /// Empty while RTL and golden model agree.
    [[nodiscard]] std::string fault() const { return port_.fault() ? port_.fault()->message : ""; }

    void onResponse(const SyncResponse& r) override { responses_[r.tag].push_back(r); }
    void onRelease(const Release&) override {}
    void onCommit(const Commit& c) override
    {
        if (c.unit == Unit::Mbarrier) commits_[c.tag].push_back(c);
    }
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree&) override {}

private:
    void give(const Trial& t, unsigned place);
    void settle(int cycles)
    {
        while (cycles-- > 0) port_.step();
    }
    /// Runs until that many trials have committed, and the effects of their commits have ended.
    void until(std::size_t commits);
    void setWord(const Trial& t, unsigned place);
    SyncRequest requestOf(const Trial& t, unsigned place) const;
    [[nodiscard]] Outcome outcomeOf(const Trial& t, unsigned place);

    WordMemory memory_;
    RtlPort rtl_;
    LockstepPort port_;
    std::map<std::uint16_t, std::vector<Commit>> commits_;
    std::map<std::uint16_t, std::vector<SyncResponse>> responses_;
};

/// The word of an object's values.
[[nodiscard]] std::uint64_t wordOf(const Object& o);

}  // namespace gsu::derived

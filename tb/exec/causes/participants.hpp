/// The participants of a barrier object: warps that have arrived there or at another stage of its ring, that came to an arrival at it, or
/// that would arrive next.
#pragma once
#include "exec/causes/wait_graph.hpp"

namespace gsu::exec {

struct Participant {
    WarpId id;
    Warp* warp{};           ///< nullptr: its CTA has ended
    const OpNote* notes{};  ///< by MicroOp::note
    bool before{};          ///< has arrived in an earlier phase, or at its ring
    bool now{};             ///< has arrived in the running phase
    bool ended{};           ///< all its lanes have ended
    bool pays{};            ///< would arrive if its wait returned
    bool guarded{};         ///< came to the arrival with its guard false
    Site site;              ///< the arrival
    std::uint32_t times{};  ///< executions of the arrival
    Lanes ran{}, skipped{};
    std::uint64_t given{};    ///< arrivals in the running phase
    std::uint32_t wayBy{};    ///< line of the branch or exit by which it passed
    bool byExit{};            ///< an exit kept it from the arrival
    std::uint32_t endLine{};  ///< line of its exit
    Cycle at{};               ///< when it passed or exited
};

class Participants {
public:
    Participants(const HangSnapshot& snapshot, const WaitGraph& graph, std::size_t node);
    [[nodiscard]] const std::vector<Participant>& all() const noexcept { return all_; }
    /// Participants that have not arrived in the running phase and would not.
    [[nodiscard]] std::vector<Participant> owing() const;
    /// Warps that would have reached an arrival by the other side of a branch that they took, or without their exit.
    [[nodiscard]] std::vector<Participant> aside() const;
    /// Objects of the CTA that the same instructions use, including this one.
    [[nodiscard]] const std::vector<WordAt>& ring() const noexcept { return ring_; }

private:
    [[nodiscard]] bool isArrival(const MicroOp& op) const;
    [[nodiscard]] bool inReach(const Cta& cta) const;
    void findRing();
    void look(Cta& cta, Warp& warp);
    void fromMbar(Participant& p) const;
    void fromNamed(Participant& p) const;
    void fromSites(Participant& p);
    void fromWord(Participant& p, const OpNote& note, const Site& site) const;
    void gone();
    void countRounds();
    void goneAside(std::vector<Participant>& some) const;
    [[nodiscard]] bool passedBy(const Warp& warp, const Site& branch) const;
    void otherSide(Participant& p) const;
    [[nodiscard]] bool reaches(Warp& warp, const Lookahead::From& from, std::uint32_t& line) const;
    void ending(Participant& p) const;

    const HangSnapshot& snapshot_;
    const WaitGraph& graph_;
    const WaitNode& node_;
    std::size_t index_;
    std::vector<Site> sites_;
    std::vector<WordAt> ring_;
    std::vector<Participant> all_;
};

}  // namespace gsu::exec

/// TimingAdapter: passes instructions to the timing model, and delays their execution until the model lets them issue (exec.timing other than simple).
#pragma once
#include <memory>

#include "exec/timing/timing_model.hpp"
#include "exec/warps/context.hpp"

namespace gsu::exec {

class TimingAdapter {
public:
    /// `sms`: number of simulated SMs, of `of` that do the same; 0: the others are idle. `sharing`: as ChipMemory takes it.
    TimingAdapter(const timing::TimingParams& params, unsigned sms, unsigned of,
                  std::shared_ptr<const timing::Sharing> sharing);

    [[nodiscard]] timing::TimingModel& model() noexcept { return *model_; }
    /// Cycle of the first instruction of a CTA that starts now.
    [[nodiscard]] Cycle starts(Cycle now) const noexcept;
    void enter(Warp& warp, Cycle at);
    void leave(const Warp& warp, Cycle now);
    void ended(const Cta& cta);

    /// The cycle in which the group may execute the instruction: now, or later. `behind`: others of this turn come before it.
    [[nodiscard]] Cycle mayExecute(const Warp& warp, const Group& group,
                                   const TimedInstruction& next, Cycle now, bool behind);
    /// Issues the instruction, which is executed now.
    void issue(const Warp& warp, const Group& group, const TimedInstruction& what, Cycle now);
    /// The same for an instruction that nobody waits for: mayExecute() and, if that returns now, issue(). `back`: it branches backwards.
    [[nodiscard]] Cycle issueAhead(const Warp& warp, const Group& group,
                                   const TimedInstruction& what, Cycle now, bool back)
    {
        const timing::Instruction& i = of(group, what);
        const timing::Attempt tried =
            warp.timing->issueAhead(i, back ? timing::InstructionClass::BackEdge : i.cls, now);
        if (!tried.issued) return tried.at;
        began(i, tried.at);
        return now;
    }
    /// Notes an instruction that no lane executes.
    void skip(const Warp& warp, const Group& group, const TimedInstruction& what, Cycle now);
    /// Reports the addresses of the instruction that was issued last.
    void load(const Warp& warp, const timing::MemoryAccess& access);
    void store(const Warp& warp, const timing::MemoryAccess& access);
    void copyAsync(const Warp& warp, const timing::MemoryAccess& from,
                   const timing::MemoryAccess& to);
    /// Cycle in which the executing instruction has issued (below: in which the bytes of its cp.async are there).
    [[nodiscard]] Cycle issued() const noexcept { return issued_; }
    [[nodiscard]] Cycle copied() const noexcept { return copied_; }
    /// Times of a warp's quarter of a wgmma.
    [[nodiscard]] timing::ProductClocks product(const Warp& warp, const timing::Product& what);
    /// Cycle in which a tcgen05.ld or st is performed.
    [[nodiscard]] Cycle tensorMove(const Warp& warp, std::uint64_t bytes)
    {
        return model_->tensorMove(warp.timed, bytes, issued_);
    }
    /// Number of multiply-adds of matrix instructions so far.
    [[nodiscard]] std::uint64_t multiplyAdds() const noexcept { return multiplyAdds_; }
    [[nodiscard]] const timing::TimingParams& params() const noexcept { return params_; }
    enum class Parked : std::uint8_t { No, Warp, PartOfWarp };
    /// Whose wait the next answers end, if it was parked.
    void answers(Parked parked) noexcept { parked_ = parked; }
    /// Notes that the group's wait has ended; returns when it continues.
    [[nodiscard]] Cycle woke(const Warp& warp, const Group& group, Cycle now);
    /// The group sleeps for so many ns, from now on; returns when it continues.
    [[nodiscard]] Cycle sleeps(const Warp& warp, std::uint64_t ns, Cycle now);

    /// Clocks until an operation of another chip part, as one thread's late atomic, is performed.
    [[nodiscard]] std::uint32_t farLatency() const noexcept { return params_.l2_far; }

private:
    /// Clocks from an answer until its group continues, but for one.
    [[nodiscard]] Cycle after(const Warp& warp, const Group& group, Cycle now);
    [[nodiscard]] Cycle nextLook(Cycle asked, Cycle now) const;
    void began(const timing::Instruction& what, Cycle issued) noexcept
    {
        running_ = &what;
        multiplyAdds_ += what.work;
        issued_ = issued;
    }
    [[nodiscard]] const timing::Instruction& of(const Group& group, const TimedInstruction& t)
    {
        const timing::Register base = group.regBase + group.predBase;
        return base == 0 ? t.what : inFrame(base, t);
    }
    [[nodiscard]] const timing::Instruction& inFrame(timing::Register base,
                                                     const TimedInstruction& t);

    timing::TimingParams params_;
    std::unique_ptr<timing::TimingModel> model_;
    bool ended_{};  ///< a CTA has ended
    std::uint64_t multiplyAdds_{};
    Cycle issued_{}, copied_{};
    const timing::Instruction* running_{};
    timing::Instruction here_;  ///< the executing instruction, with the registers of its frame
    std::vector<timing::Register> registers_;
    Parked parked_{};
};

}  // namespace gsu::exec

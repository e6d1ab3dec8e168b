/// The object behind a handle of gsu.h: networks of SMs, their memory, the checker of inputs in front of them; callbacks, events and
/// journal after them.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "capi/barrier_mirror.hpp"
#include "capi/convert.hpp"
#include "capi/input_checker.hpp"
#include "capi/journal.hpp"
#include "causes/port_history.hpp"
#include "golden/wait_text.hpp"
#include "units/chip.hpp"

struct gsu_unit final : private gsu::SyncSink, private gsu::SharedMemory {
public:
    /// Throws gsu::capi::Refusal.
    explicit gsu_unit(const gsu_options& options);
    ~gsu_unit() override = default;
    gsu_unit(const gsu_unit&) = delete;
    gsu_unit& operator=(const gsu_unit&) = delete;

    // Inputs, checked; each throws Refusal. Not from inside a callback.
    void present(const gsu::SyncRequest& request);
    void notify(const gsu::AsyncUpdate& update);
    void route(const gsu::ClusterRoute& route);
    void grid(const gsu::capi::GridInput& grid);
    [[nodiscard]] bool launch(const gsu::Launch& launch);
    void exit(const gsu::Exit& exit);
    void stored(std::uint32_t sm, std::uint32_t addr, std::uint32_t bytes);
    [[nodiscard]] std::uint8_t epoch(std::uint32_t sm, std::uint32_t cta, std::uint32_t warp,
                                     std::uint32_t reach) const;
    void announce(const gsu::Accesses& accesses);
    void performed(const gsu::Accesses& accesses);
    void answerCancel(const gsu::CancelAnswer& answer);
    void step();
    void skipTo(gsu::Cycle cycle);
    void openWaves(const gsu_waves& waves);
    void closeWaves();
    void reset();
    void restore(const void* data, std::uint64_t bytes);
    [[nodiscard]] std::string save() const;
    /// Takes the next kept event. False: there is none.
    [[nodiscard]] bool nextEvent(gsu_event& event);
    /// The text of gsu_unit_explain(). It lives until the next call.
    [[nodiscard]] const char* explain();
    /// Sets the line of the next request, completion or exit.
    void line(std::uint32_t line);
    /// True if the unit hangs, with the cause in `hang`; texts live until the next call.
    [[nodiscard]] bool hang(bool idle, gsu_hang& hang);
    /// True while a callback runs.
    [[nodiscard]] bool stepping() const noexcept { return stepping_; }

    [[nodiscard]] bool canPresent(std::uint32_t sm) const;
    [[nodiscard]] bool canNotify(std::uint32_t sm) const;
    [[nodiscard]] bool canAnswerCancel(std::uint32_t sm) const;
    [[nodiscard]] std::uint64_t word(std::uint32_t sm, std::uint32_t addr) const;
    [[nodiscard]] gsu::Cycle now() const { return chip_->now(); }
    [[nodiscard]] gsu::Cycle quietUntil() const;
    /// The fault of the port; it stays once there is one.
    [[nodiscard]] const std::optional<gsu::Fault>& fault();

    // Queries about a launched CTA.
    [[nodiscard]] gsu_barrier_state barrier(std::uint32_t sm, std::uint32_t cta,
                                            std::uint32_t id) const;
    [[nodiscard]] gsu_mbarrier_state mbarrier(std::uint32_t sm, std::uint32_t cta,
                                              std::uint32_t addr) const;
    [[nodiscard]] gsu_cluster_state cluster(std::uint32_t sm, std::uint32_t cta) const;

private:
    void build();
    void mayTakeInput() const;
    void mayUse(std::uint32_t sm) const;
    const gsu::Launch& mayAsk(std::uint32_t sm, std::uint32_t cta) const;
    /// Warps of a CTA with an open request for which `waits` is true.
    template <typename Waits>
    [[nodiscard]] std::uint32_t openWarps(std::uint32_t sm, std::uint32_t cta, Waits&& waits) const;
    /// Reads a word for a query: it is not a read of the unit and not journaled.
    [[nodiscard]] std::uint64_t peek(std::uint32_t sm, std::uint32_t addr) const
    {
        return own_ ? own_->readWord(std::uint8_t(sm), addr)
                    : callbacks_.read_word(callbacks_.user, sm, addr);
    }
    [[nodiscard]] std::uint64_t mbarrierWord(std::uint32_t sm, std::uint32_t cta,
                                             std::uint32_t addr) const;
    /// A number that is different for each CTA, or for each cluster.
    [[nodiscard]] static std::uint32_t numberOf(std::uint32_t sm, std::uint32_t cta) noexcept
    {
        return sm * gsu::kMaxCtas + cta;
    }
    [[nodiscard]] std::uint32_t clusterOf(std::uint32_t sm, std::uint32_t cta) const;
    [[nodiscard]] std::vector<gsu::WaitingGroup> waitingGroups() const;
    void addPolls(std::vector<gsu::WaitingGroup>& groups) const;
    [[nodiscard]] std::string explanation() const;
    void took(const gsu::capi::Input& input);
    void execute(const gsu::capi::Input& input);
    void play(gsu::capi::Checkpoint& checkpoint);
    template <typename Out, typename Call>
    void tell(std::uint32_t kind, const Out& out, Call callback);
    template <typename Input> void check(const Input& input) const;
    void onResponse(const gsu::SyncResponse& response) override;
    void onRelease(const gsu::Release& release) override;
    void onCommit(const gsu::Commit& commit) override;
    void onDelivered(const gsu::Delivered& delivered) override;
    void onCtaFree(const gsu::CtaFree& free) override;
    void onGrid(const gsu::GridEvent& event) override;
    void onCancel(const gsu::CancelQuery& query) override;
    [[nodiscard]] std::uint64_t readWord(std::uint8_t sm, std::uint32_t addr) const override;
    void writeWord(std::uint8_t sm, std::uint32_t addr, std::uint64_t value) override;

    /// Reports the remarks of the golden model since the last call; `commit` is the commit that shows them, or null.
    void tellNotes(const gsu::Commit* commit);

    gsu_callbacks callbacks_;
    gsu::Config config_;
    gsu::UnitOptions options_;  ///< of all SMs together
    std::string identity_;      ///< properties with which a checkpoint must agree
    std::uint32_t events_{};    ///< gsu_event_mask
    bool journals_{};
    bool cancels_{};  ///< the driver answers queries of try_cancel: ABI 1.6
    bool alone_{};    ///< one thread, one network, no assertions

    std::unique_ptr<gsu::SharedMemory> own_{};  ///< memory if there are no memory callbacks
    std::unique_ptr<gsu::Chip> chip_{};
    gsu::capi::InputChecker checker_;
    gsu::capi::BarrierMirror barriers_;
    gsu::capi::Journal journal_{};
    std::deque<gsu_event> kept_{};
    std::vector<gsu::MbarNote> notes_{};
    std::optional<gsu::Fault> fault_{};
    std::string explanation_{};
    gsu::PortHistory history_;  ///< for the cause of a hang
    std::array<std::string, 3> hangTexts_{};
    std::uint32_t line_{};  ///< line of the next input
    /// checkpoint that is being executed: no callbacks, words come from it
    gsu::capi::Checkpoint* replayed_{};
    mutable bool reading_{};  ///< reads of memory belong to the journal
    bool stepping_{};
    bool given_{};  ///< this cycle has an input
    bool stepped_{}, waves_{};
};

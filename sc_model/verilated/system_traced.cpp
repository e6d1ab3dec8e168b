// The models with trace code, and their FST file: one sample a cycle, after its edge, inputs and outputs together. Two samples would show
// the clock toggling and cost twice as much.
#include <Vgsu_net_tr.h>
#include <Vgsu_sm_tr.h>
#include <verilated_fst_c.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "verilated/system.hpp"
#include "verilated/wave_io.hpp"

namespace gsu {

namespace {

constexpr Cycle kTicksPerCycle = 1000;  // ps: cycle n begins at n ns
constexpr std::uint64_t kDumpsPerBlock = 4096;
constexpr int kAllLevels = 99;
// Verilator 5.048 has a writer of its own, which fails on the values of signals that are left out, and shows every model: all of the RTL is in the dump.
#if __has_include(<fstcpp/fstcpp_writer.h>)
constexpr bool kLeavesOut = false;
#else
constexpr bool kLeavesOut = true;
#endif

class TracedSystem final : public ModelSystem<Vgsu_sm_tr, Vgsu_net_tr, false> {
public:
    using ModelSystem::ModelSystem;
    ~TracedSystem() override { (void)closeWaves(); }

    bool openWaves(const WaveOptions& options) override
    {
        options_ = options;
        temporary_ = options.path + ".part";
        if (!std::ofstream(temporary_)) return false;  // the FST writer itself reports nothing
        choose();
        fst_.set_time_unit("1ps");
        fst_.set_time_resolution("1ps");
        (void)takeWaveError();
        fst_.open(temporary_.c_str());
        keepError();
        return fst_.isOpen();
    }

    bool closeWaves() override
    {
        if (!fst_.isOpen()) return true;
        (void)takeWaveError();
        fst_.close();
        keepError();
        std::error_code error;
        if (waveError == 0) {
            std::filesystem::rename(temporary_, options_.path, error);
            waveError = error.value();
        }
        if (waveError != 0) std::filesystem::remove(temporary_, error);
        return waveError == 0;
    }

private:
    void show(int levels, const std::string& scope)
    {
        if (kLeavesOut) fst_.dumpvars(levels, scope);
    }
    /// Models outside the scopes are not traced. A unit is traced with the ports of its SM, where its commits are.
    void choose()
    {
        bool net = options_.scopes.empty();
        std::uint32_t shown = net ? ~0u : 0u;
        for (const WaveScope& scope : options_.scopes) {
            net |= scope.net;
            if (scope.net) show(kAllLevels, "net");
            for (unsigned i = 0; i < slots_.size(); ++i) {
                if (scope.net || (scope.sm >= 0 && scope.sm != static_cast<int>(i))) continue;
                shown |= 1u << i;
                const std::string sm = nameOf(i) + " gsu_sm";
                show(scope.unit.empty() ? kAllLevels : 1, sm);
                if (!scope.unit.empty()) show(kAllLevels, sm + " " + std::string(scope.unit));
            }
        }
        for (unsigned i = 0; i < slots_.size(); ++i)
            if ((shown >> i & 1) != 0) slots_[i].model->trace(&fst_, kAllLevels);
        // One SM alone has no traffic on the network.
        if (net && slots_.size() > 1) net_->trace(&fst_, kAllLevels);
    }
    void keepError()
    {
        if (const int error = takeWaveError(); waveError == 0) waveError = error;
    }
    void afterRise() override { dump(); }
    void dump()
    {
        if (now < options_.from || now > options_.to || !fst_.isOpen()) return;
        if (waveError != 0) return;  // closeWaves() reports it
        (void)takeWaveError();
        fst_.dump(now * kTicksPerCycle);
        // The writer chains all changes of a block through memory: blocks that fit the cache are written several times faster.
        if (++dumps_ % kDumpsPerBlock == 0) fst_.flush();
        keepError();
    }

    std::uint64_t dumps_{};
    WaveOptions options_;
    std::string temporary_;
    VerilatedFstC fst_;
};

}  // namespace

std::unique_ptr<RtlPort::System> makeTracedSystem(unsigned sms, const Config& config,
                                                  unsigned first)
{
    return std::make_unique<TracedSystem>(sms, config, first);
}

}  // namespace gsu

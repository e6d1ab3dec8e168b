#include "run/unit_stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/input_error.hpp"
#include "base/thread_pool.hpp"
#include "golden/chip_layout.hpp"

namespace gsu::run {

UnitOptions unitOptions(const CommonOptions& options, ChipLayout chip,
                        std::function<void(const MbarNote&)> onNote)
{
    const UnitKind kind = options.unit();
    if (!isBuilt(kind))
        throw InputError("--unit", fmt::format("{} is not built into this gsu; use --unit golden",
                                               nameOf(kind)));
    std::shared_ptr<const RtlModel> model;
    if (kind != UnitKind::Golden) model = options.choice.load();
    const Structure structure = options.choice.structure();
    if (model && !model->full() && (options.assertions || !options.fst.empty()))
        throw InputError(options.assertions ? "--assertions" : "--fst",
                         fmt::format("the model of this structure has none: gsu build --full "
                                     "--with {} makes it with assertions and waves",
                                     textOf(structure)));
    if (!model && kind != UnitKind::Golden && options.assertions && !hasAssertions())
        throw InputError("--assertions",
                         "this gsu was built without them: configure with -DGSU_ASSERTIONS=ON");
    if (options.assertions && !options.fst.empty())
        throw InputError("--assertions",
                         "not together with --fst: the models that dump waves have none");
    return {.kind = kind,
            .sms = chip.sms(),
            .network = chip.network(),
            .assertions = options.assertions,
            .threads = networkThreads(options, chip),
            .onNote = std::move(onNote),
            .structure = structure,
            .model = std::move(model)};
}

unsigned networkThreads(const CommonOptions& options, ChipLayout chip)
{
    if (options.unit() == UnitKind::Golden || chip.networks() > 1 || !options.fst.empty()) return 1;
    if (options.threads != 0) return std::min(options.threads, 2u);
    return chip.sms() > 2 && !options.assertions ? std::min(ThreadPool::processors(), 2u) : 1;
}

UnitStack::UnitStack(const CommonOptions& options, ChipLayout chip, const Config& config,
                     SharedMemory& memory, std::function<void(const MbarNote&)> onNote)
{
    const UnitOptions parts = unitOptions(options, chip, std::move(onNote));
    if (chip.networks() == 1)
        unit_.emplace(parts, config, memory);
    else
        chip_.emplace(parts, config, memory, Chip::Grids::Whole);
    if (!options.fst.empty() && waved().hasWaves()) openWaves(options, chip);
}

SyncPort& UnitStack::port() noexcept
{
    if (unit_) return unit_->port();
    return *chip_;
}

SyncUnit& UnitStack::waved() noexcept { return unit_ ? *unit_ : chip_->network(network_); }

void UnitStack::openWaves(const CommonOptions& options, ChipLayout chip)
{
    if (!options.fstEvent.empty() && !options.fstAround)
        throw InputError("--fst-around", "'" + options.fstEvent +
                                             "' is for gsu run of one launch; give the cycle here");
    Cycle from = 0, to = kNever;
    options.window(from, to);
    std::vector<WaveScope> scopes;
    if (!options.waves.empty()) {
        if (const std::string problem = setWaveScopes(scopes, options.waves, chip.sms());
            !problem.empty())
            throw InputError("--waves", problem);
    }
    chooseNetwork(scopes, chip);
    wavesPath_ = options.fst;
    wavesPartial_.emplace(partialName(options.fst));
    wavesPart_.emplace(SyncUnit::wavesPart(wavesPartial_->name()));
    if (!waved().openWaves(wavesPartial_->name(), from, to, std::move(scopes)))
        throw InputError(options.fst, "cannot be written");
}

/// Waves of a chip show one network: the requested scope decides which.
void UnitStack::chooseNetwork(std::vector<WaveScope>& scopes, ChipLayout chip)
{
    if (unit_) return;
    const auto refuse = [&](const std::string& why) {
        throw InputError("--waves",
                         fmt::format("{}: {} SMs are {} networks of up to {}, and waves are of one "
                                     "of them; name SMs of it, sm{} and so on",
                                     why, chip.sms(), chip.networks(), chip.network(),
                                     chip.network()));
    };
    std::optional<unsigned> network;
    for (WaveScope& scope : scopes) {
        if (scope.net) continue;
        if (scope.sm < 0) refuse("a part of every SM");
        const auto sm = static_cast<unsigned>(scope.sm);
        if (network.value_or(chip.networkOf(sm)) != chip.networkOf(sm))
            refuse("SMs of several networks");
        network = chip.networkOf(sm);
        scope.sm = static_cast<int>(sm - chip.firstOf(*network));
    }
    if (!network) refuse(scopes.empty() ? "waves of everything" : "the network of no SM");
    network_ = *network;
}

UnitStack::~UnitStack()
{
    if (wavesPartial_) static_cast<void>(waved().closeWaves());
}

void UnitStack::finishWaves()
{
    if (!wavesPartial_) return;
    if (!waved().closeWaves())
        throw InputError(wavesPath_,
                         fmt::format("writing failed: {}", std::strerror(waved().waveError())));
    renameInto(wavesPartial_->name(), wavesPath_);
    wavesPartial_->release();
    wavesPart_->release();
    wavesPart_.reset(), wavesPartial_.reset();
}

}  // namespace gsu::run

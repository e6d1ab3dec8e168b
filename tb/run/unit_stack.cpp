#include "run/unit_stack.hpp"

#include <fmt/format.h>

#include <cstring>
#include <thread>

#include "base/input_error.hpp"

namespace gsu::run {
namespace {

UnitOptions optionsOf(const CommonOptions& options, unsigned sms,
                      std::function<void(const MbarNote&)> onNote)
{
    const UnitKind kind = options.unit();
    if (!isBuilt(kind))
        throw InputError(
            "--unit", 0, 0,
            fmt::format("{} is not built into this gsu; use --unit golden", nameOf(kind)));
    std::shared_ptr<const RtlModel> model;
    if (kind != UnitKind::Golden) model = options.choice.load();
    const Structure structure = options.choice.structure();
    if (model && !model->full() && (options.assertions || !options.fst.empty()))
        throw InputError(options.assertions ? "--assertions" : "--fst", 0, 0,
                         fmt::format("the model of this structure has none: gsu build --full "
                                     "--with {} makes it with assertions and waves",
                                     textOf(structure)));
    if (!model && kind != UnitKind::Golden && options.assertions && !hasAssertions())
        throw InputError("--assertions", 0, 0,
                         "this gsu was built without them: configure with -DGSU_ASSERTIONS=ON");
    if (options.assertions && !options.fst.empty())
        throw InputError("--assertions", 0, 0,
                         "not together with --fst: the models that dump waves have none");
    static const unsigned processors = std::thread::hardware_concurrency() > 1 ? 2 : 1;
    const unsigned useful = sms > 2 && !options.assertions && options.fst.empty() ? processors : 1;
    return {.kind = kind,
            .sms = sms,
            .assertions = options.assertions,
            .threads = options.threads != 0 ? options.threads : useful,
            .onNote = std::move(onNote),
            .structure = structure,
            .model = std::move(model)};
}

}  // namespace

UnitStack::UnitStack(const CommonOptions& options, unsigned sms, const Config& config,
                     SharedMemory& memory, std::function<void(const MbarNote&)> onNote)
    : unit_(optionsOf(options, sms, std::move(onNote)), config, memory)
{
    if (options.fst.empty() || !unit_.hasWaves()) return;
    Cycle from = 0, to = kNever;
    options.window(from, to);
    std::vector<WaveScope> scopes;
    if (!options.waves.empty()) {
        if (const std::string problem = setWaveScopes(scopes, options.waves, sms); !problem.empty())
            throw InputError("--waves", 0, 0, problem);
    }
    wavesPath_ = options.fst;
    wavesPartial_.emplace(partialName(options.fst));
    wavesPart_.emplace(SyncUnit::wavesPart(wavesPartial_->name()));
    if (!unit_.openWaves(wavesPartial_->name(), from, to, std::move(scopes)))
        throw InputError(options.fst, 0, 0, "cannot be written");
}

UnitStack::~UnitStack()
{
    if (wavesPartial_) static_cast<void>(unit_.closeWaves());
}

void UnitStack::finishWaves()
{
    if (!wavesPartial_) return;
    if (!unit_.closeWaves())
        throw InputError(wavesPath_, 0, 0,
                         fmt::format("writing failed: {}", std::strerror(unit_.waveError())));
    renameInto(wavesPartial_->name(), wavesPath_);
    wavesPartial_->release();
    wavesPart_->release();
    wavesPart_.reset(), wavesPartial_.reset();
}

}  // namespace gsu::run

// A unit: creation, steps, reset, and waves.
#include "capi/unit.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/input_error.hpp"
#include "golden/params.hpp"
#include "golden/word_memory.hpp"

using gsu::capi::Refusal;

namespace {

/// gsu_request::sm has 8 bits.
constexpr unsigned kMaxUnitSms = 256;

gsu::ModelChoice choiceOf(const gsu_options& options)
{
    return {.with = options.with != nullptr ? options.with : "",
            .model = options.model != nullptr ? options.model : ""};
}

/// The result of `call`; unusable input becomes a refusal.
template <typename Call> auto refusing(Call&& call)
{
    try {
        return call();
    } catch (const gsu::InputError& error) {
        throw Refusal{GSU_E_ARGUMENT, error.what()};
    }
}

gsu::Config configOf(const gsu_options& options)
{
    const gsu::Structure has = refusing([&] { return choiceOf(options).structure(); });
    gsu::Preset preset = gsu::Preset::Hopper;
    if (options.preset != nullptr && !gsu::presetOf(options.preset, preset))
        throw Refusal{
            GSU_E_ARGUMENT,
            fmt::format("no preset '{}': hopper, ampere, blackwell, ideal", options.preset)};
    gsu::Config config = gsu::configOf(preset, has);
    for (const char* const* setting = options.settings; setting != nullptr && *setting != nullptr;
         ++setting) {
        const std::string problem = gsu::setParameter(config, *setting, has);
        if (!problem.empty()) throw Refusal{GSU_E_ARGUMENT, problem};
    }
    return config;
}

unsigned smsOf(const gsu_options& options)
{
    if (options.sms < 1 || options.sms > kMaxUnitSms)
        throw Refusal{GSU_E_ARGUMENT, fmt::format("{} SMs: 1 to {}", options.sms, kMaxUnitSms)};
    return options.sms;
}

gsu::ChipLayout chipOf(const gsu_options& options)
{
    if (options.network > gsu::kMaxSms)
        throw Refusal{GSU_E_ARGUMENT,
                      fmt::format("networks of {} SMs: 1 to {}", options.network, gsu::kMaxSms)};
    return {smsOf(options), options.network == 0 ? gsu::kChipNetworkSms : options.network};
}

gsu::UnitOptions partsOf(const gsu_options& options)
{
    const gsu::ChipLayout chip = chipOf(options);
    const std::string name = options.unit != nullptr ? options.unit : "lockstep";
    const std::optional<gsu::UnitKind> kind = gsu::unitKindOf(name);
    if (!kind)
        throw Refusal{GSU_E_ARGUMENT, fmt::format("no unit '{}': rtl, golden, lockstep", name)};
    if (options.assertions > 1) throw Refusal{GSU_E_ARGUMENT, "assertions is 0 or 1"};
    if (options.threads > 1 && (*kind == gsu::UnitKind::Golden || options.assertions != 0))
        throw Refusal{GSU_E_ARGUMENT,
                      "two threads work without assertions, and not on the golden unit"};
    if (options.threads > 1 && chip.networks() > 1)
        throw Refusal{GSU_E_ARGUMENT,
                      fmt::format("two threads work with at most {} SMs", chip.network())};
    std::shared_ptr<const gsu::RtlModel> model;
    if (*kind != gsu::UnitKind::Golden) model = refusing([&] { return choiceOf(options).load(); });
    if (options.assertions != 0 && *kind != gsu::UnitKind::Golden &&
        !(model ? model->full() : gsu::hasAssertions()))
        throw Refusal{GSU_E_ARGUMENT, "this model checks no assertions: build it by gsu build "
                                      "--full, or GSU itself with -DGSU_ASSERTIONS=ON"};
    return {.kind = *kind,
            .sms = chip.sms(),
            .network = chip.network(),
            .assertions = options.assertions != 0,
            .threads = options.threads,
            .onNote = {},
            .structure = refusing([&] { return choiceOf(options).structure(); }),
            .model = std::move(model)};
}

std::string identityOf(const gsu::UnitOptions& parts, const gsu::Config& config, bool ownMemory)
{
    std::string text =
        fmt::format("GSU " GSU_VERSION " {}, {} SMs, memory {}", gsu::nameOf(parts.kind), parts.sms,
                    ownMemory ? "of its own" : "of the driver");
    if (parts.network != gsu::kChipNetworkSms)
        text += fmt::format(", networks of {}", parts.network);
    if (const std::string with = gsu::textOf(parts.structure); !with.empty())
        text += ", with " + with;
    for (const gsu::Parameter& p : gsu::parameters())
        text += fmt::format(", {}={}", p.key, p.get(config));
    return text;
}

}  // namespace

gsu_unit::gsu_unit(const gsu_options& options)
    : callbacks_(gsu::capi::callbacksOf(options.callbacks)),
      config_(configOf(options)),
      options_(partsOf(options)),
      events_(options.events),
      journals_(options.journal != 0),
      cancels_((options.abi & 0xffff) >= 6),
      alone_(options.threads < 2 && options.assertions == 0 && options_.chip().networks() == 1),
      checker_(options_.chip()),
      barriers_(options.sms),
      history_(options_.chip())
{
    identity_ = identityOf(options_, config_, callbacks_.read_word == nullptr);
    options_.onNote = [this](const gsu::MbarNote& note) {
        if (callbacks_.on_finding != nullptr || (events_ & GSU_EVENTS_FINDING) != 0)
            notes_.push_back(note);
    };
    build();
}

void gsu_unit::build()
{
    if (callbacks_.read_word == nullptr) own_ = std::make_unique<gsu::WordMemory>(options_.sms);
    gsu::SharedMemory& memory = *this;  // private bases: make_unique cannot convert to them
    gsu::SyncSink& sink = *this;
    chip_ = std::make_unique<gsu::Chip>(options_, config_, memory, gsu::Chip::Grids::OfNetworks);
    chip_->setSink(sink);
}

void gsu_unit::reset()
{
    mayTakeInput();
    build();
    checker_ = gsu::capi::InputChecker(options_.chip());
    barriers_ = gsu::capi::BarrierMirror(options_.sms);
    history_ = gsu::PortHistory(options_.chip());
    line_ = 0;
    journal_.clear();
    kept_.clear();
    notes_.clear();
    fault_.reset();
    given_ = stepped_ = waves_ = false;
}

void gsu_unit::mayTakeInput() const
{
    if (stepping_) throw Refusal{GSU_E_NESTED, "called from inside a callback of this unit"};
}

void gsu_unit::mayUse(std::uint32_t sm) const
{
    if (sm >= options_.sms)
        throw Refusal{GSU_E_ARGUMENT, fmt::format("SM {} of {}", sm, options_.sms)};
}

void gsu_unit::step()
{
    mayTakeInput();
    stepping_ = stepped_ = reading_ = true;
    try {
        tellNotes(nullptr);  // remarks on stores before this cycle
        chip_->step();
        tellNotes(nullptr);
    } catch (...) {
        stepping_ = reading_ = false;
        throw;
    }
    if (journals_) journal_.add(gsu::capi::Steps{1});
    stepping_ = reading_ = given_ = false;
}

void gsu_unit::skipTo(gsu::Cycle cycle)
{
    mayTakeInput();
    if (given_) throw Refusal{GSU_E_STATE, "an input was given for this cycle: step first"};
    const gsu::Cycle until = quietUntil();
    if (cycle < now() || cycle > until || cycle == GSU_NEVER)
        throw Refusal{GSU_E_STATE,
                      fmt::format("cycle {} is not between now ({}) and the end of quiet time",
                                  cycle, now())};
    chip_->skipTo(cycle);
    if (journals_) journal_.add(gsu::capi::SkipTo{cycle});
}

void gsu_unit::openWaves(const gsu_waves& waves)
{
    mayTakeInput();
    if (!chip_->network(0).hasWaves())
        throw Refusal{GSU_E_ARGUMENT,
                      options_.kind == gsu::UnitKind::Golden
                          ? "the unit 'golden' has no waves: rtl, lockstep"
                          : "the model of this structure has no waves: gsu build --full"};
    if (!alone_)
        throw Refusal{GSU_E_ARGUMENT,
                      "waves need a unit of one thread, one network, and without assertions"};
    if (stepped_) throw Refusal{GSU_E_STATE, "waves are opened before the first step"};
    if (waves_) throw Refusal{GSU_E_STATE, "waves are open already"};
    std::error_code error;
    const auto there = std::filesystem::status(waves.path, error);
    if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
        throw Refusal{GSU_E_ARGUMENT, std::string(waves.path) + ": not a regular file"};
    if (!chip_->network(0).openWaves(waves.path, waves.from,
                                     waves.to != 0 ? waves.to : gsu::kNever))
        throw Refusal{GSU_E_ARGUMENT, std::string(waves.path) + ": cannot be written"};
    waves_ = true;
}

void gsu_unit::closeWaves()
{
    mayTakeInput();
    if (!waves_) throw Refusal{GSU_E_STATE, "no waves are open"};
    waves_ = false;
    if (!chip_->network(0).closeWaves())
        throw Refusal{GSU_E_INTERNAL, "the waves could not be written"};
}

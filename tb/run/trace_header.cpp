#include "run/trace_header.hpp"

#include <filesystem>

namespace gsu::run {

namespace {

/// The text changed so that a header line can hold it.
std::string plain(std::string text)
{
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    }
    return text.substr(0, 1024);
}

}  // namespace

trace::Header headerOf(const CommonOptions& options, Preset preset, const Config& config,
                       const ExecParams& params, unsigned sms, const ptx::Module& module,
                       const std::string& entry)
{
    trace::Header h;
    if (options.recordAccesses) h.version = trace::kAccessVersion;
    h.unit = options.unitName;
    h.preset = preset;
    h.structure = options.choice.structure();
    h.config = config;
    h.clockMhz = params.clock_mhz;
    h.sms = sms;
    if (ChipLayout(sms).networks() != h.chip().networks()) h.network = kMaxSms;
    h.seed = options.seed;
    h.ptxHash = module.hash;
    std::string names;
    for (const ptx::Source& source : module.sources)
        names +=
            (names.empty() ? "" : ", ") + std::filesystem::path(source.path).filename().string();
    h.ptxName = plain(std::move(names));
    h.entry = plain(entry);
    for (const ExecParameter& p : execParameters()) h.exec.emplace_back(p.key, params.*p.field);
    return h;
}

}  // namespace gsu::run

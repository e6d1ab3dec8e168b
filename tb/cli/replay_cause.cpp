#include "cli/replay_cause.hpp"

#include <fmt/format.h>

#include "base/counted.hpp"
#include "run/hang_marks.hpp"

namespace gsu::cli {

using Json = nlohmann::ordered_json;

ReplayCause causeOf(const trace::ReplayResult& r, const PortHang& hang)
{
    ReplayCause cause;
    if (hang.causes.empty()) {
        cause.kind = nameOf(CauseKind::Unknown);
        cause.sentence = fmt::format(
            "{} could not be given, and no warp waits at a barrier: which one should have come is "
            "not known, since a trace has neither control flow nor memory.",
            counted(r.left, "record"));
        cause.json = {{"kind", cause.kind},         {"line", 0},
                      {"culprits", Json::array()},  {"object", Json::object()},
                      {"sentence", cause.sentence}, {"others", Json::array()}};
        return cause;
    }
    const Json whole = Json::parse(jsonOf(hang));
    cause.kind = nameOf(hang.causes.front().kind);
    cause.sentence = hang.causes.front().sentence;
    for (std::size_t i = 1; i < hang.causes.size(); ++i)
        cause.others.push_back(std::string(nameOf(hang.causes[i].kind)) + ": " +
                               hang.causes[i].sentence);
    cause.json = whole.at("cause");
    cause.debts = whole.at("debts");
    cause.marks = run::marksOf(hang);
    return cause;
}

}  // namespace gsu::cli

#include "exec/program/builtin_names.hpp"

namespace gsu::exec {
namespace {

struct Named {
    std::string_view name;
    Builtin::Kind kind;
};
constexpr Named kBuiltins[] = {{"vprintf", Builtin::Kind::Vprintf},
                               {"malloc", Builtin::Kind::Malloc},
                               {"free", Builtin::Kind::Free},
                               {"__assertfail", Builtin::Kind::AssertFail}};

}  // namespace

std::optional<Builtin::Kind> builtinOf(std::string_view name)
{
    for (const Named& b : kBuiltins) {
        if (b.name == name) return b.kind;
    }
    return std::nullopt;
}

std::vector<std::string_view> builtinNames()
{
    std::vector<std::string_view> names;
    for (const Named& b : kBuiltins) names.push_back(b.name);
    return names;
}

}  // namespace gsu::exec

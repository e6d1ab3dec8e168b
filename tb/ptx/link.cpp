#include "ptx/link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "ptx/parser.hpp"

namespace gsu::ptx {
namespace {

/// How a module binds a name at module scope.
enum class Binding : std::uint8_t { Reference, Private, Weak, Common, Strong };

/// One name of one module; a variable or a function (which may be an alias).
struct Entity {
    std::size_t module{};
    Binding binding{};
    Variable* variable{};
    Function* function{};
    bool dynamicShared{};

    [[nodiscard]] Position at() const { return variable != nullptr ? variable->at : function->at; }
    [[nodiscard]] const std::string& name() const
    {
        return variable != nullptr ? variable->name : function->name;
    }
};

class Linker {
public:
    Linker(std::vector<Module>& modules, std::span<const std::string_view> provided, bool open)
        : modules_(modules), provided_(provided.begin(), provided.end()), open_(open)
    {
    }
    Module link();

private:
    void join();
    void collect();
    void add(Entity entity);
    void define(const Entity& entity);
    void compareReferences();
    void nameApart();
    [[nodiscard]] std::string fileName(std::size_t module) const;
    void emitVariables();
    void emitFunctions();
    void emitAliases();
    void rename(Operand& operand, std::size_t module, const std::unordered_set<std::string>& local);
    void rename(std::vector<Relocation>& list, std::size_t module);
    void renameBody(Function& function, std::size_t module);
    [[nodiscard]] const std::string& renamed(std::size_t module, const std::string& name) const;
    void use(const std::string& name, std::size_t module, Position at);
    [[nodiscard]] bool wins(const Entity& e) const;
    void error(Position at, std::string message);
    [[nodiscard]] std::string place(Position at) const;

    std::vector<Module>& modules_;
    std::unordered_set<std::string_view> provided_;
    bool open_;  ///< unresolved names are allowed
    Module out_;
    std::vector<Entity> entities_;
    std::map<std::string, Entity> defined_;  ///< the binding that counts, by name
    std::vector<std::unordered_map<std::string, std::string>> names_;  ///< by module: old, new
    struct Said {
        Position at;
        bool elsewhere{};  ///< .extern
    };
    std::vector<std::unordered_map<std::string, Said>> said_;  ///< by module: its references
    std::vector<std::unordered_set<std::string>> own_;         ///< by module: new private names
    std::unordered_map<const Function*, std::string> kept_;    ///< bodies that only an alias names
    std::set<std::pair<std::size_t, std::string>> reported_;
    unsigned errors_{};
};

void Linker::error(Position at, std::string message)
{
    if (errors_++ < Limits::kErrors)
        out_.diagnostics.push_back({Diagnostic::Severity::Error, at, "", std::move(message)});
}

std::string Linker::place(Position at) const
{
    const auto [file, line] = out_.placeOf(at.line);
    return fmt::format("{}:{}", file, line);
}

/// Joins what all modules share; line numbers continue from here.
void Linker::join()
{
    const Module& first = modules_.front();
    out_.path = first.path;
    out_.addressSize = first.addressSize;
    out_.target = first.target;
    out_.targetOptions = first.targetOptions;
    out_.hash = first.hash;
    out_.files.emplace_back();
    std::uint64_t lines = 0;
    for (std::size_t i = 0; i < modules_.size(); ++i) {
        Module& m = modules_[i];
        detail::shift(m, static_cast<std::uint32_t>(lines),
                      static_cast<std::uint32_t>(out_.files.size() - 1));
        out_.sources.push_back({m.path, static_cast<std::uint32_t>(lines),
                                m.sources.empty() ? nullptr : m.sources.front().text});
        const Position top{static_cast<std::uint32_t>(lines) + 1, 1};
        lines += m.lines;
        if (lines >> 31 != 0) return error(top, "the modules have more than 2^31 lines");
        if (m.files.size() > 1)
            out_.files.insert(out_.files.end(), m.files.begin() + 1, m.files.end());
        if (m.addressSize != out_.addressSize)
            error(top, fmt::format(".address_size {} does not go with {} of {}", m.addressSize,
                                   out_.addressSize, first.path));
        const auto version = [](const Module& x) {
            return std::pair(x.versionMajor, x.versionMinor);
        };
        if (version(m) > version(out_)) {
            out_.versionMajor = m.versionMajor;
            out_.versionMinor = m.versionMinor;
        }
        for (unsigned byte = 0; i != 0 && byte < 8; ++byte)
            out_.hash = (out_.hash ^ (m.hash >> (8 * byte) & 0xff)) * 0x100000001b3u;
        out_.diagnostics.insert(out_.diagnostics.end(), m.diagnostics.begin(), m.diagnostics.end());
    }
    out_.lines = static_cast<std::uint32_t>(lines);
}

void Linker::collect()
{
    for (std::size_t i = 0; i < modules_.size(); ++i) {
        Module& m = modules_[i];
        for (Variable& v : m.variables) {
            const bool dynamic = v.external && v.space == Space::SharedCta && v.bytes == 0;
            const Binding binding = v.external  ? Binding::Reference
                                    : v.common  ? Binding::Common
                                    : v.weak    ? Binding::Weak
                                    : v.visible ? Binding::Strong
                                                : Binding::Private;
            add({i, binding, &v, nullptr, dynamic});
        }
        std::unordered_set<std::string_view> aliases;
        for (const auto& [alias, target] : m.aliases) aliases.insert(alias);
        for (Function& f : m.functions) {
            const bool here = f.defined || aliases.contains(f.name);
            const Binding binding = !here                     ? Binding::Reference
                                    : f.weak                  ? Binding::Weak
                                    : f.visible || f.external ? Binding::Strong
                                                              : Binding::Private;
            add({i, binding, nullptr, &f, false});
        }
    }
}

void Linker::add(Entity entity)
{
    entities_.push_back(entity);
    if (entity.binding != Binding::Reference && entity.binding != Binding::Private) define(entity);
}

std::string mismatchOf(const Entity& a, const Entity& b, bool common)
{
    if ((a.variable == nullptr) != (b.variable == nullptr))
        return a.variable != nullptr ? "a variable here, a function there"
                                     : "a function here, a variable there";
    return a.variable != nullptr ? detail::mismatch(*a.variable, *b.variable, common)
                                 : detail::mismatch(*a.function, *b.function);
}

void Linker::define(const Entity& entity)
{
    const auto [found, fresh] = defined_.emplace(entity.name(), entity);
    if (fresh) return;
    Entity& known = found->second;
    const bool common = entity.binding == Binding::Common || known.binding == Binding::Common;
    if (const std::string why = mismatchOf(entity, known, common); !why.empty())
        return error(entity.at(), "'" + entity.name() + "' is not what " + place(known.at()) +
                                      " defines: " + why);
    if (entity.binding == Binding::Strong && known.binding == Binding::Strong)
        return error(entity.at(),
                     "'" + entity.name() + "' is defined twice: here and at " + place(known.at()));
    if (entity.binding == Binding::Common && known.binding == Binding::Common) {
        known.variable->bytes = std::max(known.variable->bytes, entity.variable->bytes);
        known.variable->align = std::max(known.variable->align, entity.variable->align);
    } else if (entity.binding > known.binding) {
        known = entity;
    }
}

void Linker::compareReferences()
{
    for (const Entity& e : entities_) {
        if (e.binding != Binding::Reference) continue;
        const auto found = defined_.find(e.name());
        if (found == defined_.end()) continue;
        if (const std::string why = mismatchOf(e, found->second, false); !why.empty())
            error(e.at(), "'" + e.name() + "' is not what " + place(found->second.at()) +
                              " defines: " + why);
    }
}

std::string Linker::fileName(std::size_t module) const
{
    const auto base = [](const std::string& path) {
        const std::size_t slash = path.rfind('/');
        return slash == std::string::npos ? path : path.substr(slash + 1);
    };
    const std::string name = base(modules_[module].path);
    unsigned same = 1;
    for (std::size_t i = 0; i < module; ++i) same += base(modules_[i].path) == name ? 1 : 0;
    return same == 1 ? name : fmt::format("{}#{}", name, same);
}

/// Renames private names that occur in other modules.
void Linker::nameApart()
{
    names_.resize(modules_.size());
    said_.resize(modules_.size());
    own_.resize(modules_.size());
    std::unordered_map<std::string_view, std::set<std::size_t>> users;
    for (const Entity& e : entities_) users[e.name()].insert(e.module);
    for (const Entity& e : entities_) {
        if (e.binding == Binding::Private && users[e.name()].size() > 1)
            names_[e.module].emplace(e.name(), e.name() + '@' + fileName(e.module));
        if (e.binding == Binding::Private || e.dynamicShared)
            own_[e.module].insert(renamed(e.module, e.name()));
        else if (e.binding == Binding::Reference)
            said_[e.module][e.name()] = {e.at(), e.variable != nullptr || e.function->external};
    }
}

const std::string& Linker::renamed(std::size_t module, const std::string& name) const
{
    const auto found = names_[module].find(name);
    return found == names_[module].end() ? name : found->second;
}

bool Linker::wins(const Entity& e) const
{
    if (e.binding == Binding::Private) return true;
    const auto found = defined_.find(e.name());
    return found != defined_.end() && found->second.variable == e.variable &&
           found->second.function == e.function;
}

void Linker::rename(std::vector<Relocation>& list, std::size_t module)
{
    for (Relocation& r : list) r.symbol = renamed(module, r.symbol);
}

void Linker::emitVariables()
{
    std::map<std::string, std::size_t> dynamic;
    for (const Entity& e : entities_) {
        if (e.variable == nullptr) continue;
        Variable& v = *e.variable;
        if (e.dynamicShared && !defined_.contains(v.name)) {
            const auto [at, fresh] = dynamic.emplace(v.name, out_.variables.size());
            if (fresh)
                out_.variables.push_back(v);
            else
                out_.variables[at->second].align =
                    std::max(out_.variables[at->second].align, v.align);
            continue;
        }
        const bool missing = e.binding == Binding::Reference && open_ && !defined_.contains(v.name);
        if (!missing && (e.binding == Binding::Reference || !wins(e))) continue;
        const Position at = v.at;
        rename(v.relocations, e.module);
        for (const Relocation& r : v.relocations) use(r.symbol, e.module, at);
        v.name = renamed(e.module, v.name);
        out_.variables.push_back(std::move(v));
    }
}

void Linker::rename(Operand& o, std::size_t module, const std::unordered_set<std::string>& local)
{
    if (o.kind == Operand::Kind::Symbol && !local.contains(o.name)) {
        o.name = renamed(module, o.name);
        use(o.name, module, o.at);
    }
    for (Operand& element : o.elements) rename(element, module, local);
}

void Linker::renameBody(Function& f, std::size_t module)
{
    std::unordered_set<std::string> local;
    for (const auto* list : {&f.params, &f.returns, &f.locals}) {
        for (const Variable& v : *list) local.insert(v.name);
    }
    for (const Label& l : f.labels) local.insert(l.name);
    for (const Table& t : f.tables) local.insert(t.name);
    for (Variable& v : f.locals) rename(v.relocations, module);
    for (Table& t : f.tables) {
        for (std::string& entry : t.entries) {
            if (local.contains(entry)) continue;
            entry = renamed(module, entry);
            use(entry, module, f.at);
        }
    }
    for (Instruction& i : f.body) {
        for (Operand& o : i.operands) rename(o, module, local);
    }
}

void Linker::emitFunctions()
{
    std::unordered_set<std::string> declared;
    for (const Entity& e : entities_) {
        if (e.function == nullptr) continue;
        Function& f = *e.function;
        const bool known = defined_.contains(f.name);
        if (e.binding == Binding::Reference) {  // kept for uses that need no definition
            if (!known && declared.insert(f.name).second) out_.functions.push_back(std::move(f));
            continue;
        }
        const auto kept = kept_.find(&f);
        if (!f.defined || (!wins(e) && kept == kept_.end())) continue;
        renameBody(f, e.module);
        f.name = kept != kept_.end() ? kept->second : renamed(e.module, f.name);
        for (Variable& v : f.locals) v.function = static_cast<std::uint32_t>(out_.functions.size());
        out_.functions.push_back(std::move(f));
    }
}

void Linker::emitAliases()
{
    for (std::size_t i = 0; i < modules_.size(); ++i) {
        Module& m = modules_[i];
        for (const auto& [alias, target] : m.aliases) {
            const Function *from = m.find(alias), *to = m.find(target);
            const Position at =
                from != nullptr ? from->at : Position{out_.sources[i].before + 1, 1};
            if (from == nullptr || from->defined) {
                error(at, "alias '" + alias + "' needs a prototype and no body");
            } else if (to == nullptr || !to->defined || to->entry) {
                error(at, "alias '" + alias + "': '" + target +
                              "' is not a function that this module defines");
            } else if (const std::string why = detail::mismatch(*from, *to); !why.empty()) {
                error(at,
                      "alias '" + alias + "' is not what " + place(to->at) + " defines: " + why);
            } else {
                const auto winner = defined_.find(alias);
                const bool counts = winner == defined_.end() || winner->second.function == from;
                if (!counts) continue;
                const auto body = defined_.find(target);
                // The alias names the body of its own module, even if another module's definition of the name counts.
                const bool kept = body != defined_.end() && body->second.function != to;
                if (kept) kept_[to] = target + '@' + fileName(i);
                out_.aliases.emplace_back(renamed(i, alias), kept ? kept_[to] : renamed(i, target));
            }
        }
    }
}

/// Checks that a used name is defined somewhere. The launch supplies dynamic shared memory.
void Linker::use(const std::string& name, std::size_t module, Position at)
{
    if (open_ || own_[module].contains(name)) return;
    const auto said = said_[module].find(name);
    const bool open = said == said_[module].end() || said->second.elsewhere;
    if ((open && defined_.contains(name)) || provided_.contains(name)) return;
    if (!reported_.emplace(module, name).second) return;
    if (said == said_[module].end())
        return error(at, "'" + name + "' is not defined in any module");
    error(at, "'" + name +
                  (open ? "' is not defined in any module; it is declared at "
                        : "' has no body in its module and is not .extern; it is declared at ") +
                  place(said->second.at));
}

Module Linker::link()
{
    join();
    collect();
    compareReferences();
    nameApart();
    emitAliases();
    emitVariables();
    emitFunctions();
    return std::move(out_);
}

}  // namespace

Module linkModules(std::vector<Module> modules, std::span<const std::string_view> provided,
                   bool open)
{
    return Linker(modules, provided, open).link();
}

}  // namespace gsu::ptx

#include "ptx/parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.hpp"
#include "base/read_file.hpp"
#include "ptx/parser_impl.hpp"

namespace gsu::ptx {
namespace detail {

std::string Parser::describe(const Token& token) const
{
    switch (token.kind) {
        case Token::Kind::End: return "the end of the file";
        case Token::Kind::Dotted: return "'." + std::string(token.text.substr(0, 60)) + "'";
        case Token::Kind::String: return "a string";
        case Token::Kind::Invalid: return token.reason;
        case Token::Kind::Identifier:
        case Token::Kind::Integer:
        case Token::Kind::Float:
        case Token::Kind::Punct: break;
    }
    return "'" + std::string(token.text.substr(0, 60)) + "'";
}

void Parser::error(Position at, std::string message)
{
    module_.diagnostics.push_back({Diagnostic::Severity::Error, at, "", std::move(message)});
    if (++errors_ >= Limits::kErrors) throw TooManyErrors{};
}

void Parser::warn(Position at, std::string message)
{
    // The limit keeps a hostile file from growing the list without bound.
    if (module_.diagnostics.size() >= 1000) return;
    module_.diagnostics.push_back({Diagnostic::Severity::Warning, at, "", std::move(message)});
}

void Parser::fail(Position at, std::string message)
{
    error(at, std::move(message));
    throw SyntaxError{};
}

void Parser::failHere(std::string_view expected)
{
    if (token_.kind == Token::Kind::Invalid) fail(token_.at, token_.reason);
    fail(token_.at, "expected " + std::string(expected) + ", found " + describe(token_));
}

bool Parser::accept(std::string_view punct)
{
    if (!token_.is(punct)) return false;
    advance();
    return true;
}

bool Parser::acceptDotted(std::string_view word)
{
    if (!token_.dotted(word)) return false;
    advance();
    return true;
}

void Parser::expect(std::string_view punct)
{
    if (!accept(punct)) failHere("'" + std::string(punct) + "'");
}

/// Reports a missing ';' at the end of its line, not at the next token, which begins the next statement.
void Parser::endStatement()
{
    if (accept(";")) return;
    if (token_.kind == Token::Kind::Invalid || token_.at.line == end_.line) failHere("';'");
    error(end_, "expected ';' at the end of the statement");
}

std::string_view Parser::expectIdentifier(std::string_view what)
{
    if (token_.kind != Token::Kind::Identifier) failHere(what);
    const std::string_view text = token_.text;
    advance();
    return text;
}

/// Recovers from an error: skips to after the next ';', or to before a brace.
void Parser::skipStatement()
{
    while (token_.kind != Token::Kind::End && token_.kind != Token::Kind::Invalid) {
        if (accept(";") || token_.is("{") || token_.is("}")) return;
        advance();
    }
}

void Parser::skipBraces()
{
    const Position open = token_.at;
    expect("{");
    for (std::uint64_t depth = 1; depth != 0; advance()) {
        if (token_.kind == Token::Kind::Invalid) failHere("'}'");
        if (token_.kind == Token::Kind::End) {
            fail(token_.at,
                 fmt::format("the file ends inside the braces opened at line {}", open.line));
        }
        if (token_.is("{")) ++depth;
        if (token_.is("}")) --depth;
    }
}

/// Looks up symbols of initialisers at the end, because they may name later declarations.
void Parser::checkRelocations()
{
    for (const Variable& v : module_.variables) {
        for (const Relocation& r : v.relocations) {
            if (!moduleNames_.contains(r.symbol) && undeclared_.insert(r.symbol).second) {
                error(v.at, "'" + r.symbol.substr(0, 80) + "' in the initialiser of '" + v.name +
                                "' is not declared");
            }
        }
    }
}

void Parser::parse()
{
    try {
        while (token_.kind != Token::Kind::End) {
            try {
                if (token_.kind == Token::Kind::Invalid) failHere("a directive");
                moduleStatement();
            } catch (const SyntaxError&) {
                skipStatement();
                if (token_.is("{")) {
                    // The braces of a declaration that could not be parsed are skipped as one unit.
                    try {
                        skipBraces();
                    } catch (const SyntaxError&) {
                        break;
                    }
                } else if (token_.is("}")) {
                    advance();
                }
                if (token_.kind == Token::Kind::Invalid) break;
            }
        }
        checkHeader(token_.at);
        checkRelocations();
    } catch (const SyntaxError&) {
        return;
    } catch (const TooManyErrors&) {
        module_.diagnostics.push_back({Diagnostic::Severity::Note, token_.at, "",
                                       fmt::format("reading stops after {} errors", errors_)});
    }
}

}  // namespace detail

Module parseModule(std::string_view text, std::string path)
{
    Module module;
    module.path = std::move(path);
    module.sources.push_back({module.path, 0, nullptr});
    module.lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n')) +
                   (text.empty() || text.back() == '\n' ? 0 : 1);
    module.files.emplace_back();
    module.hash = fnv1a(text);
    detail::Parser(text, module).parse();
    return module;
}

Module parseFile(const std::filesystem::path& path)
{
    const auto text = std::make_shared<const std::string>(readFile(path, Limits::kFileBytes));
    Module module = parseModule(*text, path.string());
    module.sources.front().text = text;  // reports quote its lines
    return module;
}

const Diagnostic* firstError(const Module& module) noexcept
{
    for (const Diagnostic& d : module.diagnostics) {
        if (d.severity == Diagnostic::Severity::Error) return &d;
    }
    return nullptr;
}

}  // namespace gsu::ptx

// Module scope: headers, debug sections, aliases, linkage.
#include <fmt/format.h>

#include "ptx/parser_impl.hpp"

namespace gsu::ptx::detail {

void Parser::checkHeader(Position at)
{
    if (headerChecked_) return;
    headerChecked_ = true;
    if (!versionSeen_) fail(at, "a PTX module must start with .version");
    if (!targetSeen_) fail(at, "a PTX module must name its .target before anything else");
}

void Parser::moduleStatement()
{
    if (accept(";")) return;
    if (token_.is("#")) {
        fail(token_.at, "preprocessor lines are not PTX: run the preprocessor first");
    }
    if (token_.is("@")) {
        lexer_.skipLine();  // @@DWARF lines of the oldest producers
        advance();
        return;
    }
    if (token_.kind != Token::Kind::Dotted) {
        if (!versionSeen_) checkHeader(token_.at);
        failHere("a directive");
    }
    const Token word = token_;
    if (word.text == "version") return versionDirective();
    if (!versionSeen_) checkHeader(word.at);
    if (word.text == "target") return targetDirective();
    if (word.text == "address_size") {
        advance();
        const Position at = token_.at;
        const std::uint64_t size = unsignedConstant(".address_size", 64);
        if (size != 32 && size != 64) fail(at, ".address_size must be 32 or 64");
        module_.addressSize = static_cast<unsigned>(size);
        return;
    }
    if (word.text == "file") return fileDirective();
    checkHeader(word.at);
    if (word.text == "section") return sectionDirective();
    if (word.text == "alias") return aliasDirective();
    if (word.text == "pragma") {
        advance();
        if (token_.kind != Token::Kind::String) failHere("a string");
        advance();
        endStatement();
        return;
    }
    linkedDeclaration();
}

void Parser::versionDirective()
{
    const Position at = token_.at;
    advance();
    if (versionSeen_) fail(at, ".version may only be given once");
    const std::string_view text = token_.text;
    const std::size_t dot = text.find('.');
    const bool shape = token_.kind == Token::Kind::Float && dot != std::string_view::npos &&
                       dot >= 1 && dot <= 3 && text.size() > dot + 1 && text.size() <= dot + 4 &&
                       text.find_first_not_of("0123456789.") == std::string_view::npos;
    if (!shape) failHere("a version such as 8.0");
    const auto number = [](std::string_view digits) {
        unsigned value = 0;
        for (const char c : digits) value = value * 10 + static_cast<unsigned>(c - '0');
        return value;
    };
    module_.versionMajor = number(text.substr(0, dot));
    module_.versionMinor = number(text.substr(dot + 1));
    versionSeen_ = true;
    if (module_.versionMajor > kNewestMajor ||
        (module_.versionMajor == kNewestMajor && module_.versionMinor > kNewestMinor)) {
        warn(token_.at, fmt::format(".version {} is newer than {}.{}; read as if it were that",
                                    text, kNewestMajor, kNewestMinor));
    }
    advance();
}

void Parser::targetDirective()
{
    advance();
    targetSeen_ = true;
    module_.targetAt = token_.at;
    do {
        const std::string_view name = expectIdentifier("a target");
        if (name.substr(0, 3) == "sm_" || name.substr(0, 8) == "compute_") {
            module_.target = name;
        } else {
            module_.targetOptions.emplace_back(name);
        }
    } while (accept(","));
}

void Parser::fileDirective()
{
    advance();
    const std::uint64_t number = unsignedConstant("a file number", Limits::kFiles);
    if (token_.kind != Token::Kind::String) failHere("a file name");
    if (module_.files.size() <= number) module_.files.resize(number + 1);
    module_.files[number] = token_.text;
    advance();
    for (int i = 0; i < 2 && accept(","); ++i)
        (void)unsignedConstant("a time stamp or size", ~std::uint64_t{0} >> 1);
}

void Parser::sectionDirective()
{
    advance();
    if (token_.kind != Token::Kind::Dotted && token_.kind != Token::Kind::Identifier)
        failHere("a section name");
    advance();
    skipBraces();
}

void Parser::aliasDirective()
{
    advance();
    std::string alias(expectIdentifier("a function"));
    expect(",");
    std::string target(expectIdentifier("a function"));
    endStatement();
    module_.aliases.emplace_back(std::move(alias), std::move(target));
}

/// Adds a variable. .extern and .common variables meet their definition by repeated declarations; any other repetition is an error.
void Parser::addModuleVariable(Variable&& variable)
{
    const auto at = variableIndex_.find(variable.name);
    if (at == variableIndex_.end()) {
        if (!moduleNames_.insert(variable.name).second) {
            fail(variable.at, "'" + variable.name + "' is already declared as a function");
        }
        variableIndex_.emplace(variable.name, static_cast<std::uint32_t>(module_.variables.size()));
        module_.variables.push_back(std::move(variable));
        return;
    }
    Variable& known = module_.variables[at->second];
    const bool replace = known.external || (known.common && !variable.external);
    if (!replace && !variable.external && !variable.common) {
        fail(variable.at, "'" + variable.name + "' is already declared");
    }
    if (replace) known = std::move(variable);
}

Parser::Prefix Parser::linkage()
{
    Prefix prefix;
    for (;;) {
        if (acceptDotted("extern"))
            prefix.external = true;
        else if (acceptDotted("visible"))
            prefix.visible = true;
        else if (acceptDotted("weak"))
            prefix.weak = true;
        else if (acceptDotted("common"))
            prefix.common = true;
        else
            return prefix;
    }
}

void Parser::linkedDeclaration()
{
    const Prefix prefix = linkage();
    if (acceptDotted("entry")) return functionDeclaration(prefix, true);
    if (acceptDotted("func")) return functionDeclaration(prefix, false);
    if (isSpace(token_)) return variableDeclaration(prefix);
    if (token_.kind == Token::Kind::Dotted) {
        fail(token_.at,
             "directive '." + std::string(token_.text) + "' is not known at module scope");
    }
    failHere("a declaration");
}

}  // namespace gsu::ptx::detail

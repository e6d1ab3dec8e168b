// Functions: headers, bodies, scopes, labels and tables.
#include <fmt/format.h>

#include <algorithm>

#include "ptx/parser_impl.hpp"

namespace gsu::ptx::detail {
namespace {

constexpr std::size_t kMaxInstructions = 1u << 26;

/// Whether the token can only begin the next item at module scope: producers of PTX 1.4 to 2.3 end a prototype without ';'.
bool endsPrototype(const Token& token) noexcept
{
    if (token.kind == Token::Kind::End) return true;
    if (token.kind != Token::Kind::Dotted) return false;
    static constexpr std::string_view kNext[] = {
        "visible", "extern", "weak",   "common", "entry", "func",    "global", "const",
        "shared",  "tex",    "target", "file",   "alias", "section", "version"};
    return std::find(std::begin(kNext), std::end(kNext), token.text) != std::end(kNext);
}

void settle(Operand& operand, const std::string& source, const std::string& name)
{
    if (operand.kind == Operand::Kind::Symbol && operand.index == kUnresolved &&
        operand.name == source) {
        operand.index = kNone;
        operand.name = name;
    }
    for (Operand& element : operand.elements) settle(element, source, name);
}

}  // namespace

std::array<std::uint32_t, 3> Parser::threeNumbers()
{
    std::array<std::uint32_t, 3> n{1, 1, 1};
    for (std::size_t i = 0; i < 3; ++i) {
        n[i] = static_cast<std::uint32_t>(unsignedConstant("a dimension", 0x7fffffff));
        if (i < 2 && !accept(",")) break;
    }
    return n;
}

/// Reads a directive that has no effect here.
void Parser::otherDirective(const Token& word)
{
    if (word.text == "cluster_dim")
        fail(word.at, "'.cluster_dim' is not PTX: the cluster shape is set by .reqnctapercluster");
    if (word.text == "pragma") {
        if (token_.kind != Token::Kind::String) failHere("a string");
        advance();
        endStatement();
        return;
    }
    warn(word.at, "directive '." + std::string(word.text) + "' is not known and is ignored");
    while (token_.kind == Token::Kind::Integer || token_.kind == Token::Kind::String ||
           token_.is(","))
        advance();
}

/// Reads one performance directive before the body; false when there is none.
bool Parser::performanceDirective(Function& function)
{
    if (token_.kind != Token::Kind::Dotted || endsPrototype(token_)) return false;
    const Token word = token_;
    advance();
    const auto number = [&] {
        return static_cast<std::uint32_t>(
            unsignedConstant("." + std::string(word.text), 0x7fffffff));
    };
    if (word.text == "reqntid")
        function.reqntid = threeNumbers();
    else if (word.text == "maxntid")
        function.maxntid = threeNumbers();
    else if (word.text == "reqnctapercluster")
        function.reqnctapercluster = threeNumbers();
    else if (word.text == "minnctapersm")
        function.minnctapersm = number();
    else if (word.text == "maxnctapersm" || word.text == "abi_preserve" ||
             word.text == "abi_preserve_control") {
        (void)number();  // register allocation hints
    } else if (word.text == "maxnreg")
        function.maxnreg = number();
    else if (word.text == "maxclusterrank")
        function.maxclusterrank = number();
    else if (word.text == "explicitcluster")
        function.explicitcluster = true;
    else if (word.text == "blocksareclusters")
        function.blocksareclusters = true;
    else if (word.text == "noreturn")
        function.noreturn = true;
    else
        otherDirective(word);
    return true;
}

void Parser::functionDeclaration(Prefix prefix, bool entry)
{
    Function f;
    f.entry = entry;
    f.external = prefix.external;
    f.visible = prefix.visible;
    f.weak = prefix.weak;
    if (!entry && token_.is("(")) f.returns = parameterList(false);
    f.at = token_.at;
    f.name = expectIdentifier("a function name");
    if (variableIndex_.contains(f.name))
        fail(f.at, "'" + f.name + "' is already declared as a variable");
    if (token_.is("(")) f.params = parameterList(false);
    moduleNames_.insert(f.name);
    while (performanceDirective(f)) {
    }
    if (token_.is("{")) {
        functionBody(f);
    } else if (entry || !endsPrototype(token_)) {
        endStatement();
    }
    addFunction(std::move(f));
}

void Parser::addFunction(Function&& function)
{
    const auto at = functionIndex_.find(function.name);
    if (at == functionIndex_.end()) {
        functionIndex_.emplace(function.name, static_cast<std::uint32_t>(module_.functions.size()));
        module_.functions.push_back(std::move(function));
        return;
    }
    Function& known = module_.functions[at->second];
    if (known.defined && function.defined) {
        error(function.at, fmt::format("function '{}' is already defined at line {}", function.name,
                                       known.at.line));
    } else if (function.defined || !known.defined) {
        for (Variable& v : function.locals) v.function = at->second;
        known = std::move(function);
    }
}

void Parser::bindParameters(std::vector<Variable>& list)
{
    for (Variable& v : list) {
        if (v.name.empty() || v.name == "_") continue;
        // The key must outlive this list, and functions move, so the key is taken from the scope's own copy.
        const bool fresh =
            v.space == Space::Reg ? scopes_->addRegister(v) : scopes_->addOwnedVariable(v.name);
        if (!fresh) error(v.at, "parameter '" + v.name + "' is declared twice");
    }
}

void Parser::functionBody(Function& function)
{
    Scopes scopes(function, &moduleNames_);
    struct Reset {
        Parser& parser;
        ~Reset()
        {
            parser.function_ = nullptr;
            parser.scopes_ = nullptr;
            parser.pending_.clear();
            parser.undeclared_.clear();
        }
    } reset{*this};
    function_ = &function;
    scopes_ = &scopes;
    sourceFile_ = sourceLine_ = 0;
    function.defined = true;
    bindParameters(function.returns);
    bindParameters(function.params);
    const Position open = token_.at;
    expect("{");
    scopes.open();
    bodyStatements(open);
    resolveReferences();
}

void Parser::bodyStatements(Position open)
{
    for (;;) {
        groupDepth_ = 0;
        if (token_.kind == Token::Kind::End) {
            fail(token_.at,
                 fmt::format("the file ends inside function '{}', whose body opens at line {}",
                             function_->name, open.line));
        }
        if (token_.kind == Token::Kind::Invalid) failHere("a statement");
        try {
            if (token_.is("{")) {
                if (scopes_->depth() >= Limits::kNesting)
                    fail(token_.at, "scopes are nested too deeply");
                if (!scopes_->canOpen()) fail(token_.at, "the function has too many scopes");
                advance();
                scopes_->open();
            } else if (token_.is("}")) {
                advance();
                scopes_->close();
                if (scopes_->depth() == 1) return;
            } else {
                statement();
            }
        } catch (const SyntaxError&) {
            if (token_.kind == Token::Kind::End || token_.kind == Token::Kind::Invalid) throw;
            skipBodyStatement();
        }
    }
}

/// Skips to after the next ';'. Braces of a vector operand are closed silently. Scopes that begin in the skipped text are opened, so that
/// scopes stay balanced.
void Parser::skipBodyStatement()
{
    unsigned vectors = groupDepth_;
    unsigned opened = 0;
    while (token_.kind != Token::Kind::End && token_.kind != Token::Kind::Invalid) {
        if (token_.is("{")) ++opened;
        if (token_.is("}")) {
            if (opened > 0)
                --opened;
            else if (vectors > 0)
                --vectors;
            else
                return;
        }
        const bool end = token_.is(";");
        advance();
        if (!end) continue;
        for (; opened > 0 && scopes_->depth() < Limits::kNesting && scopes_->canOpen(); --opened)
            scopes_->open();
        return;
    }
}

void Parser::statement()
{
    if (accept(";")) return;
    if (token_.kind == Token::Kind::Dotted) return directiveStatement();
    if (token_.kind == Token::Kind::Identifier) return labelOrInstruction();
    if (token_.is("@")) {
        Instruction start;
        start.at = token_.at;
        start.guard = guard();
        const std::string_view opcode = expectIdentifier("an instruction");
        return instruction(std::move(start), opcode);
    }
    failHere("a statement");
}

void Parser::directiveStatement()
{
    if (token_.dotted("reg")) return registerDeclaration();
    if (isSpace(token_)) return variableDeclaration({});
    if (token_.dotted("loc")) return locDirective();
    if (token_.dotted("file")) return fileDirective();
    if (acceptDotted("pragma")) {
        do {
            if (token_.kind != Token::Kind::String) failHere("a string");
            advance();
        } while (accept(","));
        return endStatement();
    }
    if (token_.dotted("extern") || token_.dotted("visible") || token_.dotted("weak") ||
        token_.dotted("common")) {
        return variableDeclaration(linkage());
    }
    fail(token_.at, "directive '." + std::string(token_.text) + "' is not known inside a function");
}

void Parser::registerDeclaration()
{
    const Variable prefix = variablePrefix();
    do {
        const Position at = token_.at;
        const std::string_view name = expectIdentifier("a register name");
        bool fresh = true;
        if (token_.is("<")) {
            const std::uint64_t count = rangeCount("a register range", Limits::kRegisterRange);
            fresh = scopes_->addRange(name, prefix.type, prefix.vector,
                                      static_cast<std::uint32_t>(count));
        } else {
            fresh = scopes_->addRegister(name, prefix.type, prefix.vector);
        }
        if (!fresh)
            error(at, "register '" + std::string(name) + "' is already declared in this scope" +
                          earlierLine(name));
    } while (accept(","));
    endStatement();
}

/// Reads .loc file line column [, function_name label[+n], inlined_at file line column].
void Parser::locDirective()
{
    advance();
    const auto number = [&] {
        if (token_.kind != Token::Kind::Integer) failHere("a number");
        const std::uint64_t value = token_.integer;
        advance();
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, 0xffffffffu));
    };
    sourceFile_ = number();
    sourceLine_ = number();
    (void)number();
    while (accept(",")) {
        const std::string_view word = expectIdentifier("function_name or inlined_at");
        if (word == "function_name") {
            (void)expectIdentifier("a label");
            if (accept("+")) (void)number();
        } else if (word == "inlined_at") {
            for (int i = 0; i < 3; ++i) (void)number();
        } else {
            warn(token_.at, "'" + std::string(word) + "' in .loc is not known and is ignored");
            while (token_.kind == Token::Kind::Integer) advance();
        }
    }
}

void Parser::labelOrInstruction()
{
    Instruction start;
    start.at = token_.at;
    const std::string_view name = token_.text;
    advance();
    if (!accept(":")) return instruction(std::move(start), name);
    std::string unique = scopes_->unique(name);
    if (!scopes_->addLabel(name, unique)) {
        fail(start.at, "label '" + std::string(name) + "' is already defined in this scope" +
                           earlierLine(name, true));
    }
    if (token_.kind == Token::Kind::Dotted &&
        (token_.text == "branchtargets" || token_.text == "calltargets" ||
         token_.text == "callprototype")) {
        return tableDeclaration(std::move(unique), start.at);
    }
    function_->labels.push_back(
        {std::move(unique), static_cast<std::uint32_t>(function_->body.size())});
}

void Parser::tableDeclaration(std::string label, Position)
{
    Table table;
    table.name = std::move(label);
    table.kind = token_.text == "branchtargets" ? Table::Kind::BranchTargets
                 : token_.text == "calltargets" ? Table::Kind::CallTargets
                                                : Table::Kind::CallPrototype;
    advance();
    if (table.kind == Table::Kind::CallPrototype) {
        callPrototype(table);
    } else {
        do {
            Pending p;
            p.instruction = static_cast<std::uint32_t>(table.entries.size());
            p.scope = scopes_->current();
            p.table = static_cast<std::uint32_t>(function_->tables.size());
            p.at = token_.at;
            p.name = expectIdentifier("a label");
            table.entries.push_back(p.name);
            pending_.push_back(std::move(p));
        } while (accept(","));
    }
    endStatement();
    function_->tables.push_back(std::move(table));
}

void Parser::callPrototype(Table& table)
{
    if (token_.is("(")) table.returns = parameterList(true);
    (void)expectIdentifier("'_'");
    if (token_.is("(")) table.params = parameterList(true);
    Function ignored;
    while (performanceDirective(ignored)) {
    }
}

/// Resolves names when the body is complete, because labels may be used before they are defined.
void Parser::resolveReferences()
{
    for (const Pending& p : pending_) {
        std::string name = scopes_->label(p.name, p.scope);
        if (name.empty()) {
            name = p.name;
            if (!moduleNames_.contains(p.name)) {
                if (undeclared_.insert(p.name).second)
                    error(p.at, "'" + p.name.substr(0, 80) + "' is not declared");
                if (p.table == kNone) continue;  // the operand stays unresolved
            }
        }
        if (p.table != kNone) {
            if (p.table < function_->tables.size())
                function_->tables[p.table].entries[p.instruction] = name;
            continue;
        }
        for (Operand& o : function_->body[p.instruction].operands) settle(o, p.name, name);
    }
    if (function_->body.size() > kMaxInstructions)
        fail(function_->at, "the function has too many instructions");
}

}  // namespace gsu::ptx::detail

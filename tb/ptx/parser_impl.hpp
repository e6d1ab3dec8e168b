/// The parser's working state; private to tb/ptx. Recursive descent with one token of look-ahead; a syntax error unwinds to
/// the enclosing statement by `SyntaxError`, never further.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ptx/lexer.hpp"
#include "ptx/parser.hpp"
#include "ptx/scope.hpp"

namespace gsu::ptx::detail {

/// Value of a constant expression.
struct ConstValue {
    enum class Kind : std::uint8_t { Integer, Float, Address } kind{Kind::Integer};
    bool isUnsigned{};
    std::int64_t
        integer{};  ///< Address: the addend; Float: the bits, as float when `single`, else as double
    double real{};
    bool single{};  ///< written as 0f...
    std::string symbol;
    bool generic{};
    std::uint64_t mask{~std::uint64_t{0}};
    Position at;
};

struct SyntaxError {};
struct TooManyErrors {};

class Parser {
public:
    Parser(std::string_view text, Module& module) : lexer_(text), module_(module) { advance(); }

    void parse();

private:
    // Tokens and diagnostics (parser.cpp).
    void advance()
    {
        end_ = lexer_.here();
        token_ = lexer_.next();
    }
    [[noreturn]] void fail(Position at, std::string message);
    [[noreturn]] void failHere(std::string_view expected);
    void error(Position at, std::string message);
    void warn(Position at, std::string message);
    bool accept(std::string_view punct);
    bool acceptDotted(std::string_view word);
    void expect(std::string_view punct);
    void endStatement();
    [[nodiscard]] std::string_view expectIdentifier(std::string_view what);
    [[nodiscard]] std::string describe(const Token& token) const;
    void skipStatement();
    void skipBraces();
    void checkRelocations();

    // Module scope (parser_module.cpp).
    struct Prefix {
        bool external{}, common{}, visible{}, weak{};
    };
    void moduleStatement();
    void versionDirective();
    void targetDirective();
    void fileDirective();
    void sectionDirective();
    void aliasDirective();
    void linkedDeclaration();
    [[nodiscard]] Prefix linkage();
    void checkHeader(Position at);
    void addModuleVariable(Variable&& variable);

    // Constant expressions (parser_expr.cpp).
    [[nodiscard]] ConstValue expression(unsigned depth = 0);
    [[nodiscard]] ConstValue binaryExpression(int minimum, unsigned depth);
    [[nodiscard]] ConstValue unaryExpression(unsigned depth);
    [[nodiscard]] ConstValue primaryExpression(unsigned depth);
    [[nodiscard]] ConstValue parenthesised(unsigned depth);
    [[nodiscard]] ConstValue symbolExpression(unsigned depth);
    [[nodiscard]] ConstValue apply(std::string_view op, ConstValue left, ConstValue right);
    [[nodiscard]] ConstValue applyReal(std::string_view op, ConstValue left,
                                       const ConstValue& right);
    [[nodiscard]] std::uint64_t unsignedConstant(std::string_view what, std::uint64_t limit);
    [[nodiscard]] std::uint64_t rangeCount(std::string_view what, std::uint64_t limit);
    [[nodiscard]] std::uint64_t checkedUnsigned(const ConstValue& v, std::string_view what,
                                                std::uint64_t limit);
    [[nodiscard]] int operatorLevel();

    // Variables (parser_variable.cpp).
    [[nodiscard]] static bool isSpace(const Token& token) noexcept;
    [[nodiscard]] Space takeSpace();
    [[nodiscard]] Variable variablePrefix();
    void pointerAttribute(Variable& variable);
    void variableAttribute(Variable& variable);
    void arrayBounds(Variable& variable, std::vector<std::uint64_t>& bounds);
    void sizeVariable(Variable& variable, std::vector<std::uint64_t>& bounds, bool initialised);
    void initialiser(Variable& variable, std::vector<std::uint64_t>& bounds);
    void initialiserLevel(Variable& variable, const std::vector<std::uint64_t>& bounds,
                          std::size_t level, std::uint64_t offset, std::uint64_t bytes,
                          unsigned depth);
    void initialiserScalar(Variable& variable, std::uint64_t offset, std::uint64_t end);
    void addLocal(Variable v, std::string_view source);
    [[nodiscard]] std::string earlierLine(std::string_view name, bool label = false) const;
    void addVariables(Variable v, std::string_view source, std::optional<std::uint64_t> copies);
    void variableDeclaration(Prefix prefix);
    [[nodiscard]] std::vector<Variable> parameterList(bool prototype);
    [[nodiscard]] Variable parameter(bool prototype);

    // Functions (parser_function.cpp).
    void functionDeclaration(Prefix prefix, bool entry);
    bool performanceDirective(Function& function);
    void otherDirective(const Token& word);
    [[nodiscard]] std::array<std::uint32_t, 3> threeNumbers();
    void functionBody(Function& function);
    void bindParameters(std::vector<Variable>& list);
    void bodyStatements(Position open);
    void skipBodyStatement();
    void addFunction(Function&& function);
    void statement();
    void directiveStatement();
    void registerDeclaration();
    void locDirective();
    void labelOrInstruction();
    void tableDeclaration(std::string label, Position at);
    void callPrototype(Table& table);
    void resolveReferences();

    // Instructions and operands (parser_operand.cpp).
    void instruction(Instruction&& start, std::string_view opcode);
    void operandList(std::string_view opcode);
    [[nodiscard]] Guard guard();
    [[nodiscard]] Operand operand(unsigned depth);
    [[nodiscard]] Operand simpleOperand(unsigned depth);
    [[nodiscard]] Operand named();
    [[nodiscard]] Operand special(Position at, std::string_view name);
    [[nodiscard]] Operand constantOperand();
    [[nodiscard]] Operand address(unsigned depth);
    [[nodiscard]] std::int64_t offset();
    [[nodiscard]] Operand group(std::string_view close, Operand::Kind kind, unsigned depth);
    void selector(Operand& operand);
    void vectorComponent(Operand& operand, const Binding& binding);

    struct Pending {
        std::uint32_t instruction{};
        std::uint32_t scope{};
        std::uint32_t table{kNone};  ///< entries of a table, in place of an instruction
        Position at;
        std::string name;
    };

    Lexer lexer_;
    Module& module_;
    Token token_;
    Position end_;  ///< position after the token before token_
    unsigned errors_{};
    bool versionSeen_{}, targetSeen_{}, headerChecked_{};
    std::uint64_t initialiserBytes_{};
    std::uint64_t rangeCopies_{};
    std::unordered_set<std::string> moduleNames_;
    std::unordered_map<std::string, std::uint32_t> functionIndex_, variableIndex_;
    // inside a body
    Function* function_{};
    Scopes* scopes_{};
    unsigned groupDepth_{};  ///< open braces of vector operands, for recovery
    std::vector<Pending> pending_;
    std::vector<std::string> modifiers_;  ///< modifiers of the current instruction
    std::vector<Operand> operands_;
    std::unordered_set<std::string> undeclared_;  ///< reported once per function
    std::uint32_t sourceFile_{}, sourceLine_{};
};

}  // namespace gsu::ptx::detail

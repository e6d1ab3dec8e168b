"""Finds the premise of each property of a source of the RTL or of a harness: a in `!a || b`. For scripts/prove --premises."""
import re


def split_at(text, word):
    """The parts of an expression between operators `word` outside brackets."""
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0 and text.startswith(word, at):
            parts.append(text[start:at])
            start = at + len(word)
    return [part.strip() for part in [*parts, text[start:]]]


def premise_of(word, arguments):
    """The condition under which a property demands something; None if it demands something in every clock."""
    if word == "ASSERT_NEXT":
        return f"$past(rst_ni) && $past({arguments[1]})"
    premises = []
    for part in split_at(",".join(arguments[1:]).strip(), "||")[:-1]:  # the last part is the claim
        inner = part[1:].strip()
        whole = inner.startswith("(") and len(split_at(inner, ")")) == 2 and inner.endswith(")")
        if part.startswith("!") and (whole or re.fullmatch(r"[|&^]?[\w$.`]+(\[[^\[\]]*\]|\.\w+|\([^()]*\))*", inner)):
            premises.append(inner)
    return " && ".join(f"({p})" for p in premises) if premises else None


def with_premises(text):
    """A source with a cover after each property that has a premise; the cover's name is that of the property followed by Premise."""
    out, at = "", 0
    for found in re.finditer(r"`(ASSERT|ASSERT_NEXT)\((\w+),", text):
        line = text[text.rfind("\n", 0, found.start()) + 1:found.start()]
        if "//" in line or "`define" in line or found.start() < at:
            continue
        end, depth = found.start() + len(found[1]) + 2, 1
        while depth:
            skipped = re.match(r"//[^\n]*", text[end:])
            depth += (text[end] in "(") - (text[end] in ")")
            end += len(skipped[0]) if skipped else 1
        body = re.sub(r"//[^\n]*", "", text[found.start() + len(found[1]) + 2:end - 1])
        premise = premise_of(found[1], split_at(body, ","))
        if premise:
            out += text[at:end] + f"\n`COVER({found[2]}Premise, {premise})\n"
            at = end
    return out + text[at:]

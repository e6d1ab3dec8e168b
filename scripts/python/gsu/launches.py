"""Lists of launches: which launches a question concerns, and the sums over these."""
from .errors import InputError

_SUMS = ("cycles", "instructions", "thread_instructions", "sync_requests")
_LISTS = ("barriers", "mbarriers", "pipelines", "findings", "mismatches")


def chosen(launches, choice):
    """Indices of the launches that `choice` names: an entry, a number, or several of them with commas; None: all."""
    if choice is None:
        return list(range(len(launches)))
    picked = []
    for part in str(choice).split(","):
        found = [i for i, one in enumerate(launches) if part in (one["entry"], str(i))]
        if not found:
            names = ", ".join(f"{i} {one['entry']}" for i, one in enumerate(launches))
            raise InputError(f"--launch {part}: no such launch; there are {names}")
        picked += found
    return sorted(set(picked))


def select(result, choice=None, name="the input"):
    """The result of a list in the form of one launch: the chosen launches added up; "summed" names them. The result of one launch is unchanged."""
    if "launches" not in result:
        if choice is not None and result.get("verdict") is not None:
            raise InputError(f"--launch {choice}: {name} is one launch, not a list")
        return result
    launches = result["launches"]
    picked = chosen(launches, choice)
    out = {k: v for k, v in result.items() if k not in ("launches", *_SUMS)}
    out.update({key: sum(launches[i].get(key) or 0 for i in picked) for key in _SUMS})
    for key in _LISTS:
        out[key] = [{**row, "entry": launches[i]["entry"]} if len(picked) > 1 else row for i in picked for row in launches[i].get(key, [])]
    if choice is None:
        out["cycles"], out["findings"] = result.get("cycles"), result.get("findings", [])
        out["mismatches"] = result.get("mismatches", [])
    if len(picked) == 1 and "time" in launches[picked[0]]:
        out["time"] = launches[picked[0]]["time"]
    out["timing"] = next((timing_of(launches[i]) for i in picked), "simple")
    out["sms"] = max((launches[i].get("sms") or 0 for i in picked), default=0)
    out["summed"] = [launches[i]["entry"] for i in picked]
    out["picked"], out["of_launches"] = picked, len(launches)
    for i in picked:
        if "hang" in launches[i]:
            out["hang"] = launches[i]["hang"]
    return out


def timing_of(result):
    """The exec.timing of a result."""
    return result.get("time", {}).get("timing") or result.get("timing") or "simple"


def note(result):
    """A note about which launches were summed; "" for a result of one launch."""
    if "summed" not in result:
        return ""
    many = len(result["summed"]) > 1
    return (f"launch{'es' if many else ''} {', '.join(result['summed'])}{' together' if many else ''}, {len(result['summed'])} of {result['of_launches']} of the list"
            + (" (--launch NAME looks at one)" if many else ""))

"""Tables of pages that a command writes. Such a table stands between a line that names the command and a line that ends it."""
BEGIN, END = "<!-- table: {} -->\n", "\n<!-- end of the table -->"


def put(page, command, table, check=False):
    """Writes `table` into the page, between the lines of `command`. With `check` it only compares. Returns the exit code."""
    text, begin = page.read_text(encoding="utf-8"), BEGIN.format(command)
    before, rest = text.split(begin)
    fresh = before + begin + table + END + rest.split(END, 1)[1]
    if fresh == text:
        return 0
    if check:
        print(f"{page}: the table is not what its file says: {command}")
        return 1
    page.write_text(fresh, encoding="utf-8")
    return 0

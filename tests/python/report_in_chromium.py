"""A report in a browser: headless Chromium opens the page of a run and of a hang, without a network, and every figure is drawn. Slower tier.

    python tests/python/report_in_chromium.py LAUNCH.json [PICTURE.png]     needs Debian's package chromium
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def main(launch, picture=None):
    browser = shutil.which("chromium")
    if not browser:
        print("SKIP: no chromium")
        return
    with tempfile.TemporaryDirectory() as name:
        page = pathlib.Path(name) / "r.html"
        subprocess.run([sys.executable, "-m", "gsu", "report", launch, "--unit", "rtl", "-o", str(page)], check=True)
        options = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--proxy-server=127.0.0.1:1", "--virtual-time-budget=10000",
                   f"--user-data-dir={name}/profile"]
        dom = subprocess.run([*options, "--dump-dom", page.as_uri()], capture_output=True, text=True, check=True, timeout=180).stdout
        figures = len(set(re.findall(r'id="figure(\d+)"', page.read_text(encoding="utf-8"))))
        drawn = len(re.findall(r'id="figure\d+"[^>]*js-plotly-plot', dom)) or dom.count("js-plotly-plot")
        if figures < 4 or drawn < figures or "main-svg" not in dom:
            sys.exit(f"NOT as it should be: {figures} figures, {drawn} drawn")
        if picture:
            subprocess.run([*options, "--window-size=1180,3600", f"--screenshot={os.path.abspath(picture)}", page.as_uri()], check=True, capture_output=True)
        print(f"{figures} figures drawn by {subprocess.run([browser, '--version'], capture_output=True, text=True).stdout.strip()}")


if __name__ == "__main__":
    main(*sys.argv[1:])

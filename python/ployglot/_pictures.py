"""Animated SVG of a plan."""

from __future__ import annotations

import html
import re
from typing import Sequence


def animation(frames: Sequence[str], captions: Sequence[str], seconds: float) -> str:
    """One SVG that shows each frame for some seconds, again and again.

    The animation is part of the SVG (SMIL), so it needs no script and also plays in a saved notebook.
    """
    sizes = [re.search(r'<svg[^>]*\bwidth="([\d.]+)"[^>]*\bheight="([\d.]+)"', frame) for frame in frames]
    width = max(float(size.group(1)) if size else 400 for size in sizes)
    height = max(float(size.group(2)) if size else 400 for size in sizes)
    count = len(frames)
    duration = max(count * seconds, 0.1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height + 24:g}" '
        f'viewBox="0 0 {width:g} {height + 24:g}" role="img">'
    ]
    for index, (frame, caption) in enumerate(zip(frames, captions)):
        body = re.sub(r"<\?xml[^>]*\?>", "", frame)
        shown = ["inline" if at == index else "none" for at in range(count)]
        first = "inline" if index == 0 else "none"
        parts.append(
            f'<g display="{first}"><animate attributeName="display" calcMode="discrete" '
            f'values="{";".join(shown)}" dur="{duration:g}s" repeatCount="indefinite"/>{body}'
            f'<text x="8" y="{height + 17:g}" font-family="sans-serif" font-size="14">'
            f"{html.escape(caption)}</text></g>"
        )
    parts.append("</svg>")
    return "".join(parts)

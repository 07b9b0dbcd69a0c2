"""The style sheet of a report. Text has a contrast of 4.5 to 1 or more with what is behind it, light and dark."""

CSS = """
:root { color-scheme: light dark; --ink: #22262a; --soft: #555c64; --paper: #fff; --panel: #f5f6f8; --line: #e0e4e8;
  --strong: #22262a; --accent: #0b63a5; --tint: #0072b2; --warn: #b34700; --warn-paper: #fdf3ec; --die: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --soft: #a9b1ba; --paper: #16191d; --panel: #1f2429; --line: #343b43; --strong: #c8cdd3;
    --accent: #7cc0f0; --tint: #3d9bd6; --warn: #ff9a5c; --warn-paper: #2e2119; --die: #2a3037; } }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--ink); background: var(--paper);
  max-width: 72rem; margin: 0 auto; padding: 2rem 1.2rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; } h2 { font-size: 1.2rem; margin: 2.6rem 0 .4rem; }
h3 { font-size: 1rem; margin: 0; }
p.lead { color: var(--soft); margin-top: 0; } .note { color: var(--soft); font-size: .92rem; margin: .2rem 0 .8rem;
  max-width: 52rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; min-width: min(100%, 44rem); }
th, td { text-align: right; padding: .38rem .7rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
.word { text-align: left; } th { color: var(--soft); font-weight: 600; }
th:first-child, td:first-child { position: sticky; left: 0; background: var(--paper); padding-left: .2rem; }
tr.new td { border-top: 2px solid var(--line); }
tr.optimum td { border-top: 2px solid var(--strong); border-bottom: 0; font-weight: 600; }
.matrix { min-width: 0; } .matrix td { text-align: center; padding: .4rem .6rem;
  background: color-mix(in srgb, var(--tint) calc(var(--share) * .38), var(--paper)); border: 2px solid var(--paper); }
.matrix tbody th { color: var(--ink); } .matrix thead th:not(.word) { text-align: center; }
.matrix b { display: block; font-weight: 600; } .matrix small { display: block; font-size: .74rem; color: var(--ink); }
.matrix td.self { background: var(--panel); }
.gallery { display: grid; gap: 1rem 1.5rem; margin: 1rem 0; align-items: start; }
.gallery.wide { grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); }
.gallery.small { grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); }
img { max-width: 100%; height: auto; display: block; }
details { margin: .5rem 0; } summary { cursor: pointer; font-weight: 600; padding: .3rem 0; color: var(--accent); }
.decisions { display: grid; gap: .8rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); }
article { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; }
.cost { color: var(--warn); font-variant-numeric: tabular-nums; } .where { color: var(--soft); font-size: .88rem;
  margin: .1rem 0 .5rem; }
article dl { grid-template-columns: 2.6rem 1fr; margin: 0; gap: .35rem .6rem; font-size: .92rem; }
article dd { display: flex; flex-wrap: wrap; gap: .2rem .7rem; align-items: center; } .open { font-size: .86rem; }
.dice { flex: none; } .die rect { fill: var(--die); stroke: var(--ink); stroke-width: 1.4; } .die circle {
  fill: var(--ink); } .thrown { opacity: .32; }
.warning { border-left: 4px solid var(--warn); padding: .4rem .8rem; background: var(--warn-paper); }
code, pre { font: .88rem/1.5 ui-monospace, Menlo, Consolas, monospace; } pre { background: var(--panel);
  padding: .8rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; border-radius: 6px; }
dl { display: grid; grid-template-columns: 8rem 1fr; gap: .25rem 1rem; } dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 30rem) { body { padding: 1.2rem .8rem 2rem; } .origin { grid-template-columns: 1fr; gap: 0; }
  .origin dd { margin-bottom: .4rem; } h1 { font-size: 1.4rem; } }
"""

// A chart of the expected final score through a game: one stepped line per card, the optimum as a dashed line.

import { figureTable, h, replace, rowHead, svg } from "./dom.js";
import { number, t } from "./i18n.js";

const HEIGHT = 280;
const MARGIN = { top: 14, right: 16, bottom: 40, left: 46 };

/** Round steps for about `count` grid lines between two values. */
function ticks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(value);
  return found;
}

/** Where the points of a series lie along the turns: the points of a turn share its width. */
function placed(series) {
  const perTurn = new Map();
  for (const point of series) perTurn.set(point.turn, (perTurn.get(point.turn) ?? 0) + 1);
  const seen = new Map();
  return series.map((point) => {
    if (point.kind === "start") return { x: 0, y: point.expected };
    const order = (seen.get(point.turn) ?? 0) + 1;
    seen.set(point.turn, order);
    return { x: point.turn - 1 + order / perTurn.get(point.turn), y: point.expected };
  });
}

/**
 * The chart, with a legend and a table of the same figures.
 *
 * @param {{name: string, series: object[]}[]} lines - one per card (CardReview.series).
 * @param {number} optimum - the expected score before the first throw.
 */
export function scoreChart(lines, optimum) {
  const turns = Math.max(...lines.flatMap((line) => line.series.map((point) => point.turn)));
  const values = [...lines.flatMap((line) => line.series.map((point) => point.expected)), optimum];
  const room = Math.max(5, 0.06 * (Math.max(...values) - Math.min(...values)));
  const low = Math.min(...values) - room;
  const high = Math.max(...values) + room;
  const frame = h("div.chart-frame");

  function draw() {
    const width = Math.max(280, frame.clientWidth);
    const x = (turn) => MARGIN.left + (turn / turns) * (width - MARGIN.left - MARGIN.right);
    const y = (value) => MARGIN.top + ((high - value) / (high - low)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
    const grid = ticks(low, high, 8).map((value) =>
      svg(
        "g",
        svg("line.grid", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value) }),
        svg("text.tick", { x: MARGIN.left - 8, y: y(value) + 4, "text-anchor": "end", text: number(value) }),
      ),
    );
    const every = Math.max(1, Math.ceil(turns / (width / 46)));
    const marks = [];
    for (let turn = every; turn <= turns; turn += every) {
      marks.push(svg("text.tick", { x: x(turn), y: HEIGHT - MARGIN.bottom + 18, "text-anchor": "middle", text: turn }));
    }
    const paths = lines.map((line, index) => {
      const [first, ...rest] = placed(line.series);
      const steps = rest.map((point) => `H${x(point.x).toFixed(1)}V${y(point.y).toFixed(1)}`);
      const path = `M${x(first.x).toFixed(1)} ${y(first.y).toFixed(1)}${steps.join("")}`;
      return svg(`path.line.series-${index + 1}`, { d: path });
    });
    replace(
      frame,
      svg(
        "svg.chart",
        { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": t("review.chart") },
        grid,
        svg("line.optimum", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(optimum), y2: y(optimum) }),
        marks,
        svg("text.tick", {
          x: (MARGIN.left + width - MARGIN.right) / 2,
          y: HEIGHT - 4,
          "text-anchor": "middle",
          text: t("review.chart.turn"),
        }),
        paths,
      ),
    );
  }

  const watcher = new ResizeObserver(draw);
  watcher.observe(frame);
  const legend = h(
    "ul.legend",
    lines.map((line, index) => h("li", h(`span.swatch.series-${index + 1}`, { "aria-hidden": "true" }), line.name)),
    h("li", h("span.swatch.dashed", { "aria-hidden": "true" }), `${t("review.optimum")} ${number(optimum, 2)}`),
  );
  return h("figure.chart-figure", frame, h("figcaption", legend), chartTable(lines, turns));
}

/** The last expected score of each turn, from 0 (before the first throw). */
function chartTable(lines, turns) {
  const after = (series, turn) => {
    const last = series.findLast((point) => point.turn === turn);
    return last === undefined ? "" : number(last.expected, 2);
  };
  const rows = Array.from({ length: turns + 1 }, (_, turn) => [
    rowHead(number(turn)),
    ...lines.map((line) => after(line.series, turn)),
  ]);
  const label = t("review.chart.table");
  const heads = [[t("review.chart.turn"), false], ...lines.map((line) => [line.name, true])];
  return h("details", h("summary", { text: label }), figureTable(label, heads, rows));
}

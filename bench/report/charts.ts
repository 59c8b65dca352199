import { escaped, short } from "./html.ts";

// Charts as inline SVG, drawn by hand: nothing is fetched, and the page can be kept as it is. Colours are the page's variables.

const WIDTH = 920;
const LABEL_WIDTH = 230;
const ROW_HEIGHT = 34;
const AXIS_HEIGHT = 30;
const RIGHT = 24;

export type Colour = "ours" | "echo" | "typical" | "extra" | "ws";

const fill = (colour: Colour, light = false): string => `var(--${colour}${light ? "-light" : ""})`;

const text = (x: number, y: number, content: string, attributes = ""): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escaped(content)}</text>`;

const line = (x1: number, y1: number, x2: number, y2: number, attributes: string): string =>
  `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" ${attributes}/>`;

const svg = (height: number, label: string, parts: readonly string[]): string =>
  `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(label)}">${parts.join("")}</svg>`;

export const legend = (entries: readonly { title: string; colour: Colour; light?: boolean }[]): string =>
  `<div class="legend">${entries
    .map(({ title, colour, light }) => `<span style="--swatch:${fill(colour, light)}">${escaped(title)}</span>`)
    .join("")}</div>`;

export interface Bar {
  label: string;
  colour: Colour;
  /** Drawn one over the other; the second one lighter. */
  parts: readonly number[];
  /** The text after the bar. */
  value: string;
}

/** Horizontal bars from zero. `unit` stands at the axis; `marker` is a line that they are compared with. */
export function bars(rows: readonly Bar[], unit: string, label: string): string {
  const valueWidth = 220;
  const max = Math.max(...rows.map(({ parts }) => sum(parts)));
  const scale = linear(0, niceCeil(max), LABEL_WIDTH, WIDTH - valueWidth);
  const height = rows.length * ROW_HEIGHT + AXIS_HEIGHT;
  const drawn = rows.map((row, index) => {
    const y = index * ROW_HEIGHT + 6;
    let from = 0;
    const rects = row.parts.map((part, at) => {
      const x = scale(from);
      from += part;
      const width = Math.max(0.5, scale(from) - x);
      return `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="22" rx="2" fill="${fill(row.colour, at === 1)}"/>`;
    });
    const middle = y + 16;
    return [
      text(LABEL_WIDTH - 12, middle, row.label, 'text-anchor="end"'),
      ...rects,
      text(scale(from) + 8, middle, row.value, 'class="strong"'),
    ].join("");
  });
  return svg(height, label, [...axis(scale, 0, niceCeil(max), rows.length * ROW_HEIGHT, unit), ...drawn]);
}

export interface DotRow {
  label: string;
  colour: Colour;
  values: readonly number[];
  median: number;
  /** Where the budget ends. */
  budget?: number;
}

/** One row of dots for each ratio, its median as a bar across, and its budget as a dashed line. */
export function dots(rows: readonly DotRow[], unit: string, label: string): string {
  const valueWidth = 190;
  const max = niceCeil(Math.max(1, ...rows.flatMap(({ values, budget }) => [...values, budget ?? 0])));
  const scale = linear(0, max, LABEL_WIDTH, WIDTH - valueWidth);
  const rowHeight = 44;
  const height = rows.length * rowHeight + AXIS_HEIGHT;
  const drawn = rows.map(({ label: title, colour, values, median, budget }, index) => {
    const y = index * rowHeight + rowHeight / 2;
    const parts = [
      text(LABEL_WIDTH - 12, y + 4, title, 'text-anchor="end"'),
      ...values.map(
        (value) =>
          `<circle cx="${scale(value).toFixed(1)}" cy="${y}" r="4.5" fill="${fill(colour)}" fill-opacity="0.55"/>`,
      ),
      line(scale(median), y - 12, scale(median), y + 12, `stroke="${fill(colour)}" stroke-width="3"`),
      text(
        WIDTH - valueWidth + 14,
        y + 4,
        `${short(median)} times${budget === undefined ? "" : `, budget ${budget}`}`,
        'class="strong"',
      ),
    ];
    if (budget !== undefined) {
      parts.push(
        line(
          scale(budget),
          y - 18,
          scale(budget),
          y + 18,
          'stroke="var(--bad)" stroke-width="1.5" stroke-dasharray="4 3"',
        ),
      );
    }
    return parts.join("");
  });
  return svg(height, label, [...axis(scale, 0, max, rows.length * rowHeight, unit), ...drawn]);
}

export interface Series {
  title: string;
  colour: Colour;
  /** Dashed, in the lighter shade of its colour. */
  dashed?: boolean;
  /** One value for each stop, ms. */
  values: readonly number[];
}

/** Values at a few stops on a logarithmic scale of ms; `ceilings` are budgets at single stops. */
export function stops(
  names: readonly string[],
  series: readonly Series[],
  ceilings: readonly { stop: number; ms: number }[],
  label: string,
): string {
  const height = 320;
  const top = 14;
  const bottom = height - AXIS_HEIGHT;
  const left = 70;
  const all = [...series.flatMap(({ values }) => values), ...ceilings.map(({ ms }) => ms)].filter((value) => value > 0);
  const lowest = 10 ** Math.floor(Math.log10(Math.min(...all)));
  const highest = 10 ** Math.ceil(Math.log10(Math.max(...all)));
  const y = linear(Math.log10(highest), Math.log10(lowest), top, bottom);
  const at = (ms: number): number => y(Math.log10(Math.max(lowest, ms)));
  const x = linear(0, names.length - 1, left + 40, WIDTH - 50);
  const parts: string[] = [];
  for (let ms = lowest; ms <= highest * 1.001; ms *= 10) {
    parts.push(line(left, at(ms), WIDTH - RIGHT, at(ms), 'stroke="var(--grid)"'));
    parts.push(text(left - 8, at(ms) + 4, `${Number(ms.toPrecision(1))} ms`, 'text-anchor="end" class="quiet"'));
  }
  for (const [stop, name] of names.entries())
    parts.push(text(x(stop), height - 8, name, 'text-anchor="middle" class="quiet"'));
  for (const { stop, ms } of ceilings) {
    parts.push(
      line(x(stop) - 34, at(ms), x(stop) + 34, at(ms), 'stroke="var(--bad)" stroke-width="1.5" stroke-dasharray="4 3"'),
    );
    parts.push(text(x(stop) + 38, at(ms) + 4, `${ms} ms`, 'class="quiet"'));
  }
  for (const { colour, dashed, values } of series) {
    const points = values.map((value, stop) => `${x(stop).toFixed(1)},${at(value).toFixed(1)}`);
    const dash = dashed === true ? ' stroke-dasharray="6 4"' : "";
    const stroke = fill(colour, dashed);
    parts.push(`<polyline points="${points.join(" ")}" fill="none" stroke="${stroke}" stroke-width="2"${dash}/>`);
    for (const point of points) {
      const [cx, cy] = point.split(",");
      parts.push(`<circle cx="${cx}" cy="${cy}" r="3.5" fill="${stroke}"/>`);
    }
  }
  return svg(height, label, parts);
}

export interface Curve {
  title: string;
  colour: Colour;
  /** In ascending order of x; a y that is no number is left out. */
  points: readonly { x: number; y: number }[];
}

/** Curves over a linear scale from zero; `units` stand at the axes, and `ceiling` is a budget. */
export function curves(
  drawn: readonly Curve[],
  units: { x: string; y: string },
  label: string,
  ceiling?: number,
): string {
  const height = 300;
  const [left, top, bottom] = [70, 14, height - AXIS_HEIGHT];
  const points = drawn.flatMap((curve) => curve.points).filter(({ y }) => Number.isFinite(y));
  const maxY = niceCeil(Math.max(1e-9, ceiling ?? 0, ...points.map(({ y }) => y)));
  const maxX = niceCeil(Math.max(1e-9, ...points.map(({ x }) => x)));
  const x = linear(0, maxX, left, WIDTH - RIGHT - 20);
  const y = linear(maxY, 0, top, bottom);
  const parts = axis(x, 0, maxX, bottom, units.x);
  const step = niceStep(maxY / 5);
  for (let value = 0; value <= maxY * 1.001; value += step) {
    const name = `${Number(value.toPrecision(3)).toLocaleString("en")} ${units.y}`;
    parts.push(line(left, y(value), WIDTH - RIGHT, y(value), 'stroke="var(--grid)"'));
    parts.push(text(left - 8, y(value) + 4, name, 'text-anchor="end" class="quiet"'));
  }
  if (ceiling !== undefined) {
    const dashes = 'stroke="var(--bad)" stroke-width="1.5" stroke-dasharray="4 3"';
    parts.push(line(left, y(ceiling), WIDTH - RIGHT, y(ceiling), dashes));
  }
  for (const { colour, points: all } of drawn) {
    const shown = all.filter((point) => Number.isFinite(point.y));
    const way = shown.map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`);
    parts.push(`<polyline points="${way.join(" ")}" fill="none" stroke="${fill(colour)}" stroke-width="2"/>`);
    if (shown.length > DOTTED_MAX) continue;
    for (const point of shown) {
      parts.push(
        `<circle cx="${x(point.x).toFixed(1)}" cy="${y(point.y).toFixed(1)}" r="3.5" fill="${fill(colour)}"/>`,
      );
    }
  }
  return svg(height, label, parts);
}

/** Curves of more points are lines alone. */
const DOTTED_MAX = 40;

function axis(scale: (value: number) => number, from: number, to: number, y: number, unit: string): string[] {
  const step = niceStep((to - from) / 5);
  const parts: string[] = [];
  for (let value = from; value <= to * 1.001; value += step) {
    parts.push(line(scale(value), 0, scale(value), y + 4, 'stroke="var(--grid)"'));
    const last = value + step > to * 1.001;
    parts.push(
      text(
        scale(value),
        y + 20,
        `${Number(value.toPrecision(3))}${last ? ` ${unit}` : ""}`,
        'text-anchor="middle" class="quiet"',
      ),
    );
  }
  return parts;
}

const linear =
  (from: number, to: number, fromX: number, toX: number) =>
  (value: number): number =>
    fromX + ((value - from) / (to - from)) * (toX - fromX);

/** 1, 2 or 5 times a power of ten, not below `step`. */
function niceStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return ([1, 2, 5].find((factor) => factor * power >= step * 0.999) ?? 10) * power;
}

function niceCeil(value: number): number {
  const step = niceStep(value / 5);
  return Math.ceil((value * 1.001) / step) * step;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

import { escaped } from "../../report/html.ts";
import type { CurvePoint } from "./analysis.ts";
import type { SpokenKind } from "./callers.ts";

const WIDTH = 440;
const HEIGHT = 300;
const LEFT = 48;
const BOTTOM = 36;
const TOP = 28;
const DELAY_MS_MAX = 900;
const EARLY_PERCENT_MAX = 30;
const KINDS: readonly SpokenKind[] = ["single sentence", "several sentences", "number", "spelling"];
const LINES = [
  { speech: "development", rule: "score", colour: "#0f766e", dash: "4 3" },
  { speech: "held out", rule: "score", colour: "#0f766e", dash: "" },
  { speech: "development", rule: "pause", colour: "#b4600b", dash: "4 3" },
  { speech: "held out", rule: "pause", colour: "#b4600b", dash: "" },
] as const;

/** Early answers over the median delay, one field a kind: the score, and a fixed pause. SVG. */
export function curvePicture(curve: readonly CurvePoint[]): string {
  const fields = KINDS.map((kind, at) => {
    const lines = LINES.map(({ speech, rule, colour, dash }) => {
      const points = curve
        .filter((each) => each.speech === speech && each.rule === rule)
        .flatMap(({ points: all }) => all.filter((point) => point.kind === kind))
        .filter(({ p50 }) => Number.isFinite(p50))
        .sort((a, b) => a.p50 - b.p50)
        .map(({ p50, earlyPercent }) => `${x(p50).toFixed(1)},${y(earlyPercent).toFixed(1)}`);
      return `<polyline points="${points.join(" ")}" fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>`;
    });
    const axis = [0, 5, 10, 20, 30].map(
      (percent) =>
        `<line x1="${LEFT}" x2="${WIDTH - 8}" y1="${y(percent)}" y2="${y(percent)}" stroke="#d5dbe4"/><text x="${LEFT - 6}" y="${y(percent) + 4}" text-anchor="end">${percent} %</text>`,
    );
    const delays = [0, 300, 600, 900].map(
      (ms) => `<text x="${x(ms)}" y="${HEIGHT - 16}" text-anchor="middle">${ms} ms</text>`,
    );
    const from = `translate(${(at % 2) * WIDTH} ${Math.floor(at / 2) * HEIGHT})`;
    return `<g transform="${from}"><text x="${LEFT}" y="16" font-weight="600">${escaped(kind)}</text>${axis.join("")}${delays.join("")}${lines.join("")}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * WIDTH} ${2 * HEIGHT + 24}" role="img" aria-label="answered too early, over the median delay">`,
    `<style>text{font:12px system-ui,sans-serif;fill:#1d2430}</style><rect width="100%" height="100%" fill="#fff"/>`,
    ...fields,
    `<text x="${LEFT}" y="${2 * HEIGHT + 14}">answered too early, over the median delay. Green: the score; brown: a fixed pause. Solid: held-out languages; dashed: development.</text>`,
    "</svg>",
  ].join("\n");
}

const x = (ms: number): number => LEFT + (Math.min(DELAY_MS_MAX, ms) / DELAY_MS_MAX) * (WIDTH - LEFT - 24);
const y = (percent: number): number =>
  HEIGHT - BOTTOM - (Math.min(EARLY_PERCENT_MAX, percent) / EARLY_PERCENT_MAX) * (HEIGHT - BOTTOM - TOP);

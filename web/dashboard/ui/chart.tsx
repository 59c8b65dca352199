import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { theme } from "../app/theme.ts";
import "./chart.css";

export interface Bar {
  /** The beginning of a day of UTC, in milliseconds since the epoch. */
  atMs: number;
  value: number;
}

export interface BarChartProps {
  /** What the chart shows, and where those who do not see it find the same figures. */
  label: string;
  /** One for each day. The array is another one only where the figures are. */
  bars: readonly Bar[];
  text: (value: number) => string;
}

const HEIGHT = 220;
const BAR_WIDTH_MAX = 40;

/** A figure of each day, as bars; the one at the pointer is named above them. */
export function BarChart({ label, bars, text }: BarChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const latestText = useRef(text);
  latestText.current = text;
  const [pointed, setPointed] = useState<number>();
  const scheme = useColourScheme();
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const chart = new uPlot(
      optionsOf({
        element,
        text: (value) => latestText.current(value),
        isWhole: bars.every(({ value }) => Number.isInteger(value)),
        onPointed: setPointed,
      }),
      [bars.map(({ atMs }) => atMs / 1_000), bars.map(({ value }) => value)],
      element,
    );
    const sizes = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      chart.destroy();
    };
  }, [bars, theme.value, scheme]);
  const bar = pointed === undefined ? undefined : bars[pointed];
  return (
    <figure class="chart">
      <p class="chart-pointed" aria-hidden="true">
        {bar === undefined ? "" : `${dayText(bar.atMs)}: ${text(bar.value)}`}
      </p>
      <div ref={place} class="chart-place" role="img" aria-label={label} />
    </figure>
  );
}

const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const dayText = (atMs: number): string => days.format(new Date(atMs));

interface ChartOptions {
  element: HTMLElement;
  text: (value: number) => string;
  /** No value has a fraction, so that no line of the grid has one. */
  isWhole: boolean;
  onPointed: (index: number | undefined) => void;
}

function optionsOf({ element, text, isWhole, onPointed }: ChartOptions): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const axis: uPlot.Axis = {
    stroke: colour("text-soft"),
    font: `${colour("size-small")} ${style.fontFamily}`,
    grid: { stroke: colour("line"), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    // The days are those of UTC.
    tzDate: (atS) => uPlot.tzDate(new Date(atS * 1_000), "Etc/UTC"),
    scales: {
      x: { range: (_chart, min, max) => [min - HALF_DAY_S, max + HALF_DAY_S] },
      y: { range: (_chart, _min, max) => [0, max === 0 ? 1 : max * 1.1] },
    },
    axes: [
      { ...axis, grid: { show: false }, values: (_chart, ticks) => ticks.map((atS) => shortDays.format(atS * 1_000)) },
      { ...axis, size: 80, incrs: isWhole ? WHOLE_STEPS : STEPS, values: (_chart, ticks) => ticks.map(text) },
    ],
    series: [
      {},
      {
        fill: colour("accent"),
        stroke: colour("accent"),
        width: 0,
        points: { show: false },
        paths: barPaths,
      },
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => onPointed(idx ?? undefined)] },
  };
}

const HALF_DAY_S = 43_200;
/** Between two lines of the grid. */
const WHOLE_STEPS = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
const STEPS = [...[6, 5, 4, 3, 2, 1].flatMap((power) => [1, 2, 5].map((step) => step / 10 ** power)), ...WHOLE_STEPS];
const shortDays = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const barPaths: uPlot.Series.PathBuilder = (...given) =>
  uPlot.paths.bars?.({ size: [0.7, BAR_WIDTH_MAX] })(...given) ?? null;

/** Another one when the system changes between light and dark: what a canvas has drawn does not follow. */
function useColourScheme(): boolean {
  const [isDark, setDark] = useState(() => matchMedia(DARK).matches);
  useEffect(() => {
    const query = matchMedia(DARK);
    const onChange = (): void => setDark(query.matches);
    query.addEventListener("change", onChange);
    return () => query.removeEventListener("change", onChange);
  }, []);
  return isDark;
}

const DARK = "(prefers-color-scheme: dark)";

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { theme } from "../app/theme.ts";
import "./chart.css";

export interface ChartSeries {
  label: string;
  /** A colour of tokens.css, without its dashes, such as `accent`. */
  colour: string;
  values: readonly (number | null)[];
}

export interface ChartProps {
  /** What the chart says, for those who do not see it. */
  label: string;
  /** The times of the values, in milliseconds since 1970. */
  timesMs: readonly number[];
  series: readonly ChartSeries[];
  height?: number;
  /** How a value is written. */
  format: (value: number) => string;
}

/** Values over time. A page also gives them as a table. */
export function Chart({ label, timesMs, series, height = 200, format }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const style = getComputedStyle(element);
    const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    const axis = { stroke: colour("text-soft"), grid: { stroke: colour("line"), width: 1 } };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height,
        series: [
          {},
          ...series.map((one) => ({
            label: one.label,
            stroke: colour(one.colour),
            width: 1.5,
            value: (_: uPlot, value: number | null) => (value === null ? "–" : format(value)),
          })),
        ],
        axes: [axis, { ...axis, size: 64, values: (_: uPlot, ticks: number[]) => ticks.map(format) }],
      },
      [timesMs.map((timeMs) => timeMs / 1_000), ...series.map(({ values }) => [...values])],
      element,
    );
    const resizes = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    resizes.observe(element);
    return () => {
      resizes.disconnect();
      chart.destroy();
    };
  }, [timesMs, series, height, format, theme.value]);
  return <div ref={place} class="chart" role="img" aria-label={label} />;
}

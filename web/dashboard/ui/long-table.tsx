import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isSameWindow, rowWindow, type Seen } from "../app/window.ts";
import { Failure } from "./failure.tsx";
import { Cells, type Column, Head, type TableProps } from "./table.tsx";
import "./table.css";
import "./long-table.css";

/** Where a long table has its rows from: a `PagedList`, for example. */
export interface RowSource<Row> {
  readonly count: number;
  readonly hasMore: boolean;
  readonly error: unknown;
  item(index: number): Row | undefined;
  show(first: number, end: number): void;
  retry(): void;
}

/** As --height-row. */
const ROW_HEIGHT = 32;
const COLUMN_WIDTH = 140;

/**
 * A table of any number of rows, of which only those on the screen are in the document; each has one line. Each row has a place of its
 * own: one that comes or goes has the browser lay out no other, as it would in a table of its making.
 */
export function LongTable<Row extends object>({
  label,
  columns,
  keyOf,
  source,
}: TableProps<Row> & { source: RowSource<Row> }) {
  const scroller = useRef<HTMLElement>(null);
  const { first, end } = useWindow(scroller, source.count);
  useEffect(() => source.show(first, end), [source, first, end, source.count]);
  const cellsOf = useRenderedCells(columns);
  const width = columns.reduce((sum, column) => sum + widthOf(column), 0);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard. */}
      <section ref={scroller} class="table-scroll table-long" aria-label={label} tabIndex={0}>
        <table
          class="table long-table"
          aria-label={label}
          aria-rowcount={source.hasMore ? -1 : source.count + 1}
          style={{ minWidth: `${width}px`, "--columns": columns.map(trackOf).join(" ") }}
        >
          <Head columns={columns} />
          <tbody style={{ height: `${source.count * ROW_HEIGHT}px` }}>
            {Array.from({ length: end - first }, (_, offset) => {
              const at = first + offset;
              const row = source.item(at);
              return (
                <tr
                  key={row === undefined ? at : keyOf(row)}
                  aria-rowindex={at + 2}
                  style={{ top: `${at * ROW_HEIGHT}px` }}
                >
                  {row === undefined ? <td colSpan={columns.length}>…</td> : cellsOf(row)}
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      {source.error === undefined ? (
        <p class="table-foot" role="status">
          {source.hasMore ? `${source.count} loaded, more follow` : `${source.count} in all`}
        </p>
      ) : (
        <Failure error={source.error} onRetry={() => source.retry()} />
      )}
    </>
  );
}

const widthOf = ({ width = COLUMN_WIDTH }: { width?: number }): number => width;
/** A column has its width at least, and its share of what the table has beyond. */
const trackOf = (column: { width?: number }): string => `minmax(${widthOf(column)}px, ${widthOf(column)}fr)`;

/** The rows of so many that are in the document while `of` is scrolled: at first those of a screen, after the paint those around it. */
function useWindow(of: { current: HTMLElement | null }, count: number): { first: number; end: number } {
  const [at, setAt] = useState<Seen>();
  useEffect(() => {
    const element = of.current;
    if (element === null) return;
    const measure = (): void => {
      const now = { top: element.scrollTop, height: element.clientHeight };
      setAt((before) => (before !== undefined && isSameWindow(ROW_HEIGHT, before, now) ? before : now));
    };
    const resizes = new ResizeObserver(measure);
    resizes.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      resizes.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  if (at === undefined) return { first: 0, end: Math.min(count, Math.ceil(window.innerHeight / ROW_HEIGHT)) };
  return rowWindow(count, ROW_HEIGHT, at.top, at.height);
}

/** The same nodes as before for a row that is the same: they are not compared again while others come and go. */
function useRenderedCells<Row extends object>(columns: readonly Column<Row>[]): (row: Row) => ComponentChildren {
  return useMemo(() => {
    const known = new WeakMap<Row, ComponentChildren>();
    return (row) => {
      const cells = known.get(row) ?? <Cells columns={columns} row={row} />;
      known.set(row, cells);
      return cells;
    };
  }, [columns]);
}

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isSameWindow, rowWindow } from "../app/window.ts";
import { Failure } from "./failure.tsx";
import "./table.css";

export interface Column<Row> {
  name: string;
  title: string;
  /** Only those who do not see the page get the title: over buttons, for example. */
  isTitleHidden?: boolean;
  /** Figures are aligned at their end. */
  isFigure?: boolean;
  /** Of a long table, in pixels; 140 by default. */
  width?: number;
  cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  /** What the rows are, for those who do not see the page. */
  label: string;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
}

/** A table of some hundred rows at most, whose texts wrap. */
export function Table<Row>({ label, columns, keyOf, rows }: TableProps<Row> & { rows: readonly Row[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const isWider = useIsWider(scroller);
  return (
    // Only where it scrolls is it a stop for the keyboard.
    <div ref={scroller} class="table-scroll" tabIndex={isWider ? 0 : undefined}>
      <table class="table" aria-label={label}>
        <Head columns={columns} />
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <Cells columns={columns} row={row} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Whether the first child of an element is wider than the element. */
function useIsWider(of: { current: HTMLElement | null }): boolean {
  const [isWider, setWider] = useState(false);
  useEffect(() => {
    const element = of.current;
    const content = element?.firstElementChild;
    if (element === null || content == null) return;
    const sizes = new ResizeObserver(() => setWider(content.scrollWidth > element.clientWidth));
    sizes.observe(element);
    sizes.observe(content);
    return () => sizes.disconnect();
  }, []);
  return isWider;
}

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

/** A table of any number of rows, of which only those on the screen are in the document; each has one line. */
export function LongTable<Row extends object>({
  label,
  columns,
  keyOf,
  source,
}: TableProps<Row> & { source: RowSource<Row> }) {
  const scroller = useRef<HTMLElement>(null);
  const [at, setAt] = useState({ top: 0, height: 800 });
  const { first, end } = rowWindow(source.count, ROW_HEIGHT, at.top, at.height);
  useEffect(() => source.show(first, end), [source, first, end, source.count]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = (): void => {
      const now = { top: element.scrollTop, height: element.clientHeight };
      setAt((before) => (isSameWindow(ROW_HEIGHT, before, now) ? before : now));
    };
    const resizes = new ResizeObserver(measure);
    resizes.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      resizes.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  const cellsOf = useRenderedCells(columns);
  const width = columns.reduce((sum, column) => sum + (column.width ?? COLUMN_WIDTH), 0);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard. */}
      <section ref={scroller} class="table-scroll table-long" aria-label={label} tabIndex={0}>
        <table
          class="table table-fixed"
          aria-label={label}
          aria-rowcount={source.hasMore ? -1 : source.count + 1}
          style={{ minWidth: `${width}px` }}
        >
          <Head columns={columns} />
          <tbody>
            <Gap rows={first} columns={columns.length} />
            {Array.from({ length: end - first }, (_, offset) => {
              const row = source.item(first + offset);
              const key = row === undefined ? first + offset : keyOf(row);
              return (
                <tr key={key} aria-rowindex={first + offset + 2}>
                  {row === undefined ? <td colSpan={columns.length}>…</td> : cellsOf(row)}
                </tr>
              );
            })}
            <Gap rows={source.count - end} columns={columns.length} />
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

function Head<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    <thead>
      <tr>
        {columns.map(({ name, title, isTitleHidden, isFigure, width }) => (
          <th key={name} scope="col" class={isFigure ? "number" : undefined} style={{ width: width && `${width}px` }}>
            {isTitleHidden ? <span class="hidden">{title}</span> : title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Cells<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  return (
    <>
      {columns.map(({ name, isFigure, cell }) => (
        <td key={name} class={isFigure ? "number" : undefined}>
          {cell(row)}
        </td>
      ))}
    </>
  );
}

/** The height of rows that are not in the document. */
const Gap = ({ rows, columns }: { rows: number; columns: number }) =>
  rows <= 0 ? null : (
    <tr class="table-gap">
      <td colSpan={columns} style={{ height: `${rows * ROW_HEIGHT}px` }} />
    </tr>
  );

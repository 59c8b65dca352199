import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import "./table.css";

export interface Column<Row> {
  name: string;
  title: string;
  /** Only those who do not see the page get the title: over buttons, for example. */
  isTitleHidden?: boolean;
  /** Figures are aligned at their end. */
  isFigure?: boolean;
  /** Of a `LongTable`, in pixels; 140 by default. */
  width?: number;
  cell: (row: Row) => ComponentChildren;
}

export interface TableProps<Row> {
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

/** The titles of the columns. */
export function Head<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    <thead>
      <tr>
        {columns.map(({ name, title, isTitleHidden, isFigure }) => (
          <th key={name} scope="col" class={isFigure ? "number" : undefined}>
            {isTitleHidden ? <span class="hidden">{title}</span> : title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** What a row has in each column. */
export function Cells<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
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

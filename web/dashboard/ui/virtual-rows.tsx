import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { RowHeights } from "../app/row-heights.ts";
import "./virtual-rows.css";

export interface VirtualRowsProps {
  /** What the list is, for those who do not see it. */
  readonly label: string;
  readonly count: number;
  /** The height of a row before it is measured, pixels. */
  readonly estimate: (index: number) => number;
  readonly row: (index: number) => ComponentChildren;
  /** A row that is to be seen; another one scrolls to it. */
  readonly shown?: number | undefined;
  /** A person has scrolled. */
  readonly onScrolled?: (() => void) | undefined;
  readonly class?: string;
}

/** Pixels beyond each edge that are rendered too. */
const MARGIN = 320;
/** Rows come and go so many at a time: not every scrolled pixel is to make others. */
const STEP_ROWS = 6;

interface Range {
  readonly first: number;
  readonly end: number;
}

/** A long list in a box of its own that scrolls, of which only what can be seen is in the document. */
export function VirtualRows({ label, count, estimate, row, shown, onScrolled, class: name = "" }: VirtualRowsProps) {
  const box = useRef<HTMLElement>(null);
  const [heights] = useState(() => new RowHeights(count, estimate));
  if (heights.rows !== count) heights.resize(count, estimate);
  const [range, setRange] = useState<Range>({ first: 0, end: Math.min(count, 24) });
  const [, setMeasured] = useState(0);

  const look = (): void => {
    const element = box.current;
    if (element === null) return;
    const first = stepped(heights.rowAt(element.scrollTop - MARGIN));
    const end = Math.min(count, stepped(heights.rowAt(element.scrollTop + element.clientHeight + MARGIN)) + STEP_ROWS);
    setRange((before) => (before.first === first && before.end === end ? before : { first, end }));
  };
  const rendered = useRenderedRows(row);
  useLayoutEffect(() => {
    const isNews = measureRows(box.current, heights, rendered.measured);
    if (!isNews) return;
    setMeasured((times) => times + 1);
    look();
  });
  useEffect(look, [count]);
  useEffect(
    () =>
      forgetOnResize(box.current, () => {
        heights.forget();
        rendered.measured.clear();
        look();
      }),
    [heights, count, rendered],
  );
  useLayoutEffect(() => {
    if (shown !== undefined) reveal(box.current, heights, shown);
  }, [shown]);

  const { first } = range;
  const end = Math.min(range.end, count);
  return (
    <section
      ref={box}
      class={`virtual-rows ${name}`}
      style={{ "--rows-height": `${heights.totalHeight}px` }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard.
      tabIndex={0}
      aria-label={label}
      onScroll={look}
      onWheel={onScrolled}
      onTouchMove={onScrolled}
      onKeyDown={(event) => {
        if (SCROLL_KEYS.includes(event.key)) onScrolled?.();
      }}
    >
      <ol class="virtual-rows-all" style={{ height: `${heights.totalHeight}px` }}>
        {Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at).map((index) => (
          <li
            key={index}
            class="virtual-rows-row"
            data-row={index}
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${heights.offsetOf(index)}px)` }}
          >
            {rendered.row(index)}
          </li>
        ))}
      </ol>
    </section>
  );
}

const SCROLL_KEYS: readonly string[] = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"];

const stepped = (index: number): number => Math.floor(index / STEP_ROWS) * STEP_ROWS;

interface RenderedRows {
  /** The same node as before for a row that is the same: it is not compared again while others come and go. */
  readonly row: (index: number) => ComponentChildren;
  /** Those whose height is known. */
  readonly measured: Set<number>;
}

/** The rows as `row` renders them; with another `row`, all of them anew. */
function useRenderedRows(row: (index: number) => ComponentChildren): RenderedRows {
  return useMemo(() => {
    const known = new Map<number, ComponentChildren>();
    return {
      measured: new Set<number>(),
      row: (index: number): ComponentChildren => {
        if (!known.has(index)) known.set(index, row(index));
        return known.get(index);
      },
    };
  }, [row]);
}

/** Measures the rows that were not yet. Returns whether one has another height than was thought. */
function measureRows(element: HTMLElement | null, heights: RowHeights, measured: Set<number>): boolean {
  if (element === null) return false;
  let isNews = false;
  for (const one of element.querySelectorAll<HTMLElement>("[data-row]")) {
    const index = Number(one.dataset.row);
    if (measured.has(index)) continue;
    measured.add(index);
    isNews = heights.measured(index, one.offsetHeight) || isNews;
  }
  return isNews;
}

/** Rows of another width have other heights. */
function forgetOnResize(element: HTMLElement | null, forget: () => void): (() => void) | undefined {
  if (element === null) return undefined;
  let width = element.clientWidth;
  const observer = new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    forget();
  });
  observer.observe(element);
  return () => observer.disconnect();
}

/** Scrolls so that a row stands in the upper third, unless all of it is seen. */
function reveal(element: HTMLElement | null, heights: RowHeights, index: number): void {
  if (element === null) return;
  const [top, bottom] = [heights.offsetOf(index), heights.offsetOf(index + 1)];
  if (top >= element.scrollTop && bottom <= element.scrollTop + element.clientHeight) return;
  element.scrollTop = Math.max(0, top - element.clientHeight / 3);
}

/** Which rows of a long list are in the document. */
export interface RowWindow {
  first: number;
  /** One after the last. */
  end: number;
}

/** Rows beyond each edge of the screen, so that a wheel's step shows no gap. */
const MARGIN_ROWS = 12;
/** Windows begin at multiples of it, so that not every scrolled pixel makes another one. */
const STEP_ROWS = 2;

/** What of a list is on the screen: see `rowWindow`. */
export interface Seen {
  /** Pixels of the list above the screen, and of the screen. */
  top: number;
  height: number;
}

/** Whether both show the same rows of a list, however long it is. */
export function isSameWindow(rowHeight: number, one: Seen, other: Seen): boolean {
  const [first, second] = [one, other].map(({ top, height }) =>
    rowWindow(Number.POSITIVE_INFINITY, rowHeight, top, height),
  );
  return first?.first === second?.first && first?.end === second?.end;
}

/**
 * The rows to render of `rows`, each `rowHeight` high, when `hiddenAbove` pixels of the list are above the screen, which shows
 * `visibleHeight` pixels.
 */
export function rowWindow(rows: number, rowHeight: number, hiddenAbove: number, visibleHeight: number): RowWindow {
  const top = Math.max(0, Math.floor(hiddenAbove / rowHeight) - MARGIN_ROWS);
  const first = Math.min(Math.max(0, rows - 1), Math.floor(top / STEP_ROWS) * STEP_ROWS);
  const count = Math.ceil(Math.max(0, visibleHeight) / rowHeight) + 2 * MARGIN_ROWS + STEP_ROWS;
  return { first: rows === 0 ? 0 : first, end: Math.min(rows, first + count) };
}

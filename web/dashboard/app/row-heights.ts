/** The heights of the rows of a long list: estimates, until a row was rendered and measured. All in pixels. */
export class RowHeights {
  #heights: number[] = [];
  /** The offset of each row, and the height of all at the end; rows from `#validTo` on must be summed again. */
  #offsets: number[] = [0];
  #validTo = 0;
  #estimate: (index: number) => number;

  constructor(rows: number, estimate: (index: number) => number) {
    this.#estimate = estimate;
    this.resize(rows);
  }

  get rows(): number {
    return this.#heights.length;
  }

  /** More or fewer rows, at the end. */
  resize(rows: number, estimate = this.#estimate): void {
    this.#estimate = estimate;
    if (rows < this.rows) this.#heights.length = rows;
    while (this.rows < rows) this.#heights.push(estimate(this.rows));
    this.#validTo = Math.min(this.#validTo, rows);
  }

  /** Returns whether it is another height than before. */
  measured(index: number, height: number): boolean {
    const before = this.#heights[index];
    if (before === undefined || Math.abs(before - height) < 0.5) return false;
    this.#heights[index] = height;
    this.#validTo = Math.min(this.#validTo, index);
    return true;
  }

  /** Forgets what was measured: the list has another width. */
  forget(): void {
    this.#heights = this.#heights.map((_, index) => this.#estimate(index));
    this.#validTo = 0;
  }

  /** How far the row is from the top of the list; of the row after the last one, the height of the list. */
  offsetOf(index: number): number {
    for (; this.#validTo < index; this.#validTo += 1) {
      this.#offsets[this.#validTo + 1] = (this.#offsets[this.#validTo] ?? 0) + (this.#heights[this.#validTo] ?? 0);
    }
    return this.#offsets[index] ?? 0;
  }

  get totalHeight(): number {
    return this.offsetOf(this.rows);
  }

  /** The row at so many pixels from the top. */
  rowAt(offset: number): number {
    this.offsetOf(this.rows);
    let low = 0;
    let high = this.rows - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#offsets[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }
}

/** A page of a list of the API. */
export interface ListPage<T> {
  data: readonly T[];
  nextCursor: string | null;
}

export interface PagedListOptions<T> {
  /** The page at a cursor; the first one without. */
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<T>>;
  /** Called after every change of what the list has. */
  onChange: () => void;
}

/** Pages on each side of the shown rows whose items stay. */
const KEPT_PAGES = 3;
/** The next page is asked for when so few rows are left below the shown ones. */
const ROWS_AHEAD = 50;

interface HeldPage<T> {
  readonly cursor: string | undefined;
  count: number;
  /** Undefined when it was dropped, and while it is loaded again. */
  items: readonly T[] | undefined;
  isLoading: boolean;
}

/**
 * A list of any length of which only the pages around the shown rows are in memory: of the others it has the number of rows and the
 * cursor, by which they are loaded again.
 */
export class PagedList<T> {
  readonly #options: PagedListOptions<T>;
  readonly #abort = new AbortController();
  readonly #pages: HeldPage<T>[] = [];
  /** Where the list goes on; null at its end. */
  #nextCursor: string | null | undefined;
  #error: unknown;
  #shown = { first: 0, end: 0 };

  constructor(options: PagedListOptions<T>) {
    this.#options = options;
  }

  /** The rows that are known; others may follow. */
  get count(): number {
    return this.#pages.reduce((sum, { count }) => sum + count, 0);
  }

  /** Whether rows follow after the known ones, as far as it is known. */
  get hasMore(): boolean {
    return this.#nextCursor !== null;
  }

  /** Whether the first row is among those that are shown. */
  get isAtStart(): boolean {
    return this.#shown.first === 0;
  }

  /** Whether the first page is there. */
  get isReady(): boolean {
    return this.#nextCursor !== undefined;
  }

  /** Why the latest page could not be loaded; `retry` asks again. */
  get error(): unknown {
    return this.#error;
  }

  /** A row; undefined while it is loaded again. */
  item(index: number): T | undefined {
    let before = 0;
    for (const { count, items } of this.#pages) {
      if (index < before + count) return items?.[index - before];
      before += count;
    }
    return undefined;
  }

  /** Loads what these rows need, and drops what is far from them. `end` is one after the last. */
  show(first: number, end: number): void {
    this.#shown = { first, end };
    let before = 0;
    let firstPage = this.#pages.length;
    let lastPage = -1;
    this.#pages.forEach((page, at) => {
      const isShown = before < end && before + page.count > first;
      if (isShown) {
        firstPage = Math.min(firstPage, at);
        lastPage = at;
        if (page.items === undefined && this.#error === undefined) void this.#fill(page);
      }
      before += page.count;
    });
    this.#pages.forEach((page, at) => {
      if (lastPage >= 0 && (at < firstPage - KEPT_PAGES || at > lastPage + KEPT_PAGES)) page.items = undefined;
    });
    if (end + ROWS_AHEAD >= before && this.#error === undefined) void this.#append();
  }

  /** Asks again for what failed. */
  retry(): void {
    this.#error = undefined;
    this.show(this.#shown.first, this.#shown.end);
    this.#options.onChange();
  }

  /** Nothing more is loaded. */
  close(): void {
    this.#abort.abort();
  }

  async #append(): Promise<void> {
    if (this.#nextCursor === null || this.#pages.at(-1)?.isLoading) return;
    const page: HeldPage<T> = { cursor: this.#nextCursor, count: 0, items: undefined, isLoading: false };
    this.#pages.push(page);
    const nextCursor = await this.#fill(page);
    if (nextCursor !== undefined) this.#nextCursor = nextCursor;
    if (page.count === 0) this.#pages.splice(this.#pages.indexOf(page), 1);
    if (this.#abort.signal.aborted) return;
    this.#options.onChange();
    // Where few rows match a page may be empty, and not be the last one.
    if (typeof nextCursor === "string" && page.count === 0) await this.#append();
  }

  /** Resolves with the cursor of the page after it; undefined where it could not be loaded. */
  async #fill(page: HeldPage<T>): Promise<string | null | undefined> {
    if (page.isLoading) return undefined;
    page.isLoading = true;
    const { load, onChange } = this.#options;
    try {
      const { data, nextCursor } = await load(page.cursor, this.#abort.signal);
      page.items = data;
      page.count = data.length;
      return nextCursor;
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#error = error;
      return undefined;
    } finally {
      page.isLoading = false;
      if (!this.#abort.signal.aborted) onChange();
    }
  }
}

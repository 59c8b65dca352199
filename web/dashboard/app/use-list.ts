import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useEvents } from "./events/use-events.ts";
import { FIRST_PAGE_ROWS } from "./first-page.ts";
import { type ListPage, PagedList } from "./paged-list.ts";
import { Reloads } from "./reloads.ts";

export interface ListResource<T> {
  list: PagedList<T>;
  /** Begins anew, from the first page. */
  reload: () => void;
  /** Events have come after which the list may be another one, and the person has read on in it: `reload` shows it. */
  isStale: boolean;
}

export interface ListOptions {
  /** The types of events after which the list may be another one. */
  on?: readonly string[];
}

const PAGE_ROWS = 100;

/** The part of a query that says which page is wanted. */
export interface PageQuery {
  limit: number;
  cursor?: string;
}

/**
 * A list of the API whose pages are loaded as they are shown. `key` says what is listed: with another one the list begins anew. So it
 * does after events of the types `on` while the person looks at its beginning, as `Reloads` has it.
 */
export function useList<T>(
  key: string,
  load: (page: PageQuery, signal: AbortSignal) => Promise<ListPage<T>>,
  { on = [] }: ListOptions = {},
): ListResource<T> {
  const [, setChanges] = useState(0);
  const [generation, setGeneration] = useState(0);
  const [isStale, setStale] = useState(false);
  const reloads = useMemo(() => new Reloads(() => setGeneration((count) => count + 1)), [key]);
  // The key alone says what is loaded: the function is another one at each render.
  const made = useMemo(() => {
    const loadPage = (cursor: string | undefined, signal: AbortSignal): Promise<ListPage<T>> =>
      load(cursor === undefined ? { limit: FIRST_PAGE_ROWS } : { limit: PAGE_ROWS, cursor }, signal);
    const onChange = (): void => {
      setChanges((count) => count + 1);
      if (list.isReady || list.error !== undefined) reloads.settled();
    };
    const list = new PagedList<T>({ load: loadPage, onChange });
    return list;
  }, [key, generation]);
  // After an event the earlier list stays until the first page of the new one is there, so that nothing flickers.
  const shown = useRef({ key, list: made });
  if (shown.current.key !== key || made.isReady || made.error !== undefined) shown.current = { key, list: made };
  useEffect(() => () => reloads.close(), [reloads]);
  // At once, and not after the paint: the list is what the person waits for.
  useLayoutEffect(() => {
    setStale(false);
    made.show(0, 0);
    return () => made.close();
  }, [made]);
  const reload = useCallback(() => reloads.ask(), [reloads]);
  useEvents(on, () => {
    if (shown.current.list.isAtStart) reload();
    else setStale(true);
  });
  return { list: shown.current.list, reload, isStale };
}

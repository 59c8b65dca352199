import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { useEvents } from "./events/use-events.ts";
import { type ListPage, PagedList } from "./paged-list.ts";

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
  /** The rows of a page: a list of which more are loaded does not begin anew by itself. */
  pageRows?: number;
}

const PAGE_ROWS = 100;

/** The part of a query that says which page is wanted. */
export interface PageQuery {
  limit: number;
  cursor?: string;
}

/**
 * A list of the API whose pages are loaded as they are shown. `key` says what is listed: with another one the list begins anew, as
 * after events of the types `on` where the person looks at its beginning.
 */
export function useList<T>(
  key: string,
  load: (page: PageQuery, signal: AbortSignal) => Promise<ListPage<T>>,
  { on = [], pageRows = PAGE_ROWS }: ListOptions = {},
): ListResource<T> {
  const [, update] = useReducer((count: number, _: void) => count + 1, 0);
  const [generation, setGeneration] = useState(0);
  const [isStale, setStale] = useState(false);
  // The key alone says what is loaded: the function is another one at each render.
  const made = useMemo(() => {
    const loadPage = (cursor: string | undefined, signal: AbortSignal): Promise<ListPage<T>> =>
      load({ limit: pageRows, ...(cursor !== undefined && { cursor }) }, signal);
    return new PagedList<T>({ load: loadPage, onChange: () => update() });
  }, [key, generation]);
  // After an event the earlier list stays until the first page of the new one is there, so that nothing flickers.
  const shown = useRef({ key, list: made });
  if (shown.current.key !== key || made.isReady || made.error !== undefined) shown.current = { key, list: made };
  useEffect(() => {
    setStale(false);
    made.show(0, 0);
    return () => made.close();
  }, [made]);
  const reload = useCallback(() => setGeneration((count) => count + 1), []);
  useEvents(on, () => {
    if (shown.current.list.count <= pageRows) reload();
    else setStale(true);
  });
  return { list: shown.current.list, reload, isStale };
}

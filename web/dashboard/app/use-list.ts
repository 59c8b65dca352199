import { useCallback, useEffect, useMemo, useReducer, useState } from "preact/hooks";
import { useEvents } from "./events/use-events.ts";
import { type ListPage, PagedList } from "./paged-list.ts";

export interface ListResource<T> {
  list: PagedList<T>;
  /** Begins anew, from the first page. */
  reload: () => void;
}

/**
 * A list of the API whose pages are loaded as they are shown. `key` says what is listed: with another one the list begins anew, as
 * after events of the types `on`.
 */
export function useList<T>(
  key: string,
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<T>>,
  { on = [] }: { on?: readonly string[] } = {},
): ListResource<T> {
  const [, update] = useReducer((count: number, _: void) => count + 1, 0);
  const [generation, setGeneration] = useState(0);
  // The key alone says what is loaded: the function is another one at each render.
  const made = useMemo(() => new PagedList<T>({ load, onChange: () => update() }), [key, generation]);
  // After an event the earlier list stays until the first page of the new one is there, so that nothing flickers.
  const [shown, setShown] = useState({ key, list: made });
  const isReplaced = shown.key !== key || (shown.list !== made && (made.isReady || made.error !== undefined));
  if (isReplaced) setShown({ key, list: made });
  useEffect(() => {
    made.show(0, 0);
    return () => made.close();
  }, [made]);
  const reload = useCallback(() => setGeneration((count) => count + 1), []);
  useEvents(on, reload);
  return { list: isReplaced ? made : shown.list, reload };
}

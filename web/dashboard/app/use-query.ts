import { useCallback } from "preact/hooks";
import { useLocation } from "preact-iso";
import { type QueryChanges, withQuery } from "./query.ts";

export interface QueryState {
  /** What stands in the address, by name. */
  query: Readonly<Record<string, string>>;
  /**
   * Changes some of it: undefined and an empty text remove a name. A change of what is shown, such as a filter, replaces the entry of
   * the history; with `push` the browser's way back undoes it, as of an opened row.
   */
  change: (changes: QueryChanges, options?: { push?: boolean }) => void;
}

/** The address of the page as it is now with changes, for a link to an opened row. */
export const hereWith = (changes: QueryChanges): string =>
  window.location.pathname + withQuery(window.location.search, changes);

/** The state of a page in its address: filters, tabs, order, opened rows. */
export function useQuery(): QueryState {
  const { query, route } = useLocation();
  const change = useCallback(
    (changes: QueryChanges, { push = false }: { push?: boolean } = {}): void => {
      // Of the address as it is now: two changes may come in one step.
      route(hereWith(changes), !push);
    },
    [route],
  );
  return { query, change };
}

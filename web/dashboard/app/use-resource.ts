import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useEvents } from "./events/use-events.ts";
import { Reloads } from "./reloads.ts";

export type ResourceState<T> =
  | { status: "loading" }
  | { status: "failed"; error: unknown }
  /** `error`: why the latest reload failed; the value is the one before. */
  | { status: "ready"; value: T; error: unknown };

export type Resource<T> = ResourceState<T> & {
  /** Loads again, and shows what there is until then. */
  reload: () => void;
};

export interface ResourceOptions {
  /** The types of events of the account after which the value may be another one. */
  on?: readonly string[];
}

const LOADING = { status: "loading" } as const;

/**
 * What `load` resolves with. It is called again for another key, on `reload`, and after events, as `Reloads` has it; the signal aborts
 * for another key, and when the page is left. The function may be another one at each render: the key alone says what is loaded.
 */
export function useResource<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { on = [] }: ResourceOptions = {},
): Resource<T> {
  const [state, setState] = useState<{ key: string; is: ResourceState<T> }>({ key, is: LOADING });
  const latest = useRef(load);
  latest.current = load;
  const reloads = useRef<Reloads | undefined>(undefined);

  useEffect(() => {
    const left = new AbortController();
    const run = (): void => {
      const settle = (next: (before: ResourceState<T>) => ResourceState<T>): void => {
        if (left.signal.aborted) return;
        setState((before) => ({ key, is: next(before.key === key ? before.is : LOADING) }));
        own.settled();
      };
      latest.current(left.signal).then(
        (value) => settle(() => ({ status: "ready", value, error: undefined })),
        (error: unknown) =>
          settle((before) => (before.status === "ready" ? { ...before, error } : { status: "failed", error })),
      );
    };
    const own = new Reloads(run);
    reloads.current = own;
    run();
    return () => {
      own.close();
      left.abort();
    };
  }, [key]);
  useEvents(on, () => reloads.current?.ask());

  const is = state.key === key ? state.is : LOADING;
  const reload = useCallback((): void => {
    setState((before) => (before.is.status === "failed" ? { key, is: LOADING } : before));
    reloads.current?.ask();
  }, [key]);
  return { ...is, reload };
}

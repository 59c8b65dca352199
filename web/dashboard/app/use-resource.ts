import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useEvents } from "./events/use-events.ts";

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
 * What `load` resolves with. It is called again for another key, on `reload`, and after events; the signal aborts when the
 * answer is no longer wanted. The function may be another one at each render: the key alone says what is loaded.
 */
export function useResource<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { on = [] }: ResourceOptions = {},
): Resource<T> {
  const [state, setState] = useState<{ key: string; is: ResourceState<T> }>({ key, is: LOADING });
  const latest = useRef(load);
  latest.current = load;
  const running = useRef<AbortController | undefined>(undefined);

  const run = useCallback((): void => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const settle = (next: (before: ResourceState<T>) => ResourceState<T>): void => {
      if (controller.signal.aborted) return;
      setState((before) => ({ key, is: next(before.key === key ? before.is : LOADING) }));
    };
    latest.current(controller.signal).then(
      (value) => settle(() => ({ status: "ready", value, error: undefined })),
      (error: unknown) =>
        settle((before) => (before.status === "ready" ? { ...before, error } : { status: "failed", error })),
    );
  }, [key]);

  useEffect(() => {
    run();
    return () => running.current?.abort();
  }, [run]);
  useEvents(on, run);

  const is = state.key === key ? state.is : LOADING;
  const reload = useCallback((): void => {
    setState((before) => (before.is.status === "failed" ? { key, is: LOADING } : before));
    run();
  }, [run, key]);
  return { ...is, reload };
}

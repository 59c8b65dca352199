import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { SESSION_BASE } from "../addresses.ts";
import { loadSession } from "../session.ts";
import { type Activities, NO_ACTIVITIES, withActivity } from "./activity.ts";
import { concerns, type LiveEvent, type StreamStatus } from "./event.ts";
import { openSharedStream } from "./shared-stream.ts";

/** Whether events come at present. */
export const streamStatus = signal<StreamStatus>("connecting");

/** What live calls do, by their ids. */
export const liveActivity = signal<Activities>(NO_ACTIVITIES);

type Listener = (event: LiveEvent) => void;
const listeners = new Set<Listener>();

/** Connects the page to the events of the account of a session, by its token, until the returned function is called. */
export function connectEvents(csrfToken: string): () => void {
  liveActivity.value = NO_ACTIVITIES;
  const url = `${SESSION_BASE}/api/v1/events?activity=true`;
  return openSharedStream({ url, csrfToken }, (message) => {
    if (message.kind === "event") {
      liveActivity.value = withActivity(liveActivity.value, message.event);
      for (const listener of listeners) listener(message.event);
      return;
    }
    streamStatus.value = message.status;
    // Of this session, which may not be that of the browser any more.
    if (message.status === "ended") void loadSession();
  });
}

/** Calls `onEvent` for events of the given types, and for `events.lost`, after which anything may have changed. */
export function useEvents(types: readonly string[], onEvent: (event: LiveEvent) => void): void {
  const latest = useRef(onEvent);
  latest.current = onEvent;
  const wanted = types.join(" ");
  useEffect(() => {
    const list = wanted === "" ? [] : wanted.split(" ");
    const listener: Listener = (event) => {
      if (concerns(list, event)) latest.current(event);
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, [wanted]);
}

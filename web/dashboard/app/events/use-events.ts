import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { SESSION_BASE } from "../api.ts";
import { noteSignedOut } from "../session.ts";
import { type Activities, withActivity } from "./activity.ts";
import { concerns, type LiveEvent, type StreamStatus } from "./event.ts";
import { openSharedStream } from "./shared-stream.ts";

/** Whether events come at present. */
export const streamStatus = signal<StreamStatus>("connecting");

/** What live calls do, by their ids. */
export const liveActivity = signal<Activities>(new Map());

type Listener = (event: LiveEvent) => void;
const listeners = new Set<Listener>();

/** Connects the page to the events of the account of `userId`, until the returned function is called. */
export function connectEvents(userId: string): () => void {
  return openSharedStream(`${SESSION_BASE}/api/v1/events?activity=true`, userId, (message) => {
    if (message.kind === "event") {
      liveActivity.value = withActivity(liveActivity.value, message.event);
      for (const listener of listeners) listener(message.event);
      return;
    }
    streamStatus.value = message.status;
    if (message.status === "ended") noteSignedOut();
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

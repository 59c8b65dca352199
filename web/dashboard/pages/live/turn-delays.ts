import { useRef, useState } from "preact/hooks";
import type { LiveEvent } from "../../app/events/event.ts";
import { useEvents } from "../../app/events/use-events.ts";
import { withDelay } from "./delays.ts";

/** How long the caller of each call waited for the latest reply, in milliseconds, by the ids of calls; as the replies happen. */
export function useTurnDelays(): ReadonlyMap<string, number> {
  const [delays, setDelays] = useState<ReadonlyMap<string, number>>(NONE);
  const latest = useRef(delays);
  useEvents(TYPES, (event: LiveEvent) => {
    latest.current = withDelay(latest.current, event);
    setDelays(latest.current);
  });
  return delays;
}

const TYPES = ["call.turn", "call.ended"];
const NONE: ReadonlyMap<string, number> = new Map();

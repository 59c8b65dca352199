import { type CallSpec, storesWords } from "../../core/calls/spec.ts";
import type { CallId } from "../../core/ids.ts";
import type { CallEvent } from "../call-store.ts";
import type { UnpersistedPrompts } from "../redemptions.ts";
import { promptsOf } from "./calls/rows.ts";

/**
 * Keeps the words of calls that store none in memory, from creation to end. One control process creates all calls,
 * so its memory has all of them.
 */
export function keepUnpersisted(unpersisted: Pick<UnpersistedPrompts, "set" | "delete">): (event: CallEvent) => void {
  const keep = (callId: CallId, spec: CallSpec): void => {
    if (!storesWords(spec)) unpersisted.set(callId, promptsOf(spec));
  };
  return (event) => {
    switch (event.kind) {
      case "created":
        keep(event.callId, event.call.spec);
        return;
      case "phone-created":
        keep(event.callId, event.spec);
        return;
      case "repeated":
        // A restart may have lost them.
        keep(event.callId, event.spec);
        return;
      case "ended":
      case "end-not-stored":
      case "removed":
        unpersisted.delete(event.callId);
        return;
    }
  };
}

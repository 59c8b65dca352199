import { type CallSpec, storesWords } from "../../../core/calls/spec.ts";
import type { Clock } from "../../../core/clock.ts";
import type { CallId } from "../../../core/ids.ts";
import type { CallEvent } from "../../calls/call-store.ts";
import type { UnpersistedPrompts } from "../../redemptions.ts";
import { promptsOf } from "../calls/rows.ts";

/** So long the words of a call are kept after its token has expired, in a cluster. */
const AFTER_EXPIRY_MS = 60_000;

/**
 * Keeps the words of calls that store none in memory, from creation to end. The control process that creates a call has them; in a
 * cluster it does not learn of an end at another node: with `clock` the words go some time after the token, too.
 */
export function keepUnpersisted(
  unpersisted: Pick<UnpersistedPrompts, "set" | "delete">,
  clock?: Pick<Clock, "after">,
): (event: CallEvent) => void {
  const keep = (callId: CallId, spec: CallSpec): void => {
    if (!storesWords(spec)) unpersisted.set(callId, promptsOf(spec));
  };
  return (event) => {
    switch (event.kind) {
      case "created":
        keep(event.callId, event.call.spec);
        if (!storesWords(event.call.spec))
          clock?.after(event.call.tokenTtlMs + AFTER_EXPIRY_MS, () => unpersisted.delete(event.callId));
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

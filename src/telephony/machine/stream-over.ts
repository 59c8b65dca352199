import type { Draft } from "./draft.ts";
import type { PhoneCallEvent } from "./events.ts";
import { connectAgain } from "./notices.ts";
import type { PhaseOf } from "./state.ts";
import { giveBack, returnFailed, ringTarget } from "./transfer.ts";

/**
 * A carrier that takes documents has come to what follows a stream. The caller waits for the answer. A question that is repeated gets the
 * answer of before.
 */
export function streamOver(
  draft: Draft,
  { connect, hasConnected }: Extract<PhoneCallEvent, { kind: "stream-over" }>,
): void {
  const { phase, state } = draft;
  const isLatest = connect === state.connects;
  switch (phase.at) {
    case "answered":
      if (!isLatest) draft.emit({ kind: "repeat-connect" });
      // The worker has seen the end, and its report is on its way.
      else if (hasConnected) draft.emit({ kind: "hang-up-by-document" });
      else connectAgain(draft, "document");
      return;
    case "returning":
      if (isLatest) returnFailed(draft, phase, "document");
      else draft.emit({ kind: "repeat-connect" });
      return;
    case "transferring":
      if (isLatest) overBeforeTransfer(draft, phase);
      return;
    case "leaving":
      draft.emit({ kind: "transfer-by-document" });
      return;
    case "ending":
    case "over": {
      const isRefused = phase.at === "ending" ? phase.isRefused === true : phase.cutMs !== undefined;
      draft.emit(isRefused ? { kind: "refuse", by: "document" } : { kind: "hang-up-by-document" });
      return;
    }
    default:
      // Its worker has ended the call.
      draft.emit({ kind: "hang-up-by-document" });
  }
}

/** The transfer would have replaced the question: so the carrier has not carried it out. */
function overBeforeTransfer(draft: Draft, phase: PhaseOf<"transferring">): void {
  const detached = { ...phase, isDetached: true };
  switch (phase.stage) {
    case "announcing":
      giveBack(draft, phase.transfer, "failed", "document");
      return;
    case "instructing":
      draft.emit({ kind: "transfer-by-document" });
      ringTarget(draft, detached);
      return;
    case "ringing":
      draft.emit({ kind: "transfer-by-document" });
      draft.go(detached);
  }
}

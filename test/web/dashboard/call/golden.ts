import { millisecondsOf } from "../../../../src/core/clocks.ts";
import { EventLister, type ListedEvent } from "../../../../src/record/events/event-list.ts";
import type { CallEvent, CallFacts } from "../../../../web/dashboard/pages/call/model/types.ts";
import { goldenJournal, recordsOf } from "../../../support/golden/journals.ts";

/** A recorded call as the page gets it: its events, and what it knows of the call itself. */
export interface GoldenCallData {
  readonly events: readonly CallEvent[];
  readonly facts: CallFacts;
}

/** The golden call `<line>/<name>`. */
export function goldenCall(name: string): GoldenCallData {
  const [first, ...records] = recordsOf(goldenJournal(name));
  if (first?.kind !== "header") throw new Error("the journal has no header");
  const { header } = first;
  const listed: ListedEvent[] = [];
  const lister = new EventLister(header, (event) => listed.push(event));
  let lastMs = 0;
  for (const record of records) {
    if (record.kind === "header") continue;
    lister.take(record);
    lastMs = millisecondsOf(record.timeMs);
  }
  const events = JSON.parse(JSON.stringify(listed)) as CallEvent[];
  const { spec, leg } = header;
  const end = events.findLast(({ kind }) => kind === "end");
  return {
    events,
    facts: {
      connectionType: (spec?.connectionType ?? "carrier_a") as CallFacts["connectionType"],
      configuration: {
        inactivityTimeout: (spec?.inactivityTimeoutMs ?? 30_000) / 1_000,
        firstSpeaker: spec?.firstSpeaker ?? "agent",
        websocket: { outputSampleRate: leg.outboundRateHz },
      },
      durationMs: Math.round(lastMs),
      endReason: end?.kind === "end" ? end.reason : null,
    },
  };
}

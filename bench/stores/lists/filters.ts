import { cursorOf } from "../../../src/api/http/responses/cursor.ts";
import { isoTime, systemClock } from "../../../src/core/clock.ts";
import { addMs, type EpochMs } from "../../../src/core/clocks.ts";
import type { AccountId, AgentId, CallId } from "../../../src/core/ids.ts";
import type { CallQuery } from "../../../src/store/calls/call-store.ts";
import { OWN_NUMBER, SHARED_CARRIER_CALL_ID } from "../../../test/support/stores/many-calls.ts";

// The filters of `GET /calls`, each alone and in the worst combinations for the calls of test/support/stores/many-calls.ts.

export type Filters = Omit<CallQuery, "afterCallId" | "limit">;

const DAY_MS = 86_400_000;
const daysAgo = (days: number): EpochMs => addMs(systemClock.epochMs(), -days * DAY_MS);

/** Agents have half of the calls, a quarter, and so on: the tenth has a hundred of 100,000, the last one none or one. */
export const filterCases = (agents: readonly AgentId[]): Readonly<Record<string, Filters>> => ({
  none: {},
  "status=created": { status: "created" },
  "status=active": { status: "active" },
  "status=ended": { status: "ended" },
  "status=expired": { status: "expired" },
  "status=failed": { status: "failed" },
  "connectionType of half": { connectionType: "carrier_a" },
  "connectionType of none": { connectionType: "webrtc" },
  "endReason of half": { endReason: "caller_hangup" },
  "endReason of 50": { endReason: "worker_lost" },
  "endReason of none": { endReason: "max_duration" },
  "endReason=token_expired": { endReason: "token_expired" },
  "agentId of half": { agentId: agents[0] },
  "agentId of 100": { agentId: agents[9] },
  "agentId of none": { agentId: agents.at(-1) },
  "carrierCallId of 1": { carrierCallId: "CA777" },
  "carrierCallId of thousands": { carrierCallId: SHARED_CARRIER_CALL_ID },
  "direction of a third": { direction: "outbound" },
  "from of 1": { from: "+15550000778" },
  "from of a third": { from: OWN_NUMBER },
  "to of none": { to: "+15559999999" },
  "from of a third, to of 1": { from: OWN_NUMBER, to: "+15550000777" },
  "from and direction that never meet": { from: OWN_NUMBER, direction: "inbound" },
  "to of half, endReason of 50": { to: OWN_NUMBER, endReason: "worker_lost" },
  "createdAfter yesterday": { createdFromMs: daysAgo(1) },
  "createdBefore all but a day": { createdBeforeMs: daysAgo(89) },
  "one day, long ago": { createdFromMs: daysAgo(89), createdBeforeMs: daysAgo(88) },
  "one month, long ago": { createdFromMs: daysAgo(89), createdBeforeMs: daysAgo(59) },
  "metadata of 1": { metadata: { order: "A-777" } },
  "metadata of 2,000": { metadata: { shop: "shop 7" } },
  "metadata of the 800 oldest": { metadata: { pilot: "true" } },
  "metadata of half": { metadata: { wing: "west" } },
  "metadata of none": { metadata: { nothing: "here" } },
  "two metadata that never meet, half each": { metadata: { wing: "west", east: "true" } },
  "two metadata that never meet, 2,000 and 20,000": { metadata: { shop: "shop 7", campaign: "3" } },
  "status and two metadata that never meet": { status: "ended", metadata: { wing: "west", east: "true" } },
  "carrierCallId of thousands, endReason of 50": { carrierCallId: SHARED_CARRIER_CALL_ID, endReason: "worker_lost" },
  "status and endReason that never meet": { status: "failed", endReason: "caller_hangup" },
  "one month, long ago, endReason of 50": {
    createdFromMs: daysAgo(89),
    createdBeforeMs: daysAgo(59),
    endReason: "worker_lost",
  },
  "everything at once": {
    status: "failed",
    endReason: "provider_error",
    connectionType: "carrier_b",
    agentId: agents[0],
    createdBeforeMs: daysAgo(1),
    metadata: { wing: "west", east: "true" },
  },
});

/** The path of a page after the call `after`, or of the first page. */
export function pathOf(accountId: AccountId, filters: Filters, limit: number, after?: CallId): string {
  const { createdFromMs, createdBeforeMs, metadata = {}, ...same } = filters;
  const parameters = {
    ...same,
    limit: String(limit),
    createdAfter: createdFromMs === undefined ? undefined : isoTime(createdFromMs),
    createdBefore: createdBeforeMs === undefined ? undefined : isoTime(createdBeforeMs),
    ...Object.fromEntries(Object.entries(metadata).map(([key, text]) => [`metadata[${key}]`, text])),
    cursor: after && cursorOf(after, ["calls", accountId, filters]),
  };
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/api/v1/calls?${new URLSearchParams(given)}`;
}

import { isoTime } from "../../../core/clock.ts";
import type { EpochMs } from "../../../core/clocks.ts";
import type { CallRecord } from "../../calls/call-store.ts";

type Facts = Pick<
  CallRecord,
  "id" | "agentId" | "agentVersion" | "status" | "createdAtMs" | "startedAtMs" | "endedAtMs" | "endReason"
> & {
  settings: Pick<CallRecord["settings"], "connectionType" | "metadata">;
};

/** The `data` of an event about a call that is not over: some members of its document in the API. */
export const callData = (call: Facts): object => ({
  call: {
    id: call.id,
    agentId: call.agentId ?? null,
    agentVersion: call.agentVersion ?? null,
    status: call.status,
    connectionType: call.settings.connectionType,
    createdAt: isoTime(call.createdAtMs),
    startedAt: timeOrNull(call.startedAtMs),
    endedAt: timeOrNull(call.endedAtMs),
    endReason: call.endReason ?? null,
    metadata: call.settings.metadata ?? null,
  },
});

const timeOrNull = (time: EpochMs | undefined): string | null => (time === undefined ? null : isoTime(time));

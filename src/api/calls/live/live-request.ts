import type { FastifyRequest } from "fastify";
import type { LiveOutcome, LiveRequest } from "../../../core/calls/live-requests.ts";
import type { CallId, WorkerId } from "../../../core/ids.ts";
import type { CallStore } from "../../../store/calls/call-store.ts";
import { ApiError, type ErrorCode, notFound } from "../../http/errors.ts";
import { type HeldSince, itemOf } from "../item.ts";

export interface LiveRequestDeps {
  calls: Pick<CallStore, "get" | "workerOf">;
  /** Since when the caller of a live call is on hold. */
  heldSince: HeldSince;
  /** Asks a worker something of one of its calls; undefined where the worker does not answer. */
  requestLive: (workerId: WorkerId, callId: CallId, request: LiveRequest) => Promise<LiveOutcome | undefined>;
}

/** What a refused request gets: a code, and what would be right. */
const REFUSALS: Readonly<Record<Exclude<LiveOutcome, "done">, readonly [code: ErrorCode, message: string]>> = {
  not_live: ["conflict", "the call is not live: this is possible from the start of its media stream to its end"],
  ending: ["conflict", "the agent says goodbye, and the call ends: it can no longer be put on hold"],
  transferring: ["conflict", "the caller is being transferred: wait until the caller is back with the agent"],
  on_hold: ["already_on_hold", "the caller is on hold already: POST /calls/{id}/resume ends the hold"],
  not_on_hold: ["not_on_hold", "the caller is not on hold: POST /calls/{id}/hold begins one"],
  not_recorded: ["conflict", "neither audio nor words of the call are stored: there is no recording to pause"],
  recording_paused: ["recording_paused", "the recording is paused: POST /calls/{id}/recording/resume resumes it"],
  recording_not_paused: [
    "recording_not_paused",
    "the recording is not paused: POST /calls/{id}/recording/pause pauses it",
  ],
};

/** Asks something of a live call, and answers with its record. Throws ApiError where its worker refuses. */
export async function answerLiveRequest(
  { calls, requestLive, heldSince }: LiveRequestDeps,
  { accountId }: FastifyRequest,
  callId: CallId,
  wanted: LiveRequest,
) {
  const call = await calls.get(accountId, callId);
  if (call === undefined) throw notFound("call");
  const workerId = await calls.workerOf(accountId, callId);
  const outcome = workerId === undefined ? "not_live" : await requestLive(workerId, callId, wanted);
  if (outcome === undefined) throw new ApiError("unavailable", "the worker of the call is not responding at present");
  if (outcome === "done") return itemOf(call, heldSince(callId));
  const [code, message] = REFUSALS[outcome];
  throw new ApiError(code, message);
}

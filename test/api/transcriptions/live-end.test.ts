import { expect, test } from "vitest";
import { LiveEnds } from "../../../src/api/transcriptions/live-end.ts";
import { asAccountId, asCallId, asTranscriptionId, asWorkerId, type CallId } from "../../../src/core/ids.ts";
import { LIVE_END_LOOKED_MS, LIVE_END_MS_MAX } from "../../../src/core/limits/transcriptions/transcriptions.ts";
import type { Cancellation } from "../../../src/store/calls/call-store.ts";
import type { Transcription } from "../../../src/store/transcription-store.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";

const [ACCOUNT, ID] = [asAccountId("account_1"), asTranscriptionId("transcription_1")];

/** A live transcription at another node, whose end this process learns from the store alone. */
function elsewhere() {
  const clock = new ManualClock();
  const removed: CallId[] = [];
  let endedAtMs: number | undefined;
  const ended = () => (endedAtMs === undefined ? {} : { endedAtMs });
  const ends = new LiveEnds({
    calls: {
      cancel: async () =>
        ({
          call: { id: asCallId(ID), accountId: ACCOUNT, ...ended() },
          ...(endedAtMs === undefined && { workerId: asWorkerId("worker-1") }),
        }) as unknown as Cancellation,
      remove: async (_, callId) => {
        removed.push(callId);
        return true;
      },
    },
    transcriptions: { onOver: () => {}, get: async () => ended() as unknown as Transcription },
    endCall: async () => true,
    removeFiles: async () => {},
    clock,
  });
  return {
    ...{ ends, clock, removed },
    end: () => {
      endedAtMs = 1;
    },
  };
}

test("a live transcription of another node is removed soon after the store has its end", async () => {
  const { ends, clock, removed, end } = elsewhere();
  const removing = ends.remove(ACCOUNT, ID);
  await settled();
  clock.advance(LIVE_END_LOOKED_MS);
  await settled();
  expect(removed).toEqual([]);
  end();
  clock.advance(LIVE_END_LOOKED_MS);
  await removing;
  expect(removed).toEqual([ID]);
});

test("one that does not end in time is a conflict, and the store is not asked for it any more", async () => {
  const { ends, clock, removed } = elsewhere();
  const removing = expect(ends.remove(ACCOUNT, ID)).rejects.toMatchObject({ code: "conflict" });
  await settled();
  clock.advance(LIVE_END_MS_MAX);
  await removing;
  await settled();
  expect([removed, clock.pending]).toEqual([[], 0]);
});

import { describe, expect, test } from "vitest";
import { addMs, epochMs, millisecondsOf } from "../../src/core/clocks.ts";
import { asCallId, asCarrierId } from "../../src/core/ids.ts";
import {
  REFUSAL_MS_MAX,
  RETURN_TRIES_MAX,
  RING_MARGIN_MS,
  STREAM_END_MS,
  STREAM_END_MS_MAX,
  TRANSFER_RING_MS_MAX,
} from "../../src/core/limits/phone/phone-calls.ts";
import type { CarrierCommand } from "../../src/telephony/machine/commands.ts";
import type { PhoneCallEvent } from "../../src/telephony/machine/events.ts";
import {
  dueMs,
  inboundCall,
  type NewCallOptions,
  outboundCall,
  type Phase,
  type PhoneCallState,
} from "../../src/telephony/machine/state.ts";
import { step } from "../../src/telephony/machine/step.ts";
import { jobOf, storedStepOf } from "../../src/telephony/stored-step.ts";

// Orders of events that one carrier alone has. The simulation has the others: test/sim/telephony.

const NOW = epochMs(1_800_000_000_000);
const CALL = "CA1";
const TRANSFER = { number: 1, target: "+12025550144" };

const withDocuments = { takesDocuments: true, ringMsMax: 30_000 };
const byRest = { takesDocuments: false, ringMsMax: 30_000 };
const at = (state: PhoneCallState, phase: Phase): PhoneCallState => ({ ...state, phase, carrierCallId: CALL });
const ringing = (state: PhoneCallState): PhoneCallState => at(state, { at: "ringing", untilMs: addMs(NOW, 50_000) });
const transferring = (state: PhoneCallState): PhoneCallState =>
  at(
    { ...state, isAnswered: true, hasSlot: true, transfers: 1 },
    { at: "transferring", stage: "ringing", transfer: TRANSFER, isDetached: true, untilMs: addMs(NOW, 50_000) },
  );
const answered = (options: NewCallOptions): PhoneCallState =>
  at({ ...outboundCall(options, NOW), isAnswered: true, connects: 1 }, { at: "answered", untilMs: addMs(NOW, 23_000) });
const kindsAfter = (state: PhoneCallState, event: PhoneCallEvent, nowMs = NOW): string[] =>
  step(state, event, nowMs).commands.map(({ kind }) => kind);

test("an answer that is reported before the document is asked for connects no second stream", () => {
  const call = ringing(outboundCall(withDocuments, NOW));
  const report = { kind: "answered", carrierCallId: CALL, awaitsInstruction: false } as const;
  const reported = step(call, { kind: "notice", notice: report }, NOW);
  expect([reported.commands, reported.state.phase.at]).toEqual([[], "ringing"]);
  const asked = step(reported.state, { kind: "notice", notice: { ...report, awaitsInstruction: true } }, NOW);
  expect(asked.commands).toEqual([{ kind: "connect", by: "document", connect: 1 }]);
});

test("an inbound call that the carrier answers first gets its stream then, with the token that it has", () => {
  const granted = step(inboundCall(byRest, CALL, NOW), { kind: "slot-granted" }, NOW);
  expect(granted.commands).toMatchObject([{ kind: "connect", by: "rest", connect: 1, isAnswered: false }]);
  const answered = { kind: "answered", carrierCallId: CALL, awaitsInstruction: false } as const;
  const { commands, state } = step(granted.state, { kind: "notice", notice: answered }, NOW);
  expect(commands).toEqual([{ kind: "connect", by: "rest", connect: 1, isAnswered: true }]);
  expect(state.connects).toBe(1);
});

test("a deadline does not cut a caller who may speak with the target of a transfer", () => {
  const call = transferring(outboundCall(withDocuments, NOW));
  const late = addMs(NOW, 60_000);
  expect(kindsAfter(call, { kind: "tick" }, late)).toEqual(["inform"]);
  const left = step(call, { kind: "record-ended", reason: "worker_lost" }, NOW).state;
  const { commands, state } = step(left, { kind: "tick" }, late);
  expect(commands.map(({ kind }) => kind)).not.toContain("refuse");
  expect(state.phase).toMatchObject({ at: "over", isBridged: true });
});

test("a call that the API ends while the target rings is hung up", () => {
  const call = transferring(outboundCall(withDocuments, NOW));
  expect(kindsAfter(call, { kind: "record-ended", reason: "api_hangup" })).toContain("hang-up");
});

test.each([
  [byRest, "returning"],
  [withDocuments, "ending"],
] as const)("with %j a target's leg that completes unreported leaves the call %s", (options, phase) => {
  const notice = { kind: "transfer", carrierCallId: CALL, outcome: "completed" } as const;
  const { state } = step(transferring(outboundCall(options, NOW)), { kind: "notice", notice, transfer: 1 }, NOW);
  expect(state.phase.at).toBe(phase);
});

const updatesOf = ({ commands }: ReturnType<typeof step>): string[] =>
  commands.flatMap((command) => (command.kind === "inform" ? [command.update.kind] : []));
/** The carrier is asked for a transfer, and has not ended the stream. */
const instructing = (options: Parameters<typeof outboundCall>[0]): PhoneCallState => {
  const phase = { at: "transferring", stage: "instructing", transfer: TRANSFER, isDetached: false } as const;
  const call = { ...outboundCall(options, NOW), transfers: 1, isAnswered: true };
  return at(call, { ...phase, untilMs: addMs(NOW, 30_000) });
};
const ACCEPTED = { kind: "transfer-answered", transfer: 1, answer: { kind: "done", value: undefined } } as const;
const UNCERTAIN = { kind: "transfer-answered", transfer: 1, answer: { kind: "uncertain", status: 0 } } as const;
const endsStream = { ...withDocuments, waitsForStreamEnd: true };

test.each([
  [endsStream, ACCEPTED, ["end-leg"], "transferring"],
  [endsStream, UNCERTAIN, ["transfer-failed"], "live"],
  [withDocuments, ACCEPTED, [], "transferring"],
  [withDocuments, UNCERTAIN, [], "transferring"],
] as const)("with %j the answer %j leads to %j and leaves the call %s: without an accepted transfer the end of the stream would end the call", (options, answered, updates, phase) => {
  const answer = step(instructing(options), answered, NOW);
  expect([updatesOf(answer), answer.state.phase.at]).toEqual([updates, phase]);
});

test("a transfer whose answer is uncertain goes on where the carrier has ended the stream all the same", () => {
  const lost = step(instructing(endsStream), { kind: "media-lost" }, NOW).state;
  const answer = step(lost, UNCERTAIN, NOW);
  expect([updatesOf(answer), answer.state.phase]).toMatchObject([[], { at: "transferring", stage: "ringing" }]);
});

test("the worker is asked to end the stream of an accepted transfer until that is gone, and the target has its time from then on", () => {
  let call = step(instructing(endsStream), ACCEPTED, NOW).state;
  let nowMs = NOW;
  for (let asked = 0; asked < 3; asked += 1) {
    nowMs = dueMs(call) ?? NOW;
    const again = step(call, { kind: "tick" }, nowMs);
    expect(updatesOf(again)).toEqual(["end-leg"]);
    call = again.state;
  }
  expect(millisecondsOf(nowMs) - millisecondsOf(NOW)).toBe(3 * STREAM_END_MS);
  const gone = step(call, { kind: "media-lost" }, nowMs).state;
  expect(dueMs(gone)).toEqual(addMs(nowMs, TRANSFER_RING_MS_MAX + RING_MARGIN_MS));
  expect(step(gone, { kind: "tick" }, addMs(nowMs, STREAM_END_MS)).commands).toEqual([]);
});

test("an agent whose stream nothing ends goes on", () => {
  const call = step(instructing(endsStream), ACCEPTED, NOW).state;
  const late = step(call, { kind: "tick" }, addMs(NOW, STREAM_END_MS_MAX));
  expect([updatesOf(late), late.state.phase.at]).toEqual([["transfer-failed"], "live"]);
});

test("a call that its carrier takes late and rings late is not cut while the carrier rings it; a repeated report changes nothing", () => {
  const notice = (kind: "initiated" | "ringing", ms: number) =>
    [{ kind: "notice", notice: { kind, carrierCallId: CALL } }, addMs(NOW, ms)] as const;
  const untilOf = (state: PhoneCallState) => millisecondsOf(dueMs(state) ?? NOW) - millisecondsOf(NOW);
  const dialling = at(outboundCall(withDocuments, NOW), { at: "dialling", sinceMs: NOW, attempt: 1, untilMs: NOW });
  const answer = { kind: "done", value: { carrierCallId: CALL } } as const;
  const placed = step(dialling, { kind: "dial-answered", attempt: 1, answer }, NOW).state;
  expect(untilOf(placed)).toBe(60_000 + 30_000 + 20_000);
  const initiated = step(placed, ...notice("initiated", 55_000)).state;
  expect(untilOf(initiated)).toBe(55_000 + 50_000);
  expect(step(initiated, ...notice("initiated", 90_000)).state).toEqual(initiated);
  const ringing = step(initiated, ...notice("ringing", 100_000)).state;
  expect(untilOf(ringing)).toBe(100_000 + 50_000);
  expect(step(ringing, ...notice("ringing", 140_000)).state).toEqual(ringing);
  expect(step(ringing, { kind: "tick" }, addMs(NOW, 150_000)).state.phase.at).toBe("over");
});

test("a caller who cannot be given back to the agent hears why to the end, before the call is hung up", () => {
  const call = at(outboundCall(byRest, NOW), {
    at: "returning",
    transfer: TRANSFER,
    tries: RETURN_TRIES_MAX,
    untilMs: NOW,
  });
  const failed = step(call, { kind: "tick" }, NOW);
  expect(failed.commands).toContainEqual({ kind: "refuse", by: "rest", isAnswered: true });
  const ended = step(failed.state, { kind: "record-ended", reason: "connection_lost" }, addMs(NOW, 50));
  const hangsUp = ({ commands }: typeof ended) => commands.some(({ kind }) => kind === "hang-up");
  expect([hangsUp(failed), hangsUp(ended)]).toEqual([false, false]);
  expect(hangsUp(step(ended.state, { kind: "tick" }, addMs(NOW, 50 + REFUSAL_MS_MAX)))).toBe(true);
});

test("a stream that the carrier could not connect is connected again by a carrier that keeps the caller, three times in all", () => {
  const failed = (connect: number): PhoneCallEvent => ({
    kind: "notice",
    notice: { kind: "stream", carrierCallId: CALL, state: "failed", connect },
  });
  let call = answered(byRest);
  for (const connect of [2, 3]) {
    const { state, commands } = step(call, failed(connect - 1), NOW);
    expect(commands).toEqual([{ kind: "connect", by: "rest", connect, isAnswered: true }]);
    expect(kindsAfter(state, failed(connect - 1)), "the report came twice").toEqual([]);
    call = state;
  }
  expect(kindsAfter(call, failed(3))).toContain("refuse");
});

describe("a carrier with documents that asks what follows a stream", () => {
  const over = (connect: number, hasConnected = false): PhoneCallEvent => ({
    kind: "stream-over",
    connect,
    hasConnected,
  });
  const document = (connect: number) => ({ kind: "connect", by: "document", connect });

  test("gets the first stream again, three times in all, and the same one where it asks twice", () => {
    let call = answered(withDocuments);
    for (const connect of [2, 3]) {
      const { state, commands } = step(call, over(connect - 1), NOW);
      expect(commands).toEqual([document(connect)]);
      expect(kindsAfter(state, over(connect - 1))).toEqual(["repeat-connect"]);
      call = state;
    }
    const refused = step(call, over(3), NOW);
    expect(refused.commands).toContainEqual({ kind: "refuse", by: "document" });
    expect(refused.commands).toContainEqual({ kind: "end-record", reason: "token_expired" });
    expect(step(refused.state, over(3), NOW).commands).toEqual([{ kind: "refuse", by: "document" }]);
  });

  test("is not asked by a report of the same failure as well", () => {
    const notice = { kind: "stream", carrierCallId: CALL, state: "failed" } as const;
    expect(kindsAfter(answered(withDocuments), { kind: "notice", notice })).toEqual([]);
  });

  test("gets the stream of the return again, and then the last refusal", () => {
    const returning = (tries: number): PhoneCallState =>
      at(
        { ...outboundCall(withDocuments, NOW), isAnswered: true, connects: 2, transfers: 1 },
        { at: "returning", transfer: TRANSFER, tries, untilMs: addMs(NOW, 20_000) },
      );
    const again = step(returning(1), over(2), NOW);
    expect(again.commands).toEqual([document(3)]);
    expect(again.state.phase).toMatchObject({ at: "returning", tries: 2 });
    const last = step(returning(RETURN_TRIES_MAX), over(2), NOW);
    expect(last.commands).toContainEqual({ kind: "refuse", by: "document" });
    expect(last.state.phase).toMatchObject({ at: "ending", reason: "connection_lost", isRefused: true });
  });

  test.each([
    ["announcing", [expect.objectContaining({ kind: "inform" }), document(1)], "returning"],
    ["instructing", [{ kind: "transfer-by-document" }], "transferring"],
    ["ringing", [{ kind: "transfer-by-document" }], "transferring"],
  ] as const)("while a transfer is %s goes on with the transfer, or without one with the agent", (stage, commands, phase) => {
    const detached = transferring(outboundCall(withDocuments, NOW));
    const call = at(detached, { ...detached.phase, stage, isDetached: false } as Phase);
    const result = step(call, over(0), NOW);
    expect(result.commands).toEqual(commands);
    expect(result.state.phase.at).toBe(phase);
  });

  test("hangs up where the agent has, whether that is known already or not", () => {
    const live = at(answered(withDocuments), { at: "live", untilMs: addMs(NOW, 60_000) });
    const hungUp = step(live, { kind: "hang-up-requested", reason: "agent_hangup" }, NOW).state;
    const ended = step(hungUp, { kind: "record-ended", reason: "agent_hangup" }, NOW).state;
    for (const call of [live, hungUp, ended]) {
      expect(kindsAfter(call, over(1, true))).toEqual(["hang-up-by-document"]);
    }
    expect(kindsAfter(answered(withDocuments), over(1, true))).toEqual(["hang-up-by-document"]);
  });
});

test("a report of an earlier stream costs a caller who comes back no try", () => {
  const failed = (connect: number): PhoneCallEvent => ({
    kind: "notice",
    notice: { kind: "stream", carrierCallId: CALL, state: "failed", connect },
  });
  const returning = { at: "returning", transfer: TRANSFER, tries: 1, untilMs: addMs(NOW, 23_000) } as const;
  const call = at({ ...outboundCall(byRest, NOW), isAnswered: true, connects: 2 }, returning);
  expect([kindsAfter(call, failed(1)), kindsAfter(call, failed(2))]).toEqual([[], ["connect"]]);
});

test("digits are stored as their count: they may be a PIN", () => {
  const call = at(outboundCall(byRest, NOW), { at: "live", untilMs: addMs(NOW, 60_000) });
  const event = { kind: "dtmf-requested", digits: "4711" } as const;
  const stored = storedStepOf(
    { callId: asCallId("call_1"), carrierId: asCarrierId("carrier_1") },
    call,
    event,
    step(call, event, NOW),
    NOW,
    undefined,
  );
  expect(stored.row).toMatchObject({ event: { digits: 4 }, commands: [{ kind: "send-dtmf", digits: 4 }] });
  expect(JSON.stringify(stored)).not.toContain("4711");
});

test("what is asked of a carrier has a lane of that carrier, so that one that hangs holds up no other; a hang-up names both", () => {
  const owner = { callId: asCallId("call_1"), carrierId: asCarrierId("carrier_1") };
  const call = at(outboundCall(byRest, NOW), { at: "live", untilMs: addMs(NOW, 60_000) });
  const event = { kind: "record-ended", reason: "agent_hangup" } as const;
  const { jobs, isOver } = storedStepOf(owner, call, event, step(call, event, NOW), NOW, undefined);
  const hangUp = { command: { kind: "hang-up", carrierCallId: CALL }, carrierId: "carrier_1" };
  expect(jobs).toMatchObject([{ lane: "carrier_1 hang-up", key: "hang-up carrier_1 call_1", payload: hangUp }]);
  expect(isOver).toBe(true);
});

test("neither hang-ups nor questions for prices, which are repeated for hours, hold up what people wait for, nor each other", () => {
  const owner = { callId: asCallId("call_1"), carrierId: asCarrierId("carrier_1") };
  const laneOf = (command: CarrierCommand) => jobOf(owner, command).lane;
  const waitedFor = [
    laneOf({ kind: "dial", attempt: 1 }),
    laneOf({ kind: "connect", by: "rest", connect: 1, isAnswered: true }),
    laneOf({ kind: "transfer", transfer: 1, target: TRANSFER.target }),
  ];
  expect(new Set(waitedFor)).toEqual(new Set(["carrier_1"]));
  const others = [laneOf({ kind: "hang-up", carrierCallId: CALL }), laneOf({ kind: "read-price", ask: 1 })];
  expect(new Set([...waitedFor, ...others]).size).toBe(3);
});

test("each step says whether the call is over, also where nothing of that has changed: an earlier version has not said it", () => {
  const owner = { callId: asCallId("call_1"), carrierId: asCarrierId("carrier_1") };
  const over = at(outboundCall(byRest, NOW), {
    at: "over",
    isBridged: false,
    sinceMs: NOW,
    priceAsks: 0,
    priceMs: NOW,
  });
  const event = { kind: "tick" } as const;
  expect(storedStepOf(owner, over, event, step(over, event, NOW), NOW, undefined).isOver).toBe(true);
});

import { describe, expect, test } from "vitest";
import { createPlivoWire } from "../../../src/carriers/plivo/wire.ts";
import type { MediaState, PhoneRequest, PhoneUpdate } from "../../../src/core/calls/phone-requests.ts";
import type { BuiltInTool } from "../../../src/core/calls/spec.ts";
import { RESUME_MS_MAX } from "../../../src/core/limits/streams/connections.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { readJournal } from "../../../src/record/journal/reader.ts";
import { compareJournal } from "../../../src/record/replay/comparison.ts";
import { type LegOptions, leg } from "../../callers/leg.ts";
import { STREAM_ID } from "../../callers/twilio-stream.ts";
import { digitsIn } from "../../support/audio/dtmf-decoder.ts";
import { samplesOf } from "../../support/audio/samples.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { type LlmStep, ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";

const TARGET = "+4312345";
const RETURN_MS_MAX = 40_000;
const TRANSFERRING: PhoneUpdate = { kind: "transferring", target: TARGET, returnMsMax: RETURN_MS_MAX };
const FAILED: PhoneUpdate = { kind: "transfer-failed", target: TARGET, outcome: "no_answer" };

/** The LLM says a sentence and uses the tool. */
const uses = (name: BuiltInTool, given: object): LlmStep[] => [
  ...textReply("One moment.").slice(0, -1),
  { afterMs: 0, event: { kind: "tool-call", id: "a", name, argumentsJson: JSON.stringify(given) } },
  { afterMs: 0, event: { kind: "end", inputTokens: 1, outputTokens: 1 } },
];
const TRANSFER = uses("transfer", { target: TARGET });

/** A telephone call of carrier_a whose caller asks for a person after two seconds. */
function onPhone({ first = TRANSFER, isConnected = true, ...options }: LegOptions & OnPhone = {}) {
  const clock = new ManualClock();
  const requests: PhoneRequest[] = [];
  const mediaStates: MediaState[] = [];
  const llm = new ScriptedLlm(clock, [first, textReply("That did not work.")]);
  const call = leg({
    shared: { clock, ticker: new Ticker(clock) },
    stt: new ScriptedStt(clock, [{ atMs: 2_000, event: { kind: "final", text: "a person please" } }]),
    llm,
    phone: {
      request: (request) => {
        requests.push(request);
        return isConnected;
      },
      mediaChanged: (state) => mediaStates.push(state),
    },
    ...options,
    spec: {
      greeting: "Hello.",
      phoneControl: true,
      tools: (["transfer", "send_dtmf"] as const).map((name) => ({ kind: "built_in", name, fixedArguments: {} })),
      ...options.spec,
    },
  });
  call.start();
  const resultOf = (): string | undefined => llm.requests[1]?.messages.findLast(({ role }) => role === "tool")?.text;
  return { ...call, requests, mediaStates, resultOf, replies: () => llm.requests.length };
}

interface OnPhone {
  first?: LlmStep[];
  /** Whether the control process can be reached; by default it can. */
  isConnected?: boolean;
}

/** The same when the control process has been asked for the transfer, and has informed the call that the carrier rings. */
async function transferring() {
  const call = onPhone();
  await call.listen(6_000);
  call.connection.phoneUpdate(TRANSFERRING);
  await call.listen(500);
  return call;
}

/** The audio of a message to the carrier. */
function audioOf(text: string): Buffer[] {
  const { event, media } = JSON.parse(text) as { event: string; media?: { payload: string } };
  return event === "media" ? [Buffer.from(media?.payload ?? "", "base64")] : [];
}

const hasAudio = (socket: { events: string[] }): boolean => socket.events.includes("media");

describe("a telephone call whose agent transfers the caller", () => {
  test("asks the control process for it when the agent has been heard, and goes on", async () => {
    const call = onPhone();
    await call.listen(8_000);
    expect(call.requests).toEqual([{ kind: "transfer", target: TARGET }]);
    expect([call.ends(), call.mediaStates]).toEqual([[], ["attached"]]);
  });

  test("goes on without the transfer where the control process is not connected", async () => {
    const call = onPhone({ isConnected: false });
    await call.listen(8_000);
    expect(call.resultOf()).toContain("cannot be reached");
    expect(call.ends()).toEqual([]);
  });

  test("goes on without the transfer that the control process refuses", async () => {
    const call = onPhone();
    await call.listen(6_000);
    call.connection.phoneUpdate({ kind: "refused", request: "transfer", reason: "This number is not called." });
    await call.listen(1_000);
    expect(call.resultOf()).toContain("This number is not called.");
    call.connection.phoneUpdate({ kind: "refused", request: "send_dtmf", reason: "There is no line." });
    await call.listen(1_000);
    expect([call.replies(), call.ends()]).toEqual([2, []]);
  });

  test("ends with its leg before the carrier rings, and nothing changes that", async () => {
    const call = onPhone();
    await call.listen(6_000);
    call.connection.closed(1_006, false);
    call.connection.phoneUpdate(TRANSFERRING);
    expect(call.ends()).toMatchObject([{ reason: "caller_hangup", detachments: 0 }]);
  });

  test.each<[string, (call: Awaited<ReturnType<typeof transferring>>) => void]>([
    ["stops the stream", (call) => call.json({ event: "stop", streamSid: STREAM_ID, stop: {} })],
    ["closes it", (call) => call.connection.closed(1_000, false)],
    ["loses it", (call) => call.connection.closed(1_006, false)],
  ])("outlives its leg while the carrier rings: %s", async (_, lose) => {
    const call = await transferring();
    lose(call);
    expect(call.mediaStates).toEqual(["attached", "lost"]);
    await call.clock.play(RETURN_MS_MAX - 1_000);
    expect(call.ends()).toEqual([]);
    await call.clock.play(1_000);
    expect(call.ends()).toMatchObject([{ reason: "caller_hangup", detachments: 1 }]);
  });

  test("has its agent speak on the next leg when the transfer has failed, in a stream of its own", async () => {
    const call = await transferring();
    call.connection.closed(1_006, false);
    await call.clock.play(20_000);
    call.connection.phoneUpdate(FAILED);
    await call.clock.play(1_000);
    expect(call.replies()).toBe(1);
    const socket = call.reconnect();
    call.start();
    await call.listen(3_000);
    expect(hasAudio(socket)).toBe(true);
    expect(call.resultOf()).toContain("there was no answer");
    expect(call.mediaStates).toEqual(["attached", "lost", "attached"]);
    // The caller hangs up on the next leg as ever.
    call.connection.closed(1_000, false);
    expect(call.ends()).toMatchObject([{ reason: "caller_hangup" }]);
    while (call.done() === 0) await call.clock.play(20);
    const legs: number[] = [];
    await readJournal(call.journalPath, (record) => {
      if (record.kind === "attached") legs.push(record.attachment);
    });
    expect(legs).toEqual([1, 2]);
  });

  test("ends when the next leg does not come in time after a failure, or does not start", async () => {
    for (const comes of [false, true]) {
      const call = await transferring();
      call.connection.closed(1_006, false);
      call.connection.phoneUpdate(FAILED);
      await call.clock.play(RETURN_MS_MAX - 1_000);
      if (comes) call.reconnect();
      expect(call.ends()).toEqual([]);
      await call.clock.play(1_000);
      expect(call.ends()).toMatchObject([{ reason: "caller_hangup" }]);
    }
  });

  test("outlives its leg for RESUME_MS_MAX after a failure, and no longer", async () => {
    const early = await transferring();
    early.connection.phoneUpdate(FAILED);
    await early.listen(200);
    early.connection.closed(1_006, false);
    const socket = early.reconnect();
    early.start();
    await early.listen(3_000);
    expect([hasAudio(socket), early.replies(), early.ends()]).toEqual([true, 2, []]);

    const late = await transferring();
    late.connection.phoneUpdate(FAILED);
    await late.listen(RESUME_MS_MAX + 100);
    late.connection.closed(1_006, false);
    expect(late.ends()).toMatchObject([{ reason: "caller_hangup", detachments: 0 }]);
  });

  test("may fail to be transferred twice", async () => {
    const call = await transferring();
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      call.connection.closed(1_006, false);
      call.connection.phoneUpdate(FAILED);
      call.reconnect();
      call.start();
      await call.listen(4_000);
      expect([call.replies(), call.ends()]).toEqual([1 + attempt, []]);
      call.connection.phoneUpdate(TRANSFERRING);
    }
  });

  test("whose leg stays: the agent speaks again when nothing is known of the transfer in time", async () => {
    const call = await transferring();
    await call.listen(RETURN_MS_MAX - 1_000);
    expect(call.replies()).toBe(1);
    await call.listen(2_000);
    expect(call.replies()).toBe(2);
    expect(call.resultOf()).toContain("could not be made");
  });

  test.each(["transferred", "api_hangup"] as const)("ends with %s when the control process says so", async (reason) => {
    for (const end of ["request", "update"]) {
      const call = await transferring();
      call.connection.closed(1_006, false);
      await call.clock.play(1_000);
      if (end === "request") call.connection.end(reason);
      else call.connection.phoneUpdate({ kind: "end", reason });
      expect(call.ends()).toMatchObject([{ reason }]);
    }
  });

  test("ends when its carrier breaks the protocol meanwhile, and at its maximum duration", async () => {
    const broken = await transferring();
    broken.connection.closed(1_006, true);
    expect(broken.ends()).toMatchObject([{ reason: "protocol_error" }]);

    const long = onPhone({ spec: { maxDurationMs: 20_000 } });
    await long.listen(6_000);
    long.connection.phoneUpdate(TRANSFERRING);
    long.connection.closed(1_006, false);
    await long.clock.play(20_000);
    expect(long.ends()).toMatchObject([{ reason: "max_duration" }]);
  });
});

describe("digits that the agent sends", () => {
  const DIGITS = uses("send_dtmf", { digits: "12#" });

  const heardBy = (call: ReturnType<typeof onPhone>): string =>
    digitsIn(samplesOf("mulaw", Buffer.concat(call.socket.sent.flatMap(audioOf))), 8_000);

  test("go to the control process where the stream has no message for them, and the carrier a request", async () => {
    const call = onPhone({ first: DIGITS });
    await call.listen(5_000);
    expect(call.requests).toEqual([{ kind: "send_dtmf", digits: "12#" }]);
    expect(heardBy(call)).toBe("");
  });

  test("are tones in its audio where neither takes them; the journal has them, and can be replayed", async () => {
    const call = onPhone({ first: DIGITS, spec: { dtmfInBand: true } });
    await call.listen(8_000);
    expect([call.requests, call.ends()]).toEqual([[], []]);
    expect(heardBy(call)).toBe("12#");
    expect(call.resultOf()).toBe("The keys are pressed.");
    call.connection.closed(1_000, false);
    while (call.done() === 0) await call.clock.play(20);
    const sent: Buffer[] = [];
    await readJournal(call.journalPath, (record) => {
      if (record.kind === "frame-out") sent.push(Buffer.from(record.audio));
    });
    expect(digitsIn(samplesOf("mulaw", Buffer.concat(sent)), 8_000)).toBe("12#");
    expect((await compareJournal(call.journalPath)).difference).toBeUndefined();
  });

  test("are tones when the API sends them and the control process asks for it, also on hold and over a reply", async () => {
    const call = onPhone({ spec: { dtmfInBand: true } });
    await call.listen(400);
    call.connection.phoneUpdate({ kind: "send-dtmf", digits: "7" });
    await call.listen(1_000);
    expect(heardBy(call)).toBe("7");
    call.connection.hold({ kind: "hold", msMax: 20_000 });
    await call.listen(500);
    call.connection.phoneUpdate({ kind: "send-dtmf", digits: "89" });
    await call.listen(1_500);
    expect(heardBy(call)).toBe("789");
  });

  test("beyond those that may wait are not sent, and counted", async () => {
    const call = onPhone({ spec: { dtmfInBand: true } });
    await call.listen(1_000);
    const many = { kind: "send-dtmf", digits: "1".repeat(64) } as const;
    const taken = [1, 2, 3].map(() => call.connection.phoneUpdate(many));
    call.connection.closed(1_000, false);
    expect([taken, call.ends()]).toMatchObject([[true, true, false], [{ dtmfRefused: 64 }]]);
  });

  test("are refused while the call has no leg, and those that waited when it was lost are counted", async () => {
    const call = onPhone({ spec: { dtmfInBand: true } });
    await call.listen(1_000);
    call.connection.phoneUpdate(TRANSFERRING);
    const waiting = call.connection.phoneUpdate({ kind: "send-dtmf", digits: "1234" });
    call.connection.phoneUpdate({ kind: "end-leg" });
    const late = call.connection.phoneUpdate({ kind: "send-dtmf", digits: "56" });
    expect([waiting, late]).toEqual([true, false]);
    call.connection.phoneUpdate({ kind: "end", reason: "transferred" });
    expect(call.ends()).toMatchObject([{ dtmfRefused: 6 }]);
  });

  test("are a message of the stream where it has one", async () => {
    const call = onPhone({ first: DIGITS, wire: createPlivoWire() });
    const mediaFormat = { encoding: "audio/x-mulaw", sampleRate: 8_000 };
    const start = { callId: "CA0", streamId: "ST0", accountId: "MA0", tracks: ["inbound"], mediaFormat };
    call.json({ event: "start", sequenceNumber: 1, start });
    await call.clock.play(5_000);
    expect([call.requests, call.socket.events.includes("sendDTMF")]).toEqual([[], true]);
  });
});

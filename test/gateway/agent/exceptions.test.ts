import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../../src/call/events.ts";
import { ENGLISH } from "../../../src/core/phrases/phrases.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { projectJournal } from "../../../src/record/finalization/projection.ts";
import { compareJournal } from "../../../src/record/replay/comparison.ts";
import type { Llm, Stt, Tts } from "../../../src/speech/contracts.ts";
import { FallbackLlm } from "../../../src/speech/llm/fallback.ts";
import { meteredLlm } from "../../../src/speech/llm/metered-llm.ts";
import { refusalFrom } from "../../../src/speech/resilience/provider-error.ts";
import type { WireEvent } from "../../../src/wire/wire.ts";
import { type LegOptions, leg } from "../../callers/leg.ts";
import { STREAM_ID } from "../../callers/twilio-stream.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";
import { ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";
import { ScriptedTts } from "../../support/providers/scripted-tts.ts";
import { NO_LLM_REQUESTS } from "../../support/stubs/no-limits.ts";

type Leg = ReturnType<typeof leg>;
type Stages = Pick<LegOptions, "stt" | "llm" | "tts">;

const planted = (): never => {
  throw new Error("planted");
};

/** The input of a whole conversation: unless it ends early, every kind of event occurs in it. */
async function converse(call: Leg): Promise<void> {
  call.start();
  for (let atMs = 0; atMs < 6_000; atMs += 20) {
    await call.clock.play(20);
    call.media();
    if (atMs === 1_000)
      call.json({ event: "dtmf", streamSid: STREAM_ID, dtmf: { track: "inbound_track", digit: "5" } });
    for (const text of call.socket.sent.splice(0)) if (text.includes('"mark"')) call.text(text);
  }
}

/** The client never answers, so this tool times out. */
const LOOKUP = {
  kind: "client",
  name: "lookup",
  description: "",
  parameters: { type: "object" },
  timeoutMs: 1_000,
  fixedArguments: {},
} as const;

const TOO_LONG = refusalFrom(400, "", true);

/** Two LLMs, the second as a fallback, and neither replies: each refuses the prompt as too long. */
function failingLlms(clock: ManualClock): Llm {
  const failing = new ScriptedLlm(clock, [[{ afterMs: 0, event: { kind: "fail", cause: TOO_LONG } }]]);
  const chained = ["first", "second"].map((name) => ({
    llm: failing,
    circuitBreaker: breakerFor("llm", name, clock).circuitBreaker,
  }));
  return new FallbackLlm(chained, clock);
}

/** The caller asks, the LLM replies with a tool call, and everything is spoken; or one of the stages `fails`. */
function stages(clock: ManualClock, fails?: "stt" | "llm" | "tts"): Required<Stages> {
  const asking: ConstructorParameters<typeof ScriptedStt>[1] = [
    { atMs: 2_000, event: { kind: "interim", text: "are you open" } },
    { atMs: 2_200, event: { kind: "final", text: "are you open", language: "de" } },
    { atMs: 2_300, event: fails === "stt" ? { kind: "fail" } : { kind: "interim", text: "" } },
  ];
  const reply = textReply("We are.", { tool: LOOKUP.name });
  return {
    stt: new ScriptedStt(clock, asking),
    llm: fails === "llm" ? failingLlms(clock) : meteredLlm(new ScriptedLlm(clock, [reply])),
    tts: new ScriptedTts(clock, fails === "tts" ? { failing: { request: 0, afterChunks: 1 } } : {}),
  };
}

/** A call that is made to fail, and a long call in the same process that must not be affected. */
function twoCalls(options: (clock: ManualClock) => LegOptions): { broken: Leg; other: Leg } {
  const other = leg({ spec: { greeting: "a long greeting ".repeat(100) } });
  return { other, broken: leg({ shared: other, ...options(other.clock) }) };
}

async function expectUnharmed(other: Leg): Promise<void> {
  const before = other.socket.events.length;
  await other.clock.play(1_000);
  expect(other.socket.events.length - before).toBe(50);
  expect([other.ends(), other.logged.filter((line) => line.includes('"fault":"bug"'))]).toEqual([[], []]);
  other.connection.closed(1_006, false);
}

async function expectOneEnd(call: Leg, reason: string): Promise<void> {
  expect(call.ends()).toHaveLength(1);
  expect(call.ends()[0]).toMatchObject({ reason });
  // The end of its journal is on disk by then.
  while (call.done() === 0) await settled();
  expect(call.done()).toBe(1);
  const sent = call.socket.sent.length;
  await call.clock.play(1_000);
  expect(call.socket.sent.length).toBe(sent);
}

/** Callers of carriers do not type, and carriers do not report what they played; these events simulate both. */
const PECULIAR: Readonly<Record<string, WireEvent>> = {
  typed: { kind: "text", text: "typed" },
  cleared: { kind: "cleared", playedMs: 20 },
};

interface Provocation {
  fails?: "stt" | "llm" | "tts";
  cause?: (call: Leg) => void;
  isAbsent?: boolean;
}

/** It comes only with a pause in a person's voice, to a call that has corpora, may go on with another leg or can be transferred, over RTP, or to a transcription. */
const ABSENT = { isAbsent: true };

/** Every kind of event, and how to trigger those that the conversation does not contain. */
const EVENTS: Readonly<Record<CallEvent["kind"], Provocation>> = {
  "frame-in": {},
  "frame-out": {},
  tick: {},
  "leg-started": {},
  "leg-detached": ABSENT,
  "finalize-requested": ABSENT,
  "transfer-started": ABSENT,
  "transfer-failed": ABSENT,
  "transfer-refused": ABSENT,
  "dtmf-requested": { cause: (call) => call.connection.phoneUpdate({ kind: "send-dtmf", digits: "1" }) },
  "hold-requested": { cause: (call) => call.connection.hold({ kind: "hold", msMax: 5_000 }) },
  "recording-pause-requested": { cause: (call) => call.connection.changeRecording({ kind: "pause-recording" }) },
  "recording-resume-requested": {
    cause: (call) => {
      call.connection.changeRecording({ kind: "pause-recording" });
      call.connection.changeRecording({ kind: "resume-recording" });
    },
  },
  "resume-requested": {
    cause: (call) => {
      call.connection.hold({ kind: "hold", msMax: 5_000 });
      call.connection.hold({ kind: "resume" });
    },
  },
  "leg-closed": { cause: (call) => call.json({ event: "stop", streamSid: STREAM_ID, stop: {} }) },
  "internal-error": { cause: (call) => call.text("unreadable") },
  "end-requested": { cause: (call) => call.connection.end("api_hangup") },
  "goodbye-requested": { cause: (call) => call.connection.end("drain_timeout", "with a goodbye") },
  mark: {},
  dtmf: {},
  "voice-chosen": {},
  "phrases-chosen": {},
  "provider-switched": { fails: "llm" },
  "detector-changed": { cause: (call) => call.connection.detectorChanged("fvad2") },
  "context-exceeded": { fails: "llm" },
  usage: {},
  network: ABSENT,
  "limit-reached": {},
  passages: ABSENT,
  "retrieval-failed": ABSENT,
  pong: {},
  "tool-result": {},
  typed: { cause: (call) => call.text("typed") },
  cleared: { cause: (call) => call.text("cleared") },
  "stt-interim": {},
  "stt-final": {},
  prosody: ABSENT,
  "turn-model": ABSENT,
  "stt-failed": { fails: "stt" },
  "reply-text": {},
  "reply-tool-call": {},
  "reply-end": {},
  "reply-failed": { fails: "llm" },
  "segment-audio": {},
  "segment-end": {},
  "segment-failed": { fails: "tts" },
};

describe("K11: an exception ends only the call that it occurred in, with one end and one log line", () => {
  const events = Object.entries(EVENTS).filter(([, { isAbsent }]) => isAbsent !== true);
  test.each(events)("in the handling of %s", async (kind, { fails, cause = () => {} }) => {
    let struck = 0;
    const strike = (): never => {
      struck += 1;
      return planted();
    };
    const { broken, other } = twoCalls((clock) => ({
      ...stages(clock, fails),
      spec: { tools: [LOOKUP] },
      ...(kind === "limit-reached" && { spend: NO_LLM_REQUESTS }),
      ...(kind === "phrases-chosen" && {
        phrases: { find: async () => ({ origin: "file" as const, phrases: ENGLISH }) },
      }),
      tamper({ journal, wire }) {
        const { decode } = wire;
        wire.decode = (message, into) => {
          const text = Buffer.from(message).toString();
          return text === "unreadable" ? planted() : (PECULIAR[text] ?? decode.call(wire, message, into));
        };
        const { event } = journal;
        journal.event = (atMs, journaled) =>
          journaled.kind === kind ? strike() : event.call(journal, atMs, journaled);
        if (kind === "frame-in") journal.frameIn = strike;
        if (kind === "frame-out") journal.frameOut = strike;
      },
    }));
    other.start();
    await converse(broken);
    cause(broken);
    expect(struck).toBe(1);
    await expectOneEnd(broken, "worker_lost");
    expect(broken.socket.ended).toEqual({ code: 1_011, reason: "worker_lost" });
    expect(broken.logged.filter((line) => line.includes('"fault":"bug"'))).toHaveLength(1);
    await expectUnharmed(other);
  });

  const brokenStt = (clock: ManualClock, part: "open" | "write"): Stt => {
    const stt = stages(clock).stt;
    if (part === "open") return { provider: "broken", capabilities: stt.capabilities, open: planted };
    const open: Stt["open"] = (options, signal) => ({ ...stt.open(options, signal), write: planted });
    return { provider: "broken", capabilities: stt.capabilities, open };
  };
  const brokenLlm: Llm = { provider: "broken", reply: planted };
  const BROKEN_PARTS: Readonly<Record<string, (clock: ManualClock) => LegOptions>> = {
    "the VAD": () => ({ vad: { isSpeech: planted, destroy: () => {} } }),
    "the STT, when it is opened": (clock) => ({ stt: brokenStt(clock, "open") }),
    "the STT, when it gets audio": (clock) => ({ stt: brokenStt(clock, "write") }),
    "the LLM, when it gets a request": () => ({ llm: brokenLlm }),
    "the wire, when it reads": () => ({
      tamper: ({ wire }) => {
        const { decode } = wire;
        wire.decode = (message, into) =>
          Buffer.from(message).includes('"media"') ? planted() : decode.call(wire, message, into);
      },
    }),
    "the wire, when it writes audio": () => ({ tamper: ({ wire }) => Object.assign(wire, { encodeAudio: planted }) }),
    "the wire, when it writes a mark": () => ({ tamper: ({ wire }) => Object.assign(wire, { encodeMark: planted }) }),
    "the socket, when it sends": () => ({ tamper: ({ socket }) => Object.assign(socket, { send: planted }) }),
    "the journal of commands": () => ({ tamper: ({ journal }) => Object.assign(journal, { command: planted }) }),
    "the metrics of answers": () => ({ tamper: ({ metrics }) => Object.assign(metrics, { turnAnswered: planted }) }),
  };

  test.each(Object.entries(BROKEN_PARTS))("in %s", async (_part, options) => {
    const { broken, other } = twoCalls((clock) => ({ ...stages(clock), ...options(clock) }));
    other.start();
    await converse(broken);
    await expectOneEnd(broken, "worker_lost");
    expect(broken.logged.filter((line) => line.includes('"fault":"bug"')).length).toBeGreaterThan(0);
    await expectUnharmed(other);
  });

  /** The other kinds cannot be replayed: the first leaves no commands in the journal. */
  const REPLAYABLE = Object.entries(BROKEN_PARTS).filter(([part]) => part !== "the journal of commands");

  test.each(
    REPLAYABLE,
  )("F14-5: the journal of a call that was ended by an internal error in %s replays every command", async (_part, options) => {
    const clock = new ManualClock();
    const broken = leg({ shared: { clock, ticker: new Ticker(clock) }, ...stages(clock), ...options(clock) });
    await converse(broken);
    await expectOneEnd(broken, "worker_lost");
    const { difference, truncated, commands } = await compareJournal(broken.journalPath);
    expect([difference, truncated]).toEqual([undefined, false]);
    expect(commands).toBeGreaterThan(0);
    const { endReason, complete } = await projectJournal(broken.journalPath);
    expect([endReason, complete]).toEqual(["worker_lost", true]);
  });

  /** A failure during cleanup does not change the end reason, and the rest of the cleanup continues. */
  const BROKEN_AT_THE_END: Readonly<Record<string, () => LegOptions>> = {
    "the VAD": () => ({ vad: { isSpeech: () => false, destroy: planted } }),
    "the socket": () => ({ tamper: ({ socket }) => Object.assign(socket, { close: planted }) }),
    "the metrics": () => ({ tamper: ({ metrics }) => Object.assign(metrics, { callEnded: planted }) }),
  };

  test.each(Object.entries(BROKEN_AT_THE_END))("in %s, during the cleanup of the call", async (_part, options) => {
    const { broken, other } = twoCalls((clock) => ({ ...stages(clock), ...options() }));
    other.start();
    await converse(broken);
    broken.connection.end("api_hangup");
    await expectOneEnd(broken, "api_hangup");
    expect(broken.logged.filter((line) => line.includes('"fault":"bug"'))).toHaveLength(1);
    await expectUnharmed(other);
  });
});

test("a TTS that throws synchronously is a provider failure, like one that throws later, and no internal error", async () => {
  const broken: Tts = { ...new ScriptedTts(new ManualClock()), voices: async () => [], speak: planted };
  const call = leg({ tts: broken });
  call.start();
  await call.clock.play(100);
  await expectOneEnd(call, "provider_error");
  expect(call.ends()[0]).toMatchObject({ stageFailures: 1, lastFailure: { stage: "tts", code: "internal" } });
});

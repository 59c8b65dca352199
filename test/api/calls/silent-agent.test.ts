import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CallEvent } from "../../../src/call/events.ts";
import type { EndReason } from "../../../src/core/calls/reasons.ts";
import { callMs, elapsedMs } from "../../../src/core/clocks.ts";
import { asToolCallId, asTurnId } from "../../../src/core/ids.ts";
import { EVENTS_PAGE_MAX } from "../../../src/core/limits/control-api/api.ts";
import { FRAME_MS, OUTPUT_LEAD_MS } from "../../../src/core/limits/streams/media.ts";
import type { ListedEvent } from "../../../src/record/events/event-list.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import type { JournalRecord } from "../../../src/record/journal/records.ts";
import { journaledCommand, journaledEvent } from "../../../src/record/journal/redact.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { type ApiUnderTest, apiUnderTest } from "../../support/api/harness.ts";
import { SPEC, VirtualCall, type VirtualCallOptions } from "../../support/calls/virtual-call.ts";
import { START } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";
import { mintToken, redeemedBy } from "../../support/tokens.ts";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

/** A frame is audible for at most this long after it was sent. */
const AUDIBLE_MS = OUTPUT_LEAD_MS + 2.5 * FRAME_MS;
const NO_AUDIO = { audio: new Uint8Array(), audioOmitted: false };

/** A call in virtual time, journaled in the gateway's order, that records when it sent each frame. */
class JournaledCall extends VirtualCall {
  readonly records: Exclude<JournalRecord, { kind: "header" }>[] = [];
  readonly sentMs: number[] = [];
  readonly #clearedMs: number[] = [];
  #muted = false;
  readonly #recorded: boolean;

  constructor(options: VirtualCallOptions) {
    super(options);
    this.#recorded = options.spec?.recordingEnabled ?? true;
    this.at(0, () => this.handle({ kind: "leg-started", codec: "mulaw" }));
  }

  override handle(event: CallEvent): void {
    const isTts = event.kind === "frame-out" || event.kind === "segment-audio" || event.kind === "segment-end";
    if (this.endReason !== undefined || (this.#muted && isTts)) return;
    const timeMs = this.nowMs;
    if (event.kind === "frame-out") this.sentMs.push(timeMs);
    if (event.kind === "frame-in" || event.kind === "frame-out")
      this.records.push({ ...event, timeMs: callMs(timeMs), ...NO_AUDIO });
    else this.records.push({ kind: "event", timeMs: callMs(timeMs), event: journaledEvent(event, this.#recorded) });
    const handledCount = this.commands.length;
    super.handle(event);
    for (const { command } of this.commands.slice(handledCount)) {
      if (command.kind === "cancel-reply" && command.clear) this.#clearedMs.push(timeMs);
      this.records.push({
        kind: "command",
        timeMs: callMs(timeMs),
        command: journaledCommand(command, this.#recorded),
      });
    }
  }

  /** Whether the caller hears the agent at `atMs`: frames sent shortly before are being played, unless they were cleared. */
  isAudibleAt(atMs: number): boolean {
    const sentMs = this.sentMs.findLast((sent) => sent <= atMs) ?? Number.NEGATIVE_INFINITY;
    return atMs - sentMs < AUDIBLE_MS && !this.#clearedMs.some((cleared) => cleared >= sentMs && cleared <= atMs);
  }

  /** From `atMs` on the TTS sends no more audio and reports no error. */
  mutesTts(atMs: number): void {
    this.at(atMs, () => {
      this.#muted = true;
    });
  }

  /** Feeds events that the simulated world does not produce itself. */
  happens(atMs: number, ...events: CallEvent[]): void {
    this.at(atMs, () => {
      for (const event of events) this.handle(event);
    });
  }
}

/** The events of a call as `GET /calls/{id}/events` lists them. */
async function listOf(call: JournaledCall): Promise<ListedEvent[]> {
  const { accountId, stores, directory } = api;
  const tokenHash = hashSecret(mintToken());
  await stores.calls.create({ accountId, spec: SPEC, tokenHash, tokenTtlMs: 60_000 });
  const redeemed = await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
  if (redeemed === undefined) throw new Error("not redeemed");
  const { callId } = redeemed;
  new JournalFile({ ...START, callId, accountId }, journalPath(directory, callId)).add(...call.records);
  const answer = await api.get(`/api/v1/calls/${callId}/events?limit=${EVENTS_PAGE_MAX}`);
  expect(answer.status).toBe(200);
  return (answer.body as { data: ListedEvent[] }).data;
}

/** Why the agent is silent at `atMs`, concluded from the list alone; "" while it is audible. */
function whySilent(list: readonly ListedEvent[], atMs: number): string {
  const unspoken = new Set<string>();
  const running = new Map<string, string>();
  const at = { isAudible: false, paused: false, requested: false, stopped: "", failed: "", ended: "" };
  for (const event of list.filter((each) => each.atMs <= callMs(atMs))) {
    switch (event.kind) {
      case "playout-started":
      case "playout-ended":
        at.isAudible = event.kind === "playout-started";
        break;
      case "pause":
      case "resume":
        at.paused = event.kind === "pause";
        break;
      case "generate-reply":
        Object.assign(at, { requested: true, stopped: "" });
        break;
      case "reply-end":
        at.requested = false;
        break;
      case "speak":
        unspoken.add(`${event.turnId}.${event.segment}`);
        at.stopped = "";
        break;
      case "segment-end":
        unspoken.delete(`${event.turnId}.${event.segment}`);
        break;
      case "run-tool":
        running.set(event.toolCallId, event.name);
        break;
      case "tool-result":
        running.delete(event.toolCallId);
        break;
      case "reply-failed":
      case "segment-failed":
      case "stt-failed":
        at.failed = ` after ${event.kind}`;
        break;
      case "cancel-reply":
        Object.assign(at, { paused: false, requested: false, stopped: `interrupted by ${event.reason}` });
        unspoken.clear();
        running.clear();
        break;
      case "end":
        at.ended = `ended by ${event.reason}${at.failed}`;
        break;
    }
  }
  if (at.ended !== "" || at.isAudible) return at.ended;
  if (at.paused) return "paused while the caller makes a sound";
  if (at.stopped !== "") return at.stopped;
  if (unspoken.size > 0) return "the TTS is working";
  if (running.size > 0) return `running tools: ${[...running.values()].join(", ")}`;
  return at.requested ? "the LLM is working" : "everything was said";
}

/** Every event of the list that stops or resumes the agent, with its reason. */
const turningPoints = (list: readonly ListedEvent[]): string[] =>
  list.flatMap((event) => {
    if (event.source !== "command") return [];
    if (event.kind === "cancel-reply" || event.kind === "resume" || event.kind === "end")
      return [`${event.kind} ${event.reason}`];
    return event.kind === "pause" || event.kind === "ignore" || event.kind === "transfer" ? [event.kind] : [];
  });

interface Case extends VirtualCallOptions {
  happens?: (call: JournaledCall) => void;
  /** Why the agent is silent at these times; "" while it is audible. */
  why: readonly [number, string][];
  turns: readonly string[];
  /** The event that stops the agent before the first of these times follows within one frame. */
  atOnce?: boolean;
}

const LONG = "We are open from nine to five on all working days and on Saturdays too.";
const SAID = "Let me see what we have in the house today.";
const PAUSED = "paused while the caller makes a sound";
const WAITS_FOR_LLM = "the LLM is working";
const text = (said: string): CallEvent => ({ kind: "reply-text", turnId: asTurnId(2), text: `${said} ` });
const uses = (name: string, argumentsJson = "{}"): CallEvent[] => [
  { kind: "reply-tool-call", turnId: asTurnId(2), id: "1", name, argumentsJson },
  { kind: "reply-end", turnId: asTurnId(2) },
];
const builtIn = (name: "transfer" | "hang_up") => [{ kind: "built_in", name, fixedArguments: {} }] as const;
const LOOKUP = [
  { kind: "client", name: "lookup", description: "", parameters: {}, timeoutMs: 10_000, fixedArguments: {} },
] as const;

/** The caller asks at 3 s; the reply plays from 4.8 to 9.3 s, unless the case differs. */
const CASES: Readonly<Record<string, Case>> = {
  "the reply is complete": {
    why: [
      [7_000, ""],
      [9_600, "everything was said"],
    ],
    turns: [],
  },
  "the caller says a word": {
    happens: (call) => call.says(7_000, "and on Sundays"),
    why: [
      [7_250, PAUSED],
      [7_400, "interrupted by words"],
    ],
    turns: ["pause", "cancel-reply words"],
    atOnce: true,
  },
  "the caller coughs": {
    happens: (call) => call.coughs(7_000, 300),
    why: [
      [7_500, PAUSED],
      [8_500, ""],
    ],
    turns: ["pause", "resume no_words"],
    atOnce: true,
  },
  "the caller says mm-hm": {
    happens: (call) => call.says(7_000, "mm-hm"),
    why: [
      [7_300, PAUSED],
      [8_000, ""],
    ],
    turns: ["pause", "resume back_channel", "ignore"],
    atOnce: true,
  },
  "a television is speaking": {
    happens: (call) => call.coughs(7_000, 3_000),
    why: [
      [8_500, PAUSED],
      [9_500, ""],
    ],
    turns: ["pause", "resume pause_timeout"],
    atOnce: true,
  },
  "the caller speaks and the STT gives its words on request": {
    sttHasInterims: false,
    interim: () => ({ text: "wait", afterMs: 400 }),
    happens: (call) => call.coughs(7_000, 1_500),
    why: [
      [7_500, PAUSED],
      [8_300, "interrupted by words"],
    ],
    turns: ["pause", "cancel-reply words"],
    atOnce: true,
  },
  "the caller sends DTMF": {
    happens: (call) => call.happens(7_000, { kind: "dtmf", digit: "1" }),
    why: [[7_200, "interrupted by dtmf"]],
    turns: ["cancel-reply dtmf"],
    atOnce: true,
  },
  "the caller types and the LLM is slow": {
    answer: (question) => (question === "wait" ? "hangs" : { text: LONG }),
    happens: (call) => call.happens(7_000, { kind: "typed", text: "wait" }),
    why: [[7_200, WAITS_FOR_LLM]],
    turns: ["cancel-reply typed"],
    atOnce: true,
  },
  "the LLM fails in the middle of a reply": {
    answer: () => "hangs",
    happens: (call) => {
      call.happens(5_000, text(SAID));
      call.happens(6_000, { kind: "reply-failed", turnId: asTurnId(2), code: "provider_failed" });
    },
    why: [
      [5_500, ""],
      [6_025, "the TTS is working"],
    ],
    turns: ["cancel-reply llm_failed"],
  },
  "the LLM times out in the middle of a reply": {
    answer: () => "hangs",
    happens: (call) => call.happens(5_000, text(SAID)),
    why: [[9_000, WAITS_FOR_LLM]],
    turns: ["cancel-reply llm_failed"],
  },
  "the LLM sends no words for a long time": {
    spec: { inactivityTimeoutMs: 10_000 },
    answer: () => "hangs",
    happens: (call) => {
      for (let atMs = 6_000; atMs < 20_000; atMs += 4_000) call.happens(atMs, text(""));
    },
    why: [
      [6_500, WAITS_FOR_LLM],
      [7_800, ""],
      [15_000, WAITS_FOR_LLM],
    ],
    turns: ["cancel-reply inactivity"],
  },
  "the TTS fails": {
    happens: (call) =>
      call.happens(7_000, { kind: "segment-failed", turnId: asTurnId(2), segment: 0, code: "provider_failed" }),
    why: [[7_200, "ended by provider_error after segment-failed"]],
    turns: ["cancel-reply call_ended", "end provider_error"],
    atOnce: true,
  },
  "the TTS hangs": {
    happens: (call) => call.mutesTts(4_500),
    why: [
      [8_000, "the TTS is working"],
      [14_000, "ended by provider_error"],
    ],
    turns: ["cancel-reply call_ended", "end provider_error"],
  },
  "the STT fails": {
    happens: (call) => call.happens(7_000, { kind: "stt-failed", code: "provider_failed" }),
    why: [
      [8_000, ""],
      [10_600, "ended by provider_error after stt-failed"],
    ],
    turns: ["cancel-reply call_ended", "end provider_error"],
  },
  "a tool runs and the LLM continues after it": {
    spec: { tools: LOOKUP },
    answer: () => "hangs",
    happens: (call) => {
      call.happens(5_000, text("Let me look."), ...uses("lookup"));
      call.happens(13_500, {
        kind: "tool-result",
        turnId: asTurnId(2),
        toolCallId: asToolCallId("2.1"),
        result: "open",
        failed: false,
      });
    },
    why: [
      [6_500, "running tools: lookup"],
      [7_900, ""],
      [10_000, "running tools: lookup"],
      [14_000, WAITS_FOR_LLM],
    ],
    turns: [],
  },
  "the agent hangs up": {
    answer: () => ({ text: "Goodbye now.", hangUp: true }),
    why: [
      [5_200, ""],
      [7_000, "ended by agent_hangup"],
    ],
    turns: ["end agent_hangup"],
  },
  "the caller is transferred": {
    spec: { tools: builtIn("transfer") },
    answer: () => "hangs",
    happens: (call) => call.happens(5_000, text("One moment."), ...uses("transfer", '{"target":"+4930901820"}')),
    why: [
      [5_200, ""],
      [7_000, "ended by transferred"],
    ],
    turns: ["transfer", "end transferred"],
  },
  "the caller is silent, too": {
    spec: { inactivityAction: "hang_up", inactivityTimeoutMs: 10_000 },
    why: [
      [12_000, "everything was said"],
      [20_000, "ended by inactivity"],
    ],
    turns: ["end inactivity"],
  },
  "the maximum duration is reached": {
    spec: { maxDurationMs: 7_000 },
    why: [[7_200, "ended by max_duration"]],
    turns: ["cancel-reply call_ended", "end max_duration"],
    atOnce: true,
  },
  ...Object.fromEntries(
    (["caller_hangup", "audio_flood", "slow_consumer", "protocol_error"] as const).map((reason) => [
      `the stream is closed by ${reason}`,
      endedBy({ kind: "leg-closed", reason }),
    ]),
  ),
  ...Object.fromEntries(
    (["api_hangup", "drain_timeout", "worker_lost"] as const).map((reason) => [
      `the service ends the call by ${reason}`,
      endedBy({ kind: "end-requested", reason }),
    ]),
  ),
};

function endedBy(event: Extract<CallEvent, { reason: EndReason }>): Case {
  return {
    happens: (call) => call.happens(7_000, event),
    why: [[7_200, `ended by ${event.reason}`]],
    turns: ["cancel-reply call_ended", `end ${event.reason}`],
    atOnce: true,
  };
}

describe.each([
  ["that is", true],
  ["that is not", false],
] as const)("of a call %s recorded, the list alone explains why the agent is silent", (_, recordingEnabled) => {
  test.each(Object.entries(CASES))("when %s", async (_case, { why, turns, happens, atOnce = false, ...options }) => {
    const call = new JournaledCall({
      answer: () => ({ text: LONG }),
      ...options,
      spec: { ...options.spec, recordingEnabled },
    });
    call.says(3_000, "when are you open");
    happens?.(call);
    call.run(21_000);
    const list = await listOf(call);

    expect(why.map(([atMs]) => call.isAudibleAt(atMs))).toEqual(why.map(([, reason]) => reason === ""));
    expect(why.map(([atMs]) => [atMs, whySilent(list, atMs)])).toEqual(why);
    expect(turningPoints(list).slice(0, turns.length || undefined)).toEqual(turns);
    if (!recordingEnabled)
      expect(JSON.stringify(list)).not.toMatch(/bakery|working days|house|Sunday|mm-hm|wait|goodbye[^"]|4930/i);
    if (!atOnce) return;
    const lastMs = call.sentMs.findLast((sentMs) => sentMs <= (why[0]?.[0] ?? 0)) ?? 0;
    const stop = list.find(
      (event) =>
        event.atMs >= callMs(lastMs) && `${event.kind} ${"reason" in event ? event.reason : ""}`.trim() === turns[0],
    );
    expect(elapsedMs(callMs(lastMs), stop?.atMs ?? callMs(Number.NaN))).toBeLessThanOrEqual(FRAME_MS);
  });
});

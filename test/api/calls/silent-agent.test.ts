import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CallEvent } from "../../../src/call/events.ts";
import type { EndReason } from "../../../src/core/calls/spec.ts";
import { EVENTS_PAGE_MAX } from "../../../src/core/limits/api.ts";
import { FRAME_MS, OUTPUT_LEAD_MS } from "../../../src/core/limits/media.ts";
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

/** A frame that was sent is to be heard until so long after, at the latest. */
const SOUNDS_MS = OUTPUT_LEAD_MS + 2.5 * FRAME_MS;
const NO_AUDIO = { audio: new Uint8Array(), audioOmitted: false };

/** A call in virtual time, journaled in the order that the gateway keeps to, which knows when it sent what. */
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
    const isVoice = event.kind === "frame-out" || event.kind === "segment-audio" || event.kind === "segment-end";
    if (this.endReason !== undefined || (this.#muted && isVoice)) return;
    const timeMs = this.nowMs;
    if (event.kind === "frame-out") this.sentMs.push(timeMs);
    if (event.kind === "frame-in" || event.kind === "frame-out") this.records.push({ ...event, timeMs, ...NO_AUDIO });
    else this.records.push({ kind: "event", timeMs, event: journaledEvent(event, this.#recorded) });
    const told = this.commands.length;
    super.handle(event);
    for (const { command } of this.commands.slice(told)) {
      if (command.kind === "cancel-reply" && command.clear) this.#clearedMs.push(timeMs);
      this.records.push({ kind: "command", timeMs, command: journaledCommand(command, this.#recorded) });
    }
  }

  /** Whether the caller hears the agent at `atMs`: what was sent lately is played then, unless it was taken back. */
  soundsAt(atMs: number): boolean {
    const sentMs = this.sentMs.findLast((sent) => sent <= atMs) ?? Number.NEGATIVE_INFINITY;
    return atMs - sentMs < SOUNDS_MS && !this.#clearedMs.some((cleared) => cleared >= sentMs && cleared <= atMs);
  }

  /** From `atMs` on the voice makes no sound any more, and does not say why. */
  losesItsVoice(atMs: number): void {
    this.at(atMs, () => {
      this.#muted = true;
    });
  }

  /** Something of the world that this call's own does not do. */
  happens(atMs: number, ...events: CallEvent[]): void {
    this.at(atMs, () => {
      for (const event of events) this.handle(event);
    });
  }
}

/** What `GET /calls/{id}/events` tells of a call. */
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

/** What a developer who has the list alone takes the agent to be silent for at `atMs`; "" while it is to be heard. */
function whySilent(list: readonly ListedEvent[], atMs: number): string {
  const unspoken = new Set<string>();
  const running = new Map<string, string>();
  const at = { sounds: false, held: false, asked: false, stopped: "", failed: "", over: "" };
  for (const event of list.filter((each) => each.atMs <= atMs)) {
    switch (event.kind) {
      case "playout-started":
      case "playout-ended":
        at.sounds = event.kind === "playout-started";
        break;
      case "pause":
      case "resume":
        at.held = event.kind === "pause";
        break;
      case "generate-reply":
        Object.assign(at, { asked: true, stopped: "" });
        break;
      case "reply-end":
        at.asked = false;
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
        at.failed = ` behind ${event.kind}`;
        break;
      case "cancel-reply":
        Object.assign(at, { held: false, asked: false, stopped: `cut for ${event.reason}` });
        unspoken.clear();
        running.clear();
        break;
      case "end":
        at.over = `over for ${event.reason}${at.failed}`;
        break;
    }
  }
  if (at.over !== "" || at.sounds) return at.over;
  if (at.held) return "held for a sound of the caller's";
  if (at.stopped !== "") return at.stopped;
  if (unspoken.size > 0) return "the voice is at work";
  if (running.size > 0) return `tools run: ${[...running.values()].join(", ")}`;
  return at.asked ? "the model is at work" : "all was said";
}

/** Everything on the list that stops the agent, or lets it go on, with its reason. */
const turningPoints = (list: readonly ListedEvent[]): string[] =>
  list.flatMap((event) => {
    if (event.source !== "command") return [];
    if (event.kind === "cancel-reply" || event.kind === "resume" || event.kind === "end")
      return [`${event.kind} ${event.reason}`];
    return event.kind === "pause" || event.kind === "ignore" || event.kind === "transfer" ? [event.kind] : [];
  });

interface Case extends VirtualCallOptions {
  happens?: (call: JournaledCall) => void;
  /** Why the agent is silent at these times; "" where it is not. */
  why: readonly [number, string][];
  turns: readonly string[];
  /** What stopped the agent before the first of those times did so within a frame. */
  atOnce?: boolean;
}

const LONG = "We are open from nine to five on all working days and on Saturdays too.";
const SAID = "Let me see what we have in the house today.";
const HELD = "held for a sound of the caller's";
const THINKS = "the model is at work";
const text = (said: string): CallEvent => ({ kind: "reply-text", turnId: 2, text: `${said} ` });
const uses = (name: string, argumentsJson = "{}"): CallEvent[] => [
  { kind: "reply-tool-call", turnId: 2, id: "1", name, argumentsJson },
  { kind: "reply-end", turnId: 2 },
];
const builtIn = (name: "transfer" | "hang_up") => [{ kind: "built_in", name, fixedArguments: {} }] as const;
const LOOKUP = [
  { kind: "client", name: "lookup", description: "", parameters: {}, timeoutMs: 10_000, fixedArguments: {} },
] as const;

/** The caller asks at 3 s; from 4.8 to 9.3 s the answer is heard, unless the case has it otherwise. */
const CASES: Readonly<Record<string, Case>> = {
  "nothing is left to say": {
    why: [
      [7_000, ""],
      [9_600, "all was said"],
    ],
    turns: [],
  },
  "the caller says a word": {
    happens: (call) => call.says(7_000, "and on Sundays"),
    why: [
      [7_250, HELD],
      [7_400, "cut for words"],
    ],
    turns: ["pause", "cut words"],
    atOnce: true,
  },
  "the caller coughs": {
    happens: (call) => call.coughs(7_000, 300),
    why: [
      [7_500, HELD],
      [8_500, ""],
    ],
    turns: ["pause", "resume no_words"],
    atOnce: true,
  },
  "the caller says mm-hm": {
    happens: (call) => call.says(7_000, "mm-hm"),
    why: [
      [7_300, HELD],
      [8_000, ""],
    ],
    turns: ["pause", "resume back_channel", "ignore"],
    atOnce: true,
  },
  "a television talks": {
    happens: (call) => call.coughs(7_000, 3_000),
    why: [
      [8_500, HELD],
      [9_500, ""],
    ],
    turns: ["pause", "resume voice_goes_on"],
    atOnce: true,
  },
  "the caller talks, and the ear tells no words in time": {
    sttHasInterims: false,
    happens: (call) => call.coughs(7_000, 1_500),
    why: [
      [7_500, HELD],
      [8_300, "cut for voice"],
    ],
    turns: ["pause", "cut voice"],
    atOnce: true,
  },
  "the caller presses a key": {
    happens: (call) => call.happens(7_000, { kind: "dtmf", digit: "1" }),
    why: [[7_200, "cut for key"]],
    turns: ["cut key"],
    atOnce: true,
  },
  "the caller types, and the model takes its time": {
    answer: (asked) => (asked === "wait" ? "hangs" : { text: LONG }),
    happens: (call) => call.happens(7_000, { kind: "typed", text: "wait" }),
    why: [[7_200, THINKS]],
    turns: ["cut typed"],
    atOnce: true,
  },
  "the model fails in the middle of a reply": {
    answer: () => "hangs",
    happens: (call) => {
      call.happens(5_000, text(SAID));
      call.happens(6_000, { kind: "reply-failed", turnId: 2, code: "provider_failed" });
    },
    why: [
      [5_500, ""],
      [6_025, "the voice is at work"],
    ],
    turns: ["cut llm_failed"],
  },
  "the model falls silent in the middle of a reply": {
    answer: () => "hangs",
    happens: (call) => call.happens(5_000, text(SAID)),
    why: [[9_000, THINKS]],
    turns: ["cut llm_failed"],
  },
  "the model keeps the caller waiting without a word": {
    spec: { inactivityTimeoutMs: 10_000 },
    answer: () => "hangs",
    happens: (call) => {
      for (let atMs = 6_000; atMs < 20_000; atMs += 4_000) call.happens(atMs, text(""));
    },
    why: [
      [6_500, THINKS],
      [7_800, ""],
      [15_000, THINKS],
    ],
    turns: ["cut silence"],
  },
  "the voice fails": {
    happens: (call) => call.happens(7_000, { kind: "segment-failed", turnId: 2, segment: 0, code: "provider_failed" }),
    why: [[7_200, "over for provider_error behind piece-failed"]],
    turns: ["cut call_ended", "end provider_error"],
    atOnce: true,
  },
  "the voice hangs": {
    happens: (call) => call.losesItsVoice(4_500),
    why: [
      [8_000, "the voice is at work"],
      [14_000, "over for provider_error"],
    ],
    turns: ["cut call_ended", "end provider_error"],
  },
  "the ear fails": {
    happens: (call) => call.happens(7_000, { kind: "stt-failed", code: "provider_failed" }),
    why: [
      [8_000, ""],
      [10_600, "over for provider_error behind ear-failed"],
    ],
    turns: ["cut call_ended", "end provider_error"],
  },
  "a tool runs, and the model after it": {
    spec: { tools: LOOKUP },
    answer: () => "hangs",
    happens: (call) => {
      call.happens(5_000, text("Let me look."), ...uses("lookup"));
      call.happens(13_500, { kind: "tool-result", turnId: 2, toolCallId: "2.1", result: "open", failed: false });
    },
    why: [
      [6_500, "tools run: lookup"],
      [7_900, ""],
      [10_000, "tools run: lookup"],
      [14_000, THINKS],
    ],
    turns: [],
  },
  "the agent hangs up": {
    answer: () => ({ text: "Goodbye now.", hangUp: true }),
    why: [
      [5_200, ""],
      [7_000, "over for agent_hangup"],
    ],
    turns: ["end agent_hangup"],
  },
  "the caller is handed on": {
    spec: { tools: builtIn("transfer") },
    answer: () => "hangs",
    happens: (call) => call.happens(5_000, text("One moment."), ...uses("transfer", '{"target":"+4930901820"}')),
    why: [
      [5_200, ""],
      [7_000, "over for transferred"],
    ],
    turns: ["transfer", "end transferred"],
  },
  "the caller is silent too": {
    spec: { inactivityAction: "hang_up", inactivityTimeoutMs: 10_000 },
    why: [
      [12_000, "all was said"],
      [20_000, "over for inactivity"],
    ],
    turns: ["end inactivity"],
  },
  "the maximum duration is reached": {
    spec: { maxDurationMs: 7_000 },
    why: [[7_200, "over for max_duration"]],
    turns: ["cut call_ended", "end max_duration"],
    atOnce: true,
  },
  ...Object.fromEntries(
    (["caller_hangup", "audio_flood", "slow_consumer", "protocol_error"] as const).map((reason) => [
      `the stream is gone for ${reason}`,
      endedBy({ kind: "leg-closed", reason }),
    ]),
  ),
  ...Object.fromEntries(
    (["api_hangup", "drain_timeout", "worker_lost"] as const).map((reason) => [
      `the service ends the call for ${reason}`,
      endedBy({ kind: "end-requested", reason }),
    ]),
  ),
};

function endedBy(event: Extract<CallEvent, { reason: EndReason }>): Case {
  return {
    happens: (call) => call.happens(7_000, event),
    why: [[7_200, `over for ${event.reason}`]],
    turns: ["cut call_ended", `end ${event.reason}`],
    atOnce: true,
  };
}

describe.each([
  ["that is", true],
  ["that is not", false],
] as const)("of a call %s recorded, the list alone tells why the agent is silent", (_, recordingEnabled) => {
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

    expect(why.map(([atMs]) => call.soundsAt(atMs))).toEqual(why.map(([, reason]) => reason === ""));
    expect(why.map(([atMs]) => [atMs, whySilent(list, atMs)])).toEqual(why);
    expect(turningPoints(list).slice(0, turns.length || undefined)).toEqual(turns);
    if (!recordingEnabled)
      expect(JSON.stringify(list)).not.toMatch(/bakery|working days|house|Sunday|mm-hm|wait|goodbye[^"]|4930/i);
    if (!atOnce) return;
    const lastMs = call.sentMs.findLast((sentMs) => sentMs <= (why[0]?.[0] ?? 0)) ?? 0;
    const stop = list.find(
      (event) => event.atMs >= lastMs && `${event.kind} ${"reason" in event ? event.reason : ""}`.trim() === turns[0],
    );
    expect((stop?.atMs ?? Number.NaN) - lastMs).toBeLessThanOrEqual(FRAME_MS);
  });
});

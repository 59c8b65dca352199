import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../../src/call/events.ts";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { addMs, callMs, elapsedMs, mediaMs } from "../../../src/core/clocks.ts";
import { asTurnId, type TurnId } from "../../../src/core/ids.ts";
import { OUTPUT_LEAD_MS } from "../../../src/core/limits/streams/media.ts";
import { EventLister, type ListedEvent } from "../../../src/record/events/event-list.ts";
import type { JournalRecord } from "../../../src/record/journal/records.ts";
import { journaledCommand, journaledEvent, journalHeader } from "../../../src/record/journal/redact.ts";
import { VirtualCall, type VirtualCallOptions, WORD_MS } from "../../support/calls/virtual-call.ts";
import { START } from "../../support/journals/example-call.ts";

const HEADER = journalHeader("trunkline test", START);
const FRAME_MS = 20;
const FRAME_SAMPLES = 160;
const NO_AUDIO = { audio: new Uint8Array(), audioOmitted: false };

/** A call in virtual time, journaled in the gateway's order, and listed as its journal is read. */
class ListedCall extends VirtualCall {
  readonly list: ListedEvent[] = [];
  readonly #recorded: boolean;
  readonly #lister = new EventLister(HEADER, (event) => this.list.push(event));

  constructor(options: VirtualCallOptions = {}) {
    super(options);
    this.#recorded = options.spec?.recordingEnabled ?? true;
    this.at(0, () => this.handle({ kind: "leg-started", codec: "mulaw" }));
  }

  override handle(event: CallEvent): void {
    const events = this.commands.length;
    this.#lister.take(this.#recordOf(event));
    super.handle(event);
    for (const { command } of this.commands.slice(events)) {
      const journaled = journaledCommand(command, this.#recorded);
      this.#lister.take({ kind: "command", timeMs: callMs(this.nowMs), command: journaled });
    }
  }

  #recordOf(event: CallEvent): Exclude<JournalRecord, { kind: "header" }> {
    const timeMs = this.nowMs;
    if (event.kind === "frame-in" || event.kind === "frame-out")
      return { ...event, timeMs: callMs(timeMs), ...NO_AUDIO };
    return { kind: "event", timeMs: callMs(timeMs), event: journaledEvent(event, this.#recorded) };
  }

  /** The listed events of these kinds, in order. */
  only(...kinds: ListedEvent["kind"][]): ListedEvent[] {
    return this.list.filter(({ kind }) => kinds.includes(kind));
  }
}

/** A list that a test makes of single records. */
function listing(): { list: ListedEvent[]; lister: EventLister; sent: (atMs: number, turnId?: TurnId) => void } {
  const list: ListedEvent[] = [];
  const lister = new EventLister(HEADER, (event) => list.push(event));
  const sent = (timeMs: number, turnId = asTurnId(1)) =>
    lister.take({ kind: "frame-out", timeMs: callMs(timeMs), turnId, samples: FRAME_SAMPLES, ...NO_AUDIO });
  return { list, lister, sent };
}

describe("the list of a call's events", () => {
  test("shows an interruption: speech, words, cancel-reply, and the end of the playout", () => {
    const call = new ListedCall({ answer: () => ({ text: "We are open from nine to five on all working days." }) });
    call.says(3_000, "when are you open");
    call.says(7_000, "and on Sundays");
    call.run(9_000);
    const cancelled = call.list.find(({ kind }) => kind === "cancel-reply");
    expect(cancelled).toMatchObject({ source: "command", turnId: 2, clear: true, reason: "words", speechMs: WORD_MS });
    const from = call.list.findIndex((event) => event.kind === "playout-started" && event.turnId === 2);
    const to = call.list.findIndex(({ kind }) => kind === "cancel-reply");
    const events = call.list.slice(from, to + 1).filter(({ kind }) => kind !== "turn" && kind !== "state");
    expect(events.map(({ kind }) => kind)).toEqual([
      "playout-started",
      "speech-started",
      "pause",
      "playout-ended",
      "stt-interim",
      "cancel-reply",
    ]);
    const [began, voice, pause, ended, words] = events;
    expect(voice).toMatchObject({ source: "event", startMs: 7_000 });
    expect(pause).toMatchObject({ source: "command", turnId: 2, atMs: voice?.atMs });
    expect(words).toMatchObject({ source: "event", text: "and", atMs: 7_000 + WORD_MS });
    // At the pause, all audio sent had been played but for the lead, which was still heard.
    const sentMs = ended?.kind === "playout-ended" ? ended.sentMs : 0;
    const heldMs = elapsedMs(began?.atMs ?? callMs(0), pause?.atMs ?? callMs(0));
    expect(sentMs - heldMs).toBeGreaterThan(0);
    expect(sentMs - heldMs).toBeLessThanOrEqual(OUTPUT_LEAD_MS + 2.5 * FRAME_MS);
    expect(ended).toMatchObject({ source: "event", atMs: addMs(began?.atMs ?? callMs(0), sentMs) });
  });

  test("shows the playout of a complete reply from its first frame until the peer has played it", () => {
    const call = new ListedCall();
    call.run(5_000);
    const lengthMs = "Hello, this is the bakery.".split(" ").length * WORD_MS;
    const [began, ended] = call.only("playout-started", "playout-ended");
    expect(ended).toMatchObject({ turnId: 1, sentMs: lengthMs, atMs: addMs(began?.atMs ?? callMs(0), lengthMs) });
  });

  test("shows the caller's speech at the same times as the transcript", () => {
    const call = new ListedCall();
    call.says(4_000, "one two three four");
    call.coughs(9_000, 40);
    call.says(12_000, "five six");
    call.run(20_000);
    const turns = call.turns.filter(({ role }) => role === "user");
    expect(turns).toHaveLength(2);
    expect(call.only("speech-started", "speech-ended")).toMatchObject(
      turns.flatMap(({ startMs, endMs }) => [
        { kind: "speech-started", startMs },
        { kind: "speech-ended", endMs },
      ]),
    );
  });

  test("is in the order of time, from the first event to the end of the call", () => {
    const call = new ListedCall({ answer: () => ({ text: "Goodbye now, and thank you.", hangUp: true }) });
    call.says(3_000, "that is all");
    call.run(60_000);
    expect(call.list[0]).toEqual({ atMs: 0, source: "event", kind: "leg-started", codec: "mulaw" });
    expect(call.list.at(-1)).toMatchObject({ source: "command", kind: "end", reason: "agent_hangup" });
    const times = call.list.map(({ atMs }) => atMs);
    expect(times).toEqual([...times].sort((a, b) => elapsedMs(b, a)));
    expect(times.every(Number.isInteger)).toBe(true);
    const kinds = new Set(call.list.map(({ kind }) => kind));
    for (const kind of [
      "generate-reply",
      "speak",
      "reply-tool-call",
      "reply-end",
      "segment-end",
      "mark",
      "turn",
      "state",
    ] as const) {
      expect(kinds).toContain(kind);
    }
  });

  test("gives events and commands with the fields of the journal", () => {
    const { list, lister } = listing();
    const words = [{ text: "Hello", startMs: 0, endMs: 300 }];
    lister.take({
      kind: "event",
      timeMs: callMs(10.4),
      event: { kind: "segment-audio", turnId: asTurnId(1), segment: 0, samples: 2_400, words },
    });
    lister.take({
      kind: "command",
      timeMs: callMs(10.6),
      command: { kind: "generate-reply", turnId: asTurnId(2), messages: 5, language: "en" },
    });
    expect(list).toEqual([
      { atMs: 10, source: "event", kind: "segment-audio", turnId: 1, segment: 0, samples: 2_400, words },
      { atMs: 11, source: "command", kind: "generate-reply", turnId: 2, messages: 5, language: "en" },
    ]);
  });

  test("shows no word of a call that is not recorded, and how much was left out", () => {
    const call = new ListedCall({
      spec: { recordingEnabled: false, greeting: "Canary sings." },
      answer: () => ({ text: "Canary answers.", hangUp: true }),
    });
    call.says(3_000, "canary asks");
    call.run(60_000);
    expect(call.turns).toHaveLength(3);
    expect(JSON.stringify(call.list)).not.toMatch(/canary/i);
    expect(call.only("stt-final")).toEqual([
      { atMs: 3_850, source: "event", kind: "stt-final", text: "", chars: "canary asks".length },
    ]);
  });
});

describe("events derived from frames", () => {
  const voice = (lister: EventLister, fromMs: number, toMs: number, isSpeech: boolean): void => {
    for (let atMs = fromMs; atMs < toMs; atMs += FRAME_MS) {
      lister.take({ kind: "frame-in", timeMs: callMs(atMs), mediaMs: mediaMs(atMs), isSpeech, ...NO_AUDIO });
    }
  };

  const frameIn = (lister: EventLister, atMs: number, mediaAtMs: number): void =>
    lister.take({ kind: "frame-in", timeMs: callMs(atMs), mediaMs: mediaMs(mediaAtMs), isSpeech: false, ...NO_AUDIO });

  test("a time without audio of the caller is listed when audio comes again, with what of it never came", () => {
    const { list, lister } = listing();
    voice(lister, 0, 1_000, false);
    frameIn(lister, 1_500, 1_000);
    for (let mediaAtMs = 1_020; mediaAtMs <= 1_500; mediaAtMs += FRAME_MS) frameIn(lister, 1_500, mediaAtMs);
    frameIn(lister, 1_690, 1_520);
    frameIn(lister, 2_690, 2_020);
    expect(list).toEqual([
      { atMs: 1_500, source: "event", kind: "audio-gap", gapMs: 520, lostMs: 0 },
      { atMs: 2_690, source: "event", kind: "audio-gap", gapMs: 1_000, lostMs: 480 },
    ]);
  });

  test("so is one that ends with the stream or the call; a new stream begins anew", () => {
    const { list, lister } = listing();
    voice(lister, 0, 1_000, false);
    lister.take({ kind: "event", timeMs: callMs(4_000), event: { kind: "leg-detached" } });
    lister.take({ kind: "attached", timeMs: callMs(9_000), attachment: 2 });
    frameIn(lister, 9_000, 0);
    lister.take({ kind: "command", timeMs: callMs(9_500), command: { kind: "end", reason: "connection_lost" } });
    expect(list.filter(({ kind }) => kind === "audio-gap")).toEqual([
      { atMs: 4_000, source: "event", kind: "audio-gap", gapMs: 3_020, lostMs: 3_020 },
      { atMs: 9_500, source: "event", kind: "audio-gap", gapMs: 500, lostMs: 500 },
    ]);
  });

  test("the playout of a reply with slow TTS ends where the peer ran dry, and starts again", () => {
    const { list, lister, sent } = listing();
    for (const atMs of [1_000, 1_000, 1_000, 1_020, 1_040]) sent(atMs);
    lister.take({ kind: "event", timeMs: callMs(1_101), event: { kind: "tick" } });
    for (const atMs of [1_110, 1_130]) sent(atMs);
    sent(2_000, asTurnId(2));
    expect(list).toEqual([
      { atMs: 1_000, source: "event", kind: "playout-started", turnId: 1 },
      { atMs: 1_100, source: "event", kind: "playout-ended", turnId: 1, sentMs: 100 },
      { atMs: 1_101, source: "event", kind: "tick" },
      { atMs: 1_110, source: "event", kind: "playout-started", turnId: 1 },
      { atMs: 1_150, source: "event", kind: "playout-ended", turnId: 1, sentMs: 40 },
      { atMs: 2_000, source: "event", kind: "playout-started", turnId: 2 },
    ]);
  });

  test("frames without a gap between them are one playout, however late they are sent", () => {
    const { list, sent } = listing();
    for (let frame = 0; frame < 50; frame += 1) sent(1_000 + Math.max(0, frame - 5) * FRAME_MS + (frame % 5) * 4);
    expect(list).toEqual([{ atMs: 1_000, source: "event", kind: "playout-started", turnId: 1 }]);
  });

  test("a reply that starts while another is played ends that one's playout", () => {
    const { list, sent } = listing();
    for (let frame = 0; frame < 5; frame += 1) sent(1_000);
    sent(1_050, asTurnId(2));
    expect(list.slice(1)).toEqual([
      { atMs: 1_050, source: "event", kind: "playout-ended", turnId: 1, sentMs: 100 },
      { atMs: 1_050, source: "event", kind: "playout-started", turnId: 2 },
    ]);
  });

  test("a cancel-reply with clear ends the playout; without clear the audio is played", () => {
    for (const clear of [true, false]) {
      const { list, lister, sent } = listing();
      for (let frame = 0; frame < 5; frame += 1) sent(1_000);
      lister.take({
        kind: "command",
        timeMs: callMs(1_030),
        command: { kind: "cancel-reply", turnId: asTurnId(1), clear, reason: "words", speechMs: 0, heardText: "" },
      });
      lister.take({ kind: "event", timeMs: callMs(1_500), event: { kind: "tick" } });
      const atMs = clear ? 1_030 : 1_100;
      expect(list[2]).toEqual({ atMs, source: "event", kind: "playout-ended", turnId: 1, sentMs: 100 });
      expect(list).toHaveLength(4);
    }
  });

  test("single voiced frames are no speech, and short gaps do not end speech", () => {
    const { list, lister } = listing();
    voice(lister, 0, 1_000, false);
    voice(lister, 1_000, 1_020, true);
    voice(lister, 1_020, 2_000, false);
    expect(list).toEqual([]);
    voice(lister, 2_000, 2_400, true);
    voice(lister, 2_400, 2_600, false);
    voice(lister, 2_600, 3_000, true);
    voice(lister, 3_000, 4_000, false);
    expect(list).toMatchObject([
      { kind: "speech-started", atMs: 2_040, startMs: 2_000 },
      { kind: "speech-ended", endMs: 2_980 },
    ]);
  });

  test("speech that ends with the turn, before the hangover, is listed before the end of the turn and only once", () => {
    const parameters = { ...DEFAULT_TURN_PARAMETERS, turnWaitMsMin: 160, turnWaitMsMax: 200 };
    const call = new ListedCall({ greeting: "none", spec: { firstSpeaker: "user" }, parameters });
    call.coughs(1_000, 600);
    call.at(1_650, () => call.handle({ kind: "stt-interim", text: "two loaves" }));
    call.run(4_000);
    const kinds = call.only("speech-started", "speech-ended", "turn-ended").map(({ kind }) => kind);
    expect(kinds).toEqual(["speech-started", "speech-ended", "turn-ended"]);
    const [, ended] = call.only("speech-started", "speech-ended");
    expect(ended).toMatchObject({ endMs: 1_580, atMs: expect.any(Number) });
    expect(Number(ended?.atMs)).toBeLessThan(1_580 + parameters.hangoverMs);
  });

  test("speech whose frames stop arriving ends with the call's own deadline", () => {
    const { list, lister } = listing();
    voice(lister, 0, 1_000, false);
    voice(lister, 1_000, 1_500, true);
    lister.take({ kind: "event", timeMs: callMs(1_600), event: { kind: "tick" } });
    lister.take({ kind: "event", timeMs: callMs(1_980), event: { kind: "tick" } });
    expect(list.map(({ kind, atMs }) => [kind, atMs])).toEqual([
      ["speech-started", 1_040],
      ["tick", 1_600],
      ["tick", 1_980],
      ["speech-ended", 1_980],
    ]);
  });

  test("when the call ends, speech and playout have ended; in a truncated journal they have not", () => {
    const { list, lister, sent } = listing();
    voice(lister, 0, 1_000, false);
    voice(lister, 1_000, 1_500, true);
    for (let frame = 0; frame < 5; frame += 1) sent(1_500);
    expect(list.map(({ kind }) => kind)).toEqual(["speech-started", "playout-started"]);
    expect(lister.ended).toBe(false);
    lister.take({ kind: "command", timeMs: callMs(1_550), command: { kind: "end", reason: "caller_hangup" } });
    expect(lister.ended).toBe(true);
    expect(list.slice(2)).toEqual([
      { atMs: 1_550, source: "event", kind: "speech-ended", endMs: 1_480 },
      { atMs: 1_550, source: "event", kind: "playout-ended", turnId: 1, sentMs: 100 },
      { atMs: 1_550, source: "command", kind: "end", reason: "caller_hangup" },
    ]);
  });
});

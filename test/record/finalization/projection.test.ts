import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Call } from "../../../src/call/call.ts";
import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import { latencySummary } from "../../../src/core/calls/latency.ts";
import type { TranscriptTurn } from "../../../src/core/calls/transcript.ts";
import { callMs, mediaMs } from "../../../src/core/clocks.ts";
import { TrunklineError } from "../../../src/core/errors.ts";
import { asTurnId, type TurnId } from "../../../src/core/ids.ts";
import { projectJournal } from "../../../src/record/finalization/projection.ts";
import { JournalEncoder } from "../../../src/record/journal/format.ts";
import type { JournalStart } from "../../../src/record/journal/records.ts";
import { journaledCommand, journaledEvent, journalHeader } from "../../../src/record/journal/redact.ts";
import { replayJournal } from "../../../src/record/replay/replay.ts";
import { isSubsetEqual } from "../../../src/record/replay/subset-equal.ts";
import { NOT_RECORDED, START } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const FRAME = new Uint8Array(160);
const STARTED: Extract<CallEvent, { kind: "leg-started" }> = { kind: "leg-started", codec: "mulaw" };

/** A call that is journaled as by the gateway, on a time line that the test moves. */
class JournaledCall {
  readonly #encoder = new JournalEncoder();
  readonly #recorded: boolean;
  readonly #call: Call;
  readonly commands: CallCommand[] = [];
  nowMs = 0.25;
  #mediaMs = 0;

  constructor(start: JournalStart) {
    this.#recorded = start.spec.recordingEnabled;
    this.#encoder.header(journalHeader("trunkline test", start));
    this.#call = new Call({
      spec: start.spec,
      rateHz: start.leg.outboundRateHz,
      sttHasInterim: start.sttHasInterim,
      parameters: start.parameters,
      sink: (command) => {
        this.commands.push(command);
        this.#encoder.command(callMs(this.nowMs), journaledCommand(command, this.#recorded));
      },
    });
  }

  get turns(): TranscriptTurn[] {
    return this.commands.flatMap((command) => (command.kind === "turn" ? [command.turn] : []));
  }

  get #ended(): boolean {
    return this.commands.some(({ kind }) => kind === "end");
  }

  handle(event: CallEvent): void {
    if (event.kind === "frame-in") {
      this.#encoder.frameIn(
        callMs(this.nowMs),
        event.mediaMs,
        event.isSpeech,
        this.#recorded ? FRAME : undefined,
        false,
      );
    } else if (event.kind === "frame-out") {
      this.#encoder.frameOut(
        callMs(this.nowMs),
        event.turnId,
        event.samples,
        this.#recorded ? FRAME : undefined,
        false,
      );
    } else {
      this.#encoder.event(callMs(this.nowMs), journaledEvent(event, this.#recorded));
    }
    this.#call.handle(event, callMs(this.nowMs));
  }

  /** The caller's audio arrives for this many frames, in real time, with ticks at their deadlines. */
  hear(frames: number, isSpeech: boolean): void {
    for (let frame = 0; frame < frames && !this.#ended; frame += 1) {
      this.nowMs += 20.01;
      this.#mediaMs += 20;
      this.handle({ kind: "frame-in", isSpeech, mediaMs: mediaMs(this.#mediaMs) });
      if (callMs(this.nowMs) >= this.#call.nextDeadlineMs) this.handle({ kind: "tick" });
    }
  }

  /** A segment of the agent is synthesized and sent, frame by frame, while the caller is silent. */
  speak(turnId: TurnId, segment: number, text: string, sentFrames: number): void {
    const words = text
      .split(" ")
      .map((word, index) => ({ text: word, startMs: index * 200, endMs: index * 200 + 200 }));
    const samples = words.length * 1_600;
    this.handle({ kind: "segment-audio", turnId, segment, samples: 0, words });
    this.handle({ kind: "segment-end", turnId, segment, samples });
    for (let frame = 0; frame < Math.min(sentFrames, samples / 160); frame += 1) {
      this.handle({ kind: "frame-out", turnId, samples: 160 });
      this.hear(1, false);
    }
  }

  bytes(): Buffer {
    return Buffer.from(this.#encoder.written());
  }

  file(): string {
    const path = join(temporaryDirectory(), "call.tlj");
    writeFileSync(path, this.bytes());
    return path;
  }
}

/** Greeting, question, an interrupted reply, a goodbye; `until` says how far it goes. */
function conversation(start: JournalStart, until: "interrupted" | "end", started = STARTED): JournaledCall {
  const call = new JournaledCall(start);
  call.handle(started);
  call.speak(asTurnId(1), 0, "Good morning, this is the dentist.", 100);
  call.hear(40, false);
  call.hear(50, true);
  call.handle({ kind: "stt-interim", text: "when are" });
  call.handle({ kind: "stt-final", text: "when are you open?" });
  call.hear(60, false);
  call.handle({ kind: "reply-text", turnId: asTurnId(2), text: "We are open from nine to five on all working days." });
  call.handle({ kind: "reply-end", turnId: asTurnId(2) });
  call.speak(asTurnId(2), 0, "We are open from nine to five on all working days.", 60);
  call.hear(10, true);
  call.handle({ kind: "stt-interim", text: "and on Sundays" });
  call.hear(5, true);
  if (until === "interrupted") return call;
  call.handle({ kind: "stt-final", text: "and on Sundays?" });
  call.hear(60, false);
  call.handle({ kind: "reply-text", turnId: asTurnId(3), text: "No. Goodbye!" });
  call.handle({ kind: "reply-tool-call", turnId: asTurnId(3), id: "1", name: "hang_up", argumentsJson: "{}" });
  call.handle({ kind: "reply-end", turnId: asTurnId(3) });
  call.speak(asTurnId(3), 0, "No. Goodbye!", 100);
  call.hear(100, false);
  return call;
}

describe("projection", () => {
  test("a complete journal gives the record of the state machine's commands", async () => {
    const call = conversation(START, "end");
    const record = await projectJournal(call.file());
    expect(call.turns.map(({ role }) => role)).toEqual(["agent", "user", "agent", "user", "agent"]);
    expect(record.turns).toEqual(call.turns);
    expect(record).toMatchObject({ endReason: "agent_hangup", complete: true });
    expect(record.header).toMatchObject({ callId: START.callId, spec: START.spec });
    expect(record.durationMs).toBe(call.nowMs);
    expect(record.frames.in).toBeGreaterThan(300);
    expect(record.frames.out).toBeGreaterThan(100);
    expect(record.frames.missingAudio).toBe(0);
  });

  test("the events of a journal make the same commands again, to the last digit", async () => {
    const call = conversation(START, "end");
    const { journaled, replayed } = await replayJournal(call.file());
    expect(replayed).toEqual(journaled);
    expect(journaled).toHaveLength(call.commands.length);
    expect(JSON.stringify(replayed)).toBe(JSON.stringify(journaled));
  });

  test("a call that uses the parameters of its start is replayed equally, and recovered with them", async () => {
    const parameters = { order: "A-17", "1": "one", constructor: "x" };
    const start = { ...START, spec: { ...START.spec, useParameters: true as const } };
    for (const until of ["interrupted", "end"] as const) {
      const call = conversation(start, until, { ...STARTED, parameters });
      const asked = call.commands.filter(({ kind }) => kind === "generate-reply");
      expect(JSON.stringify(asked[0])).toContain("A-17");
      const { journaled, replayed } = await replayJournal(call.file());
      expect(JSON.stringify(replayed)).toBe(JSON.stringify(journaled));
      expect((await projectJournal(call.file())).parameters).toEqual(parameters);
    }
  });

  test("the parameters of a call are those of its first start, and an older journal has none", async () => {
    const call = new JournaledCall(START);
    call.handle(STARTED);
    call.handle({ ...STARTED, parameters: { order: "second" } });
    expect((await projectJournal(call.file())).parameters).toBeUndefined();
    expect((await projectJournal(conversation(START, "end").file())).parameters).toBeUndefined();
  });

  test("a journal whose worker died gives what was heard until then, including unfinished turns", async () => {
    const call = conversation(START, "interrupted");
    const record = await projectJournal(call.file());
    expect(record).toMatchObject({ endReason: "worker_lost", complete: false, durationMs: call.nowMs });
    expect(record.turns.slice(0, call.turns.length)).toEqual(call.turns);
    expect(record.turns.map(({ role }) => role)).toEqual(["agent", "user", "agent", "user"]);
    expect(record.turns[2]).toMatchObject({ interrupted: true });
    expect("We are open from nine to five on all working days.").toContain(record.turns[2]?.text);
    expect(record.turns[3]).toMatchObject({ text: "and on Sundays" });
  });

  test("a call that is recovered has what was measured of its network until then", async () => {
    const figures = { packetsIn: 500, packetsOut: 0, lostOut: 0, jitterInMs: 4.2 };
    const call = conversation(START, "interrupted");
    call.handle({ kind: "network", ...figures, lostIn: 5 });
    const broken = await projectJournal(call.file());
    expect(broken).toMatchObject({ hasEnd: false, network: { lossInPercent: 1, jitterInMs: 4.2 } });
    call.handle({ kind: "leg-closed", reason: "caller_hangup" });
    // The last of it follows the end.
    call.handle({ kind: "network", ...figures, lostIn: 10 });
    expect(await projectJournal(call.file())).toMatchObject({ hasEnd: true, network: { lossInPercent: 1.5 } });
    expect((await projectJournal(conversation(START, "interrupted").file())).network).toBeUndefined();
  });

  test("a call that is recovered has its latencies and its providers' usage", async () => {
    const used = (characters: number): CallEvent => ({
      kind: "usage",
      stage: "tts",
      provider: "espeak",
      usage: { characters },
    });
    const call = conversation(START, "interrupted");
    call.handle(used(33));
    const broken = await projectJournal(call.file());
    call.handle({ kind: "leg-closed", reason: "caller_hangup" });
    // Turns that were not completed before the end follow it.
    call.handle(used(7));
    const live = await projectJournal(call.file());
    expect(live.complete).toBe(true);
    expect(live.usageEvents).toMatchObject([{ usage: { characters: 33 } }, { usage: { characters: 7 } }]);
    expect(broken.usageEvents).toEqual(live.usageEvents.slice(0, 1));
    const latencies = live.turns.flatMap(({ latency }) => latency ?? []);
    expect(latencies).toHaveLength(1);
    expect(latencies[0]).toMatchObject({ finalTranscriptMs: expect.any(Number), firstSegmentMs: expect.any(Number) });
    expect(broken.turns.flatMap(({ latency }) => latency ?? [])).toEqual(latencies);
    expect(latencySummary(broken.turns)).toEqual(latencySummary(live.turns));
    expect(broken.turns).toEqual(live.turns);
  });

  test("a call of an older build with fewer members in some commands is still recovered", async () => {
    const call = conversation(START, "interrupted");
    const whole = await projectJournal(call.file());
    const { latency: _, ...withoutLatency } = whole.turns[2] ?? {};
    expect(isSubsetEqual(withoutLatency, whole.turns[2])).toBe(true);
    expect(isSubsetEqual(whole.turns[2], withoutLatency)).toBe(false);
    expect(isSubsetEqual([1], [1, 2])).toBe(false);
    expect(isSubsetEqual([], {})).toBe(false);
  });

  test("K5: torn at any byte, a journal with a header gives a record, and its turns only grow", async () => {
    const call = conversation(START, "end");
    const bytes = call.bytes();
    const path = join(temporaryDirectory(), "call.tlj");
    let texts = 0;
    for (let length = 1_700; length < bytes.length; length += 3_989) {
      writeFileSync(path, bytes.subarray(0, length));
      const record = await projectJournal(path);
      expect(record.complete).toBe(false);
      // The cause of the end may be journaled without the end. The replay then finds the same reason.
      expect(["worker_lost", "agent_hangup"]).toContain(record.endReason);
      expect(record.turns.length).toBeGreaterThanOrEqual(texts);
      texts = record.turns.length;
    }
    expect(texts).toBe(call.turns.length);
  });

  test("a call that cannot be replayed keeps its journaled turns", async () => {
    const turn: TranscriptTurn = {
      role: "user",
      text: "hello",
      startMs: callMs(1),
      endMs: callMs(2),
      interrupted: false,
    };
    const other = new JournalFile()
      .add({ kind: "event", timeMs: callMs(10), event: { kind: "leg-started", codec: "mulaw" } })
      .add({ kind: "command", timeMs: callMs(10), command: { kind: "turn", turn } });
    expect(await projectJournal(other.path)).toMatchObject({ turns: [turn], endReason: "worker_lost" });
    // The state machine refuses time that goes backwards. This stands for any bug that killed the worker.
    const deadly = new JournalFile()
      .add({ kind: "command", timeMs: callMs(10), command: { kind: "turn", turn } })
      .add({ kind: "event", timeMs: callMs(9), event: { kind: "tick" } })
      .add({ kind: "event", timeMs: callMs(8), event: { kind: "tick" } });
    expect(await projectJournal(deadly.path)).toMatchObject({ turns: [turn], endReason: "worker_lost" });
  });

  test("a call that is not recorded has turns without text, and cannot be replayed", async () => {
    const call = conversation(NOT_RECORDED, "end");
    const path = call.file();
    const said = /dentist|morning|open|nine|Sunday|Goodbye|receptionist/i;
    expect(readFileSync(path, "latin1")).not.toMatch(said);
    const record = await projectJournal(path);
    expect(record).toMatchObject({ endReason: "agent_hangup", complete: true });
    expect(record.turns).toEqual(call.turns.map((turn) => ({ ...turn, text: "" })));
    await expect(replayJournal(path)).rejects.toThrow("the words of the call are not recorded");
    const broken = conversation(NOT_RECORDED, "interrupted");
    expect(await projectJournal(broken.file())).toMatchObject({
      endReason: "worker_lost",
      turns: broken.turns.map((turn) => ({ ...turn, text: "" })),
    });
  });

  test("frames that lost their audio are counted, and make the record incomplete", async () => {
    const lost = { audio: new Uint8Array(), audioOmitted: true };
    const journal = new JournalFile()
      .add({ kind: "frame-in", timeMs: callMs(20), mediaMs: mediaMs(0), isSpeech: false, ...lost })
      .add({ kind: "frame-out", timeMs: callMs(30), turnId: asTurnId(1), samples: 160, ...lost })
      .frameIn(40, 20, FRAME)
      .end(50);
    expect(await projectJournal(journal.path)).toMatchObject({
      frames: { in: 2, out: 1, missingAudio: 2 },
      complete: false,
      endReason: "caller_hangup",
    });
  });

  test("C18: a call of 50 ms without any media has a record", async () => {
    const record = await projectJournal(new JournalFile().end(50).path);
    expect(record).toMatchObject({ turns: [], endReason: "caller_hangup", durationMs: 50, complete: true });
  });

  test("a record longer than one read is read completely", async () => {
    const spec = { ...START.spec, systemPrompt: "é".repeat(100_000) };
    const turn: TranscriptTurn = {
      role: "user",
      text: "a".repeat(200_000),
      startMs: callMs(1),
      endMs: callMs(2),
      interrupted: false,
    };
    const journal = new JournalFile({ ...START, spec }).add({
      kind: "command",
      timeMs: callMs(9),
      command: { kind: "turn", turn },
    });
    const record = await projectJournal(journal.end(10).path);
    expect(record.header.spec).toEqual(spec);
    expect(record.turns).toEqual([turn]);
  });

  test("a missing journal, a directory and one without a header are unreadable", async () => {
    const directory = temporaryDirectory();
    const unreadable = expect.toSatisfy((e) => e instanceof TrunklineError && e.code === "journal_unreadable");
    await expect(projectJournal(join(directory, "none.tlj"))).rejects.toEqual(unreadable);
    mkdirSync(join(directory, "folder.tlj"));
    await expect(projectJournal(join(directory, "folder.tlj"))).rejects.toEqual(unreadable);
    for (const bytes of ["", "TLK", new JournalEncoder().written()]) {
      writeFileSync(join(directory, "empty.tlj"), bytes);
      await expect(projectJournal(join(directory, "empty.tlj"))).rejects.toEqual(unreadable);
    }
  });
});

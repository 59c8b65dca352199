import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createPlivoWire } from "../../../../src/carriers/plivo/wire.ts";
import { createTelnyxWire } from "../../../../src/carriers/telnyx/wire.ts";
import { G711_LAWS, type G711Codec } from "../../../../src/media/g711.ts";
import { projectJournal } from "../../../../src/record/finalization/projection.ts";
import { readJournal } from "../../../../src/record/journal/reader.ts";
import type { Stt } from "../../../../src/speech/contracts.ts";
import { type LegOptions, leg } from "../../../callers/leg.ts";
import { ManualClock, settled } from "../../../support/manual-clock.ts";
import { ScriptedLlm, textReply } from "../../../support/providers/scripted-llm.ts";
import { carriersUnderTest } from "../../../support/wires/carriers.ts";

const STREAM_ID = "5b1f4c7e-8a0d-4f63-9e2b-c3d7a1908f54";
const QUIET = { spec: { firstSpeaker: "user" as const, inactivityTimeoutMs: 300_000 } };

/** An STT that stores what it gets, and recognizes nothing. */
function recordingStt(): { stt: Stt; heard: number[] } {
  const heard: number[] = [];
  const stt: Stt = {
    provider: "keeping",
    capabilities: { ratesHz: [8_000], interimTranscripts: true },
    open: () => ({
      write: (frame) => heard.push(frame[0] as number),
      events: (async function* () {})(),
    }),
  };
  return { stt, heard };
}

/** 20 ms, or `count` samples, of one code. */
const payloadOf = (code: number, count = 160): string => Buffer.alloc(count, code).toString("base64");

function legB({ inbound = "mulaw", outbound = "mulaw", ...options }: LegBOptions = {}) {
  const call = leg({ ...options, wire: createTelnyxWire({ outboundCodec: outbound }) });
  call.json({ event: "connected", version: "1.0.0" });
  call.json({
    event: "start",
    sequence_number: "1",
    stream_id: STREAM_ID,
    start: {
      call_control_id: "v3:call",
      media_format: { encoding: inbound === "alaw" ? "PCMA" : "PCMU", sample_rate: 8_000, channels: 1 },
    },
  });
  return {
    ...call,
    audio: (chunk: unknown, code = Number(chunk) & 0x7f, count = 160): void =>
      call.json({
        event: "media",
        sequence_number: "2",
        stream_id: STREAM_ID,
        media: { track: "inbound", chunk, timestamp: "0", payload: payloadOf(code, count) },
      }),
    key: (digit: string, occurredAt: string): void =>
      call.json({ event: "dtmf", stream_id: STREAM_ID, occurred_at: occurredAt, dtmf: { digit } }),
    end: (): Record<string, unknown> => {
      call.connection.closed(1_006, false);
      return call.ends()[0] ?? {};
    },
  };
}
type LegBOptions = LegOptions & { inbound?: G711Codec; outbound?: G711Codec };

function legC(options: LegOptions = {}) {
  const call = leg({ ...options, wire: createPlivoWire() });
  const startedEpochMs = 1_763_631_012_000;
  call.json({
    event: "start",
    sequenceNumber: 1,
    start: { callId: "call", streamId: STREAM_ID, accountId: "MA0", tracks: ["inbound"] },
  });
  return {
    ...call,
    audio: (atMs: number, code = 0xff): void =>
      call.json({
        event: "media",
        sequenceNumber: 2,
        streamId: STREAM_ID,
        media: { track: "inbound", timestamp: String(startedEpochMs + atMs), chunk: 1, payload: payloadOf(code) },
      }),
    end: (): Record<string, unknown> => {
      call.connection.closed(1_006, false);
      return call.ends()[0] ?? {};
    },
  };
}

const heardAs = (codec: G711Codec, codes: readonly number[]): number[] =>
  codes.map((code) => G711_LAWS[codec].decodeTable[code] as number);

/** The amplitude of the scripted speech. */
const LOUD = 8_000;

describe("carrier_b", () => {
  test.each([
    "mulaw",
    "alaw",
  ] as const)("a leg that announces %s is decoded as that, whatever codec is sent", (inbound) => {
    for (const outbound of ["mulaw", "alaw"] as const) {
      const { stt, heard } = recordingStt();
      const call = legB({ ...QUIET, stt, inbound, outbound });
      for (const chunk of [1, 2, 4, 3]) call.audio(String(chunk));
      expect(heard).toEqual(heardAs(inbound, [1, 2, 3, 4]));
      call.end();
    }
  });

  test("outbound audio is in the configured codec, whatever codec is received", async () => {
    for (const outbound of ["mulaw", "alaw"] as const) {
      const call = legB({ inbound: outbound === "alaw" ? "mulaw" : "alaw", outbound });
      await call.clock.play(2_000);
      const media = call.socket.sent.flatMap((text) => {
        const sent = JSON.parse(text) as { media?: { payload: string } };
        return sent.media === undefined ? [] : [...Buffer.from(sent.media.payload, "base64")];
      });
      expect(media.length).toBeGreaterThan(160);
      const law = G711_LAWS[outbound];
      const speech = media.filter((code) => Math.abs(law.decodeTable[code] as number) > 100);
      // The scripted speech has one loudness: the wrong law would produce others.
      expect(new Set(speech)).toEqual(new Set([LOUD, -LOUD].map((sample) => law.encodeTable[sample & 0xffff])));
      call.end();
    }
  });

  test("C5: audio out of order is put in order, late audio and duplicates are dropped, and both are counted", async () => {
    const { stt, heard } = recordingStt();
    const call = legB({ ...QUIET, stt });
    for (const chunk of [1, 3, 2, 2, 5, 6, 7]) {
      await call.clock.play(20);
      call.audio(String(chunk));
    }
    expect(heard).toEqual(heardAs("mulaw", [1, 2, 3]));
    await call.clock.play(20);
    call.audio(8);
    // One frame was lost: the STT gets a pause in its place.
    expect(heard).toEqual([...heardAs("mulaw", [1, 2, 3]), 0, ...heardAs("mulaw", [5, 6, 7, 8])]);
    call.audio("4");
    expect(call.end()).toMatchObject({ framesIn: 7, lateAudio: 1, duplicateAudio: 1, malformed: 0 });
  });

  test("C5: buffered audio is released by time alone, and by the end of the call", async () => {
    const { stt, heard } = recordingStt();
    const call = legB({ ...QUIET, stt });
    call.audio("1");
    call.audio("3");
    await call.clock.play(100);
    expect(heard).toEqual([...heardAs("mulaw", [1]), 0, ...heardAs("mulaw", [3])]);
    call.audio("5");
    expect(call.end()).toMatchObject({ framesIn: 3 });
  });

  test.each([
    ["wraps at 2^16", 65_534],
    ["wraps at 2^31", 2 ** 31 - 2],
    ["wraps at 2^32", 2 ** 32 - 2],
    ["is negative", -3],
  ])("C5: a counter that %s stops nothing", async (_, first) => {
    const call = legB(QUIET);
    for (let i = 0; i < 10; i += 1) {
      await call.clock.play(20);
      call.audio(String(first + i >= 2 ** 16 - 2 && i >= 2 ? i - 2 : first + i));
    }
    expect(call.end()).toMatchObject({ framesIn: 10, lateAudio: 0, duplicateAudio: 0 });
  });

  test("C5: with counters that are no numbers, or missing, audio passes as it arrives", () => {
    const { stt, heard } = recordingStt();
    const call = legB({ ...QUIET, stt });
    for (const [index, chunk] of ["x", "", null, undefined, {}, 1.5].entries()) call.audio(chunk, index + 1);
    expect(heard).toEqual(heardAs("mulaw", [1, 2, 3, 4, 5, 6]));
    expect(call.end()).toMatchObject({ framesIn: 6, malformed: 0 });
  });

  test("C6: timestamps of any kind change nothing", () => {
    const call = legB(QUIET);
    for (const [index, timestamp] of ["0", "-5", "1e12", "NaN", null, 3_600_000, "0"].entries()) {
      call.json({
        event: "media",
        stream_id: STREAM_ID,
        media: { track: "inbound", chunk: String(index + 1), timestamp, payload: payloadOf(1) },
      });
    }
    expect(call.end()).toMatchObject({ framesIn: 7 });
  });

  test("frames of other lengths than 20 ms are cut without losing a sample", () => {
    const { stt, heard } = recordingStt();
    const call = legB({ ...QUIET, stt });
    for (const chunk of [2, 1, 3, 4]) call.audio(String(chunk), 0x55, 1_000);
    expect(heard).toEqual(heardAs("mulaw", Array(25).fill(0x55)));
    expect(call.end()).toMatchObject({ framesIn: 25, lateAudio: 0 });
  });

  test("DTMF digits are delivered in the order they were pressed, also those pressed just before the end", async () => {
    const call = legB({ ...QUIET });
    call.key("3", "2026-01-01T00:00:00.300000Z");
    call.key("1", "2026-01-01T00:00:00.100000Z");
    await call.clock.play(100);
    call.key("2", "2026-01-01T00:00:00.200000Z");
    await call.clock.play(120);
    call.key("5", "2026-01-01T00:00:01.500000Z");
    call.key("4", "2026-01-01T00:00:01.400000Z");
    call.json({ event: "stop", stream_id: STREAM_ID, stop: {} });
    expect(call.digits()).toBe("12345");
    expect(call.ends()[0]).toMatchObject({ dtmfDigits: 5, reason: "caller_hangup" });
  });

  test("its errors are counted, and logged with their code up to a limit", async () => {
    const call = legB(QUIET);
    const complain = () =>
      call.json({
        event: "error",
        stream_id: STREAM_ID,
        payload: { code: 100_004, title: "invalid_media", detail: "+15550100001 said hello" },
      });
    for (let i = 0; i < 50; i += 1) complain();
    const reports = () => call.logged.filter((line) => line.includes("carrier reported an error"));
    expect(reports()).toHaveLength(5);
    expect(JSON.parse(reports()[0] ?? "")).toMatchObject({ level: 40, code: "100004" });
    expect(call.logged.join("")).not.toContain("15550100001");
    await call.clock.play(1_000);
    complain();
    expect(reports()).toHaveLength(6);
    expect(call.end()).toMatchObject({ carrierErrors: 51, malformed: 0 });
  });

  test("C11: an unsupported encoding is rejected at start, and audio of the other law crashes nothing", async () => {
    const refused = leg({ wire: createTelnyxWire({ outboundCodec: "mulaw" }) });
    for (const [encoding, channels, rate] of [
      ["G722", 1, 8_000],
      ["pcmu", 1, 8_000],
      ["PCMU", 2, 8_000],
      ["PCMU", 1, 16_000],
    ]) {
      const media_format = { encoding, channels, sample_rate: rate };
      refused.json({ event: "start", stream_id: STREAM_ID, start: { call_control_id: "v3", media_format } });
    }
    // The operator must learn what is missing; once is enough.
    const lines = refused.logged
      .filter((line) => line.includes("message from the peer refused"))
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ code: "wire_malformed", detail: expect.stringContaining("PCMU or PCMA, 8000 Hz") }]);
    await refused.clock.play(5_100);
    expect(refused.ends()[0]).toMatchObject({ reason: "protocol_error", malformed: 4 });
    const mismatched = legB({ ...QUIET, inbound: "alaw" });
    for (let code = 0; code < 256; code += 1) mismatched.audio(String(code + 1), code, 20);
    expect(mismatched.end()).toMatchObject({ framesIn: 32, malformed: 0 });
  });
});

describe("carrier_c", () => {
  test("up to fifteen seconds of a stall are made up for, and older audio is dropped and counted", async () => {
    const call = legC(QUIET);
    for (let atMs = 0; atMs < 1_000; atMs += 20) {
      call.audio(atMs);
      await call.clock.play(20);
    }
    await call.clock.play(39_000);
    for (let atMs = 1_000; atMs < 40_000; atMs += 20) call.audio(atMs);
    expect(call.socket.ended).toBeUndefined();
    const dropped = (39_000 - 15_000) / 20;
    expect(call.end()).toMatchObject({ staleAudio: dropped, framesIn: 50 + 39_000 / 20 - dropped });
  });

  test("a clear that was carried out is counted, and its marks are not waited for", async () => {
    const call = legC();
    await call.clock.play(1_000);
    call.json({ event: "clearedAudio", sequenceNumber: 3, streamId: STREAM_ID });
    call.json({ event: "playedStream", name: "1.0", streamId: STREAM_ID });
    call.json({ event: "playedStream", name: "unheard of" });
    call.json({ event: "error", reason: "no such stream" });
    expect(call.end()).toMatchObject({ cleared: 1, marksReturned: 2, carrierErrors: 1, malformed: 0 });
  });

  test("C6: its clock may be set, and the audio continues", async () => {
    const call = legC(QUIET);
    let sent = 0;
    for (const offsetMs of [0, 3_600_000, -3_600_000, 0]) {
      for (let i = 0; i < 50; i += 1) {
        call.audio(sent * 20 + offsetMs);
        sent += 1;
        await call.clock.play(20);
      }
    }
    expect(call.end()).toMatchObject({ framesIn: 200, staleAudio: 0 });
  });

  test("C3: without a stop the closed socket ends the call; with one it ends at once", async () => {
    const closed = legC();
    expect(closed.end()).toMatchObject({ reason: "caller_hangup" });
    const stopped = legC();
    stopped.json({ event: "stop", streamId: STREAM_ID });
    expect(stopped.ends()[0]).toMatchObject({ reason: "caller_hangup" });
  });
});

describe("C13: marks", () => {
  test.each(carriersUnderTest())("of $name that never come, come twice or were never sent change nothing", async ({
    make,
    start,
    mark,
    sent,
  }) => {
    const transcripts: unknown[] = [];
    for (const names of [[], ["1.0"], ["1.0", "1.0"], ["x", "1.0", "2.0", "__proto__"]]) {
      const call = leg({ wire: make() });
      call.json(start(STREAM_ID));
      const { event: cleared } = JSON.parse(sent.clear(STREAM_ID));
      await call.clock.play(3_000);
      for (const name of names) call.json(mark(name, STREAM_ID));
      await call.clock.play(5_000);
      call.connection.closed(1_006, false);
      expect(call.ends()).toMatchObject([{ agentTurns: 1, marksReturned: names.length, interrupted: 0 }]);
      transcripts.push(call.socket.events.filter((event) => event === cleared));
    }
    expect(transcripts).toEqual([[], [], [], []]);
  });
});

describe("the parameters of a start", () => {
  const CANARY = "canary-7f3a";
  const PARAMETERS = { order: CANARY, [`${CANARY}-name`]: "x", constructor: "y" };

  /** The events `leg-started` in the journal of a call. */
  async function startsOf(journal: string): Promise<unknown[]> {
    const starts: unknown[] = [];
    await readJournal(journal, (record) => {
      if (record.kind === "event" && record.event.kind === "leg-started") starts.push(record.event.parameters);
    });
    return starts;
  }

  test.each(
    carriersUnderTest(),
  )("of $name are in the journal of a call that stores words, and of none in the log", async ({
    connectionType,
    make,
    startWith,
  }) => {
    for (const transcriptEnabled of [true, false]) {
      const call = leg({ wire: make(), spec: { connectionType, transcriptEnabled } });
      call.json(startWith({ ...PARAMETERS, nested: { a: CANARY }, list: [CANARY] }));
      call.connection.closed(1_006, false);
      while (call.done() === 0) await settled();
      expect(await startsOf(call.journalPath)).toEqual([transcriptEnabled ? PARAMETERS : {}]);
      expect((await projectJournal(call.journalPath)).parameters).toEqual(transcriptEnabled ? PARAMETERS : {});
      expect(readFileSync(call.journalPath).includes(CANARY)).toBe(transcriptEnabled);
      const lines = call.logged.map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines).toMatchObject([
        { msg: "parameters of the start dropped", dropped: 2, countMax: 64, bytesMax: 8_192 },
        { msg: "call ended", parametersDropped: 2 },
      ]);
      expect(call.logged.join("")).not.toContain(CANARY);
    }
  });

  test.each(carriersUnderTest())("of $name reach the LLM where the call uses them, and only there", async ({
    connectionType,
    make,
    startWith,
    dtmf,
  }) => {
    for (const useParameters of [true, false]) {
      const llm = new ScriptedLlm(new ManualClock(), [textReply("Hello.")]);
      const spec = { connectionType, firstSpeaker: "user" as const, ...(useParameters && { useParameters }) };
      const call = leg({ wire: make(), llm, spec });
      call.json(startWith(PARAMETERS));
      call.json(dtmf("1"));
      await call.clock.play(4_000);
      const shown = llm.requests[0]?.messages.filter(({ text }) => text.includes(CANARY));
      expect(shown?.map(({ role }) => role)).toEqual(useParameters ? ["system"] : []);
      call.connection.closed(1_006, false);
    }
  });

  test.each(carriersUnderTest())("of a second start of $name change nothing", async ({ make, startWith }) => {
    const call = leg({ wire: make() });
    call.json(startWith({ order: "first" }));
    call.json(startWith({ order: "second", nested: {} }));
    call.connection.closed(1_006, false);
    while (call.done() === 0) await settled();
    expect(await startsOf(call.journalPath)).toEqual([{ order: "first" }]);
    expect(call.ends()).toMatchObject([{ ignored: 1, parametersDropped: 0 }]);
  });

  test.each(carriersUnderTest())("of $name that are too many or too long do not end the call of a real caller", async ({
    make,
    startWith,
  }) => {
    const call = leg({ wire: make() });
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, "x".repeat(i === 0 ? 8_192 : 9)]));
    call.json(startWith(many));
    await call.clock.play(3_000);
    call.connection.closed(1_006, false);
    while (call.done() === 0) await settled();
    expect(call.ends()).toMatchObject([{ agentTurns: 1, reason: "caller_hangup", parametersDropped: 1 }]);
  });
});

describe("F14-4: the carrier's id for the call", () => {
  const ID = "../../etc\n\u2028'\"\u0000👋";

  test.each(
    carriersUnderTest(),
  )("of $name is in the journal and in every log line of the call once its stream has started", async ({
    connectionType,
    make,
    start,
  }) => {
    for (const transcriptEnabled of [true, false]) {
      const call = leg({ wire: make(), spec: { connectionType, transcriptEnabled } });
      call.json(start(STREAM_ID, ID));
      call.text("not JSON");
      call.connection.closed(1_006, false);
      while (call.done() === 0) await settled();
      const lines = call.logged.map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines.map(({ msg, carrierCallId }) => [msg, carrierCallId])).toEqual([
        ["message from the peer refused", ID],
        ["call ended", ID],
      ]);
      expect(call.logged.filter((line) => line.trimEnd().includes("\n"))).toEqual([]);
      expect((await projectJournal(call.journalPath)).carrierCallId).toBe(ID);
      expect(call.started).toEqual([ID]);
    }
  });
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { SimulatedTwilio } from "../../../src/carriers/twilio/simulated.ts";
import type { Clock } from "../../../src/core/clock.ts";
import { millisecondsOf, monotonicMs } from "../../../src/core/clocks.ts";
import type { Violation } from "../../../src/simulator/peers/peer.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const ID = "0123456789abcdef0123456789abcdef";
const SID = `MZ${ID}`;
const SILENCE = 0xff;

/** A message of the carrier, as a gateway reads it. */
interface Sent {
  event: string;
  sequenceNumber: string;
  streamSid: string;
  media: { track: string; chunk: string; timestamp: string; payload: string };
  mark: { name: string };
}

interface Played {
  atMs: number;
  samples: number;
  bytes: Uint8Array;
}

/** A started stream in virtual time with a silent caller, and everything that it sent. */
function openStream(clock: ManualClock, timers: Clock = clock) {
  const sent: Sent[] = [];
  const sentAtMs: number[] = [];
  const played: Played[] = [];
  const line = { microphone: (): Uint8Array | undefined => new Uint8Array(160).fill(SILENCE), closes: 0 };
  const carrier = new SimulatedTwilio({
    clock: timers,
    id: ID,
    send: (message) => {
      sent.push(JSON.parse(message) as Sent);
      sentAtMs.push(millisecondsOf(clock.nowMs()));
    },
    close: () => {
      line.closes += 1;
    },
    microphone: () => line.microphone(),
    earphone: (frame, samples, atMs) => played.push({ atMs, samples, bytes: frame.slice() }),
  });
  carrier.start();
  const events = (event: string): Sent[] => sent.filter((message) => message.event === event);
  const play = (bytes: Uint8Array): void => carrier.receive(media(bytes));
  const mark = (name: string): void => carrier.receive(message("mark", { mark: { name } }));
  const clear = (): void => carrier.receive(message("clear"));
  return { carrier, sent, sentAtMs, played, line, events, play, mark, clear };
}

const message = (event: string, rest: object = {}): string => JSON.stringify({ event, streamSid: SID, ...rest });
const media = (bytes: Uint8Array): string =>
  message("media", { media: { payload: Buffer.from(bytes).toString("base64") } });
/** Distinct mu-law bytes that are never silence. */
const tones = (count: number, first = 0): Uint8Array => Uint8Array.from({ length: count }, (_, i) => (first + i) % 200);
const heardBytes = (played: readonly Played[]): number[] =>
  played.flatMap(({ bytes, samples }) => [...bytes.subarray(0, samples)]);

// Messages that the carrier sends.

test("it greets, then starts the stream with its ids and the only format there is", () => {
  const { sent } = openStream(new ManualClock());
  expect(sent).toEqual([
    { event: "connected", protocol: "Call", version: "1.0.0" },
    {
      event: "start",
      sequenceNumber: "1",
      streamSid: SID,
      start: {
        accountSid: `AC${ID}`,
        streamSid: SID,
        callSid: `CA${ID}`,
        tracks: ["inbound"],
        mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 1 },
        customParameters: {},
      },
    },
  ]);
});

test("every 20 ms it sends what the microphone gave, numbered in strings", () => {
  const clock = new ManualClock();
  const { line, events } = openStream(clock);
  const frame = tones(160);
  line.microphone = () => frame;
  clock.advance(60);
  expect(events("media").map(({ sequenceNumber, media }) => ({ sequenceNumber, ...media }))).toEqual(
    ["2", "3", "4"].map((sequenceNumber, i) => ({
      sequenceNumber,
      track: "inbound",
      chunk: String(i + 1),
      timestamp: String(102 + i * 20),
      payload: Buffer.from(frame).toString("base64"),
    })),
  );
});

test("ten minutes have exactly 30,000 frames, each at its own time", () => {
  const clock = new ManualClock();
  let frames = 0;
  let offBeat = 0;
  const frame = new Uint8Array(160);
  const carrier = new SimulatedTwilio({
    clock,
    id: ID,
    send: () => {},
    close: () => {},
    microphone: () => frame,
    earphone: (_frame, _samples, atMs) => {
      frames += 1;
      if (atMs !== frames * 20 || clock.nowMs() !== monotonicMs(atMs)) offBeat += 1;
    },
  });
  carrier.start();
  clock.advance(600_000);
  expect({ frames, offBeat }).toEqual({ frames: 30_000, offBeat: 0 });
});

test("timers that are always late delay frames but do not slow the stream down", () => {
  const clock = new ManualClock();
  const late: Clock = {
    nowMs: () => clock.nowMs(),
    epochMs: () => clock.epochMs(),
    after: (delayMs, task) => clock.after(delayMs + 13, task),
  };
  const { events, played } = openStream(clock, late);
  clock.advance(2_013);
  expect(events("media")).toHaveLength(100);
  expect(events("media").at(-1)?.media.timestamp).toBe(String(102 + 99 * 20));
  expect(played.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 100 }, (_, i) => (i + 1) * 20));
});

test("a telephone that sends nothing makes timestamps jump, chunks and sequence not", () => {
  const clock = new ManualClock();
  const { line, events } = openStream(clock);
  clock.advance(20);
  line.microphone = () => undefined;
  clock.advance(100);
  line.microphone = () => new Uint8Array(160);
  clock.advance(20);
  const numbers = events("media").map(({ sequenceNumber, media }) => [sequenceNumber, media.chunk, media.timestamp]);
  expect(numbers).toEqual([
    ["2", "1", "102"],
    ["3", "2", "222"],
  ]);
});

test("a DTMF digit is sent with its track and counted in the sequence", () => {
  const { carrier, events } = openStream(new ManualClock());
  carrier.pressDigit("#");
  expect(events("dtmf")).toEqual([
    { event: "dtmf", sequenceNumber: "2", dtmf: { track: "inbound_track", digit: "#" }, streamSid: SID },
  ]);
});

test("when the caller hangs up it sends stop, closes, and sends nothing more", () => {
  const clock = new ManualClock();
  const { carrier, sent, line, mark, played } = openStream(clock);
  carrier.stop();
  carrier.stop();
  expect(sent.at(-1)).toEqual({
    event: "stop",
    sequenceNumber: "2",
    stop: { accountSid: `AC${ID}`, callSid: `CA${ID}` },
    streamSid: SID,
  });
  const count = sent.length;
  mark("late");
  carrier.pressDigit("1");
  clock.advance(1_000);
  expect({ closes: line.closes, sent: sent.length, played: played.length }).toEqual({
    closes: 1,
    sent: count,
    played: 0,
  });
});

test("a caller who hangs up during a frame sends no media after the stop", () => {
  const clock = new ManualClock();
  const sent: string[] = [];
  const carrier: SimulatedTwilio = new SimulatedTwilio({
    clock,
    id: ID,
    send: (text) => sent.push((JSON.parse(text) as Sent).event),
    close: () => {},
    microphone: () => new Uint8Array(160),
    earphone: () => carrier.stop(),
  });
  carrier.start();
  clock.advance(100);
  expect(sent).toEqual(["connected", "start", "stop"]);
});

// Playback of the carrier.

test("audio of any length plays in order, 20 ms at a time, followed by silence", () => {
  const clock = new ManualClock();
  const { played, play } = openStream(clock);
  play(tones(100));
  play(tones(140, 100));
  clock.advance(60);
  expect(played.map(({ atMs, samples }) => [atMs, samples])).toEqual([
    [20, 160],
    [40, 80],
    [60, 0],
  ]);
  expect(heardBytes(played)).toEqual([...tones(240)]);
  expect([...(played[1]?.bytes.subarray(80) ?? [])]).toEqual(new Array(80).fill(SILENCE));
});

test("a sample counts as played at the end of its frame", () => {
  const clock = new ManualClock();
  const { carrier, play } = openStream(clock);
  play(tones(200));
  const counts = [20, 20, 20].map((ms) => {
    clock.advance(ms);
    return [carrier.playedSamples, carrier.bufferedSamples];
  });
  expect(counts).toEqual([
    [0, 40],
    [160, 0],
    [200, 0],
  ]);
});

test("a mark is returned when everything before it has been played, and at once when the buffer is empty", () => {
  const clock = new ManualClock();
  const { events, play, mark, sent, sentAtMs } = openStream(clock);
  mark("first");
  expect(events("mark").map(({ mark }) => mark.name)).toEqual(["first"]);
  play(tones(160));
  mark("second");
  play(tones(320));
  mark("third");
  clock.advance(200);
  const marks = sent.flatMap(({ event, mark }, i) => (event === "mark" ? [[mark.name, sentAtMs[i]]] : []));
  expect(marks).toEqual([
    ["first", 0],
    ["second", 40],
    ["third", 80],
  ]);
});

test("a clear drops what has not begun to play and sends the pending marks back at once, in order", () => {
  const clock = new ManualClock();
  const { carrier, played, events, play, mark, clear } = openStream(clock);
  play(tones(480));
  mark("one");
  play(tones(160));
  mark("two");
  clock.advance(30);
  clear();
  expect(events("mark").map(({ mark }) => mark.name)).toEqual(["one", "two"]);
  clock.advance(100);
  expect(heardBytes(played)).toEqual([...tones(160)]);
  expect({ played: carrier.playedSamples, clears: carrier.clears }).toEqual({ played: 160, clears: 1 });

  play(tones(160, 7));
  mark("three");
  clock.advance(60);
  expect(heardBytes(played).slice(160)).toEqual([...tones(160, 7)]);
  expect(events("mark").at(-1)?.mark.name).toBe("three");
  expect(carrier.playedSamples).toBe(320);
});

test("a mark right after a clear waits for the current frame", () => {
  const clock = new ManualClock();
  const { events, play, mark, clear } = openStream(clock);
  play(tones(320));
  clock.advance(25);
  clear();
  mark("after");
  expect(events("mark")).toEqual([]);
  clock.advance(15);
  expect(events("mark").map(({ mark }) => mark.name)).toEqual(["after"]);
});

test("buffered audio is never played after the other end closed the socket", () => {
  const clock = new ManualClock();
  const { carrier, played, play } = openStream(clock);
  play(tones(480));
  clock.advance(20);
  carrier.closed();
  clock.advance(1_000);
  expect({ frames: played.length, samples: carrier.playedSamples }).toEqual({ frames: 1, samples: 160 });
});

test("audio in messages of any size and timing is played once and in order", () => {
  const step = fc.record({ waitMs: fc.integer({ min: 0, max: 70 }), samples: fc.integer({ min: 1, max: 700 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const clock = new ManualClock();
      const { carrier, played, play, mark, events } = openStream(clock);
      let total = 0;
      for (const [i, { waitMs, samples }] of steps.entries()) {
        clock.advance(waitMs);
        play(tones(samples, total));
        total += samples;
        mark(String(i));
      }
      clock.advance(total / 8 + 40 + 20 * steps.length);
      expect(heardBytes(played)).toEqual([...tones(total)]);
      expect(carrier.playedSamples).toBe(total);
      expect(events("mark").map(({ mark }) => mark.name)).toEqual(steps.map((_, i) => String(i)));
    }),
  );
});

// Violations.

const good = { payload: "AAAA" };
test.each<[Violation, string | Uint8Array]>([
  ["binary", new Uint8Array(160)],
  ["not_json", "{"],
  ["not_json", "[]"],
  ["not_json", "null"],
  ["unknown_event", message("dtmf", { dtmf: { digit: "1" } })],
  ["unknown_event", "{}"],
  ["wrong_stream", JSON.stringify({ event: "clear" })],
  ["wrong_stream", JSON.stringify({ event: "media", streamSid: `CA${ID}`, media: good })],
  ["unknown_field", message("clear", { reason: "barge-in" })],
  ["unknown_field", message("media", { media: good, sequenceNumber: "1" })],
  ["unknown_field", message("media", { media: { ...good, track: "outbound" } })],
  ["unknown_field", message("mark", { mark: { name: "a", id: 1 } })],
  ["bad_payload", message("media")],
  ["bad_payload", message("media", { media: { payload: "" } })],
  ["bad_payload", message("media", { media: { payload: 7 } })],
  ["bad_payload", message("media", { media: { payload: "!!!!" } })],
  ["bad_payload", message("media", { media: { payload: "AAAAA" } })],
  ["bad_payload", message("media", { media: { payload: "AA-_" } })],
  ["bad_payload", message("media", { media: { payload: "AAA" } })],
  ["bad_mark", message("mark")],
  ["bad_mark", message("mark", { mark: { name: "" } })],
  ["bad_mark", message("mark", { mark: { name: 1 } })],
])("%s: %s is counted and changes nothing", (violation, text) => {
  const clock = new ManualClock();
  const { carrier, played, sent } = openStream(clock);
  carrier.receive(text);
  clock.advance(40);
  expect([...carrier.violations]).toEqual([[violation, 1]]);
  expect(played.every(({ samples }) => samples === 0)).toBe(true);
  expect(sent.filter(({ event }) => event === "mark")).toEqual([]);
});

test("audio beyond ten minutes and marks beyond their limit are refused", () => {
  const { carrier, play, mark } = openStream(new ManualClock());
  for (let minute = 0; minute < 11; minute += 1) play(new Uint8Array(60 * 8_000));
  for (let i = 0; i < 1_025; i += 1) mark(String(i));
  expect(carrier.bufferedSamples).toBe(600 * 8_000);
  expect([...carrier.violations]).toEqual([["buffer_full", 2]]);
});

import { expect, test } from "vitest";
import { SimulatedPlivo } from "../../../src/carriers/plivo/simulated.ts";
import { epochMs } from "../../../src/core/clocks.ts";
import type { Violation } from "../../../src/simulator/peers/peer.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const ID = "0123456789abcdef0123456789abcdef";
const STREAM_ID = "01234567-89ab-cdef-0123-456789abcdef";
const EPOCH_MS = Date.UTC(2026, 0, 1);

/** A message of the carrier, as a gateway reads it. */
interface Sent {
  event: string;
  sequenceNumber: number;
  streamId: string;
  name: string;
}

/** A started stream in virtual time with a silent caller, and everything that it sent. */
function openStream() {
  const clock = new ManualClock(epochMs(EPOCH_MS));
  const sent: Sent[] = [];
  const played: number[] = [];
  const line = { microphone: (): Uint8Array | undefined => new Uint8Array(160).fill(0xff), closes: 0 };
  const carrier = new SimulatedPlivo({
    clock,
    id: ID,
    send: (message) => sent.push(JSON.parse(message) as Sent),
    close: () => {
      line.closes += 1;
    },
    microphone: () => line.microphone(),
    earphone: (_frame, samples) => played.push(samples),
  });
  carrier.start();
  const events = (event: string): Sent[] => sent.filter((message) => message.event === event);
  const tell = (message: object): void => carrier.receive(JSON.stringify(message));
  const play = (bytes: number): void => tell({ event: "playAudio", media: audio(bytes) });
  const checkpoint = (name: string): void => tell({ event: "checkpoint", streamId: STREAM_ID, name });
  const clear = (): void => tell({ event: "clearAudio", streamId: STREAM_ID });
  const playedNames = (): string[] => events("playedStream").map(({ name }) => name);
  return { clock, carrier, sent, played, line, events, tell, play, checkpoint, clear, playedNames };
}

const audio = (bytes: number) => ({
  contentType: "audio/x-mulaw",
  sampleRate: 8_000,
  payload: Buffer.alloc(bytes, 1).toString("base64"),
});

test("it starts without a greeting, with a number as sequence number, and different ids of call and stream", () => {
  const { sent } = openStream();
  expect(sent).toEqual([
    {
      event: "start",
      sequenceNumber: 1,
      start: {
        callId: "fedcba98-7654-3210-fedc-ba9876543210",
        streamId: STREAM_ID,
        accountId: "MA0123456789ABCDEF01",
        tracks: ["inbound"],
        mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8_000 },
      },
      extra_headers: "{}",
    },
  ]);
});

test("its audio is numbered by numbers and timed by Unix milliseconds in strings", () => {
  const { clock, events } = openStream();
  clock.advance(60);
  const payload = Buffer.alloc(160, 0xff).toString("base64");
  expect(events("media")).toEqual(
    [1, 2, 3].map((chunk) => ({
      event: "media",
      sequenceNumber: chunk + 1,
      streamId: STREAM_ID,
      media: { track: "inbound", timestamp: String(EPOCH_MS + (chunk - 1) * 20), chunk, payload },
      extra_headers: "{}",
    })),
  );
});

test("a telephone that sends nothing makes timestamps jump, chunks not", () => {
  const { clock, line, sent } = openStream();
  line.microphone = () => undefined;
  clock.advance(100);
  line.microphone = () => new Uint8Array(160);
  clock.advance(20);
  expect(sent.at(-1)).toMatchObject({ sequenceNumber: 2, media: { chunk: 1, timestamp: String(EPOCH_MS + 100) } });
});

test("a DTMF digit is sent with its time", () => {
  const { clock, carrier, events } = openStream();
  clock.advance(5);
  carrier.pressDigit("5");
  expect(events("dtmf")).toEqual([
    {
      event: "dtmf",
      sequenceNumber: 2,
      streamId: STREAM_ID,
      dtmf: { track: "inbound", digit: "5", timestamp: String(EPOCH_MS + 5) },
      extra_headers: "{}",
    },
  ]);
});

test("a checkpoint is returned when everything before it has been played, and at once when the buffer is empty", () => {
  const { clock, events, play, checkpoint, playedNames } = openStream();
  checkpoint("nothing before");
  expect(events("playedStream")).toEqual([
    { event: "playedStream", sequenceNumber: 2, streamId: STREAM_ID, name: "nothing before" },
  ]);
  play(320);
  checkpoint("said");
  clock.advance(59);
  expect(playedNames()).toEqual(["nothing before"]);
  clock.advance(1);
  expect(playedNames()).toEqual(["nothing before", "said"]);
});

test("a clear is confirmed, and the checkpoints before it are never returned", () => {
  const { clock, carrier, played, events, play, checkpoint, clear, playedNames } = openStream();
  play(480);
  checkpoint("cleared");
  clock.advance(30);
  clear();
  expect(events("clearedAudio")).toEqual([
    { event: "clearedAudio", sequenceNumber: expect.any(Number), streamId: STREAM_ID },
  ]);
  play(160);
  checkpoint("after");
  clock.advance(2_000);
  expect(playedNames()).toEqual(["after"]);
  expect(played.reduce((sum, samples) => sum + samples, 0)).toBe(320);
  expect({ played: carrier.playedSamples, clears: carrier.clears }).toEqual({ played: 320, clears: 1 });
});

test("the caller's hang-up only closes the socket", () => {
  const { carrier, sent, line } = openStream();
  carrier.stop();
  expect({ events: sent.map(({ event }) => event), closes: line.closes }).toEqual({ events: ["start"], closes: 1 });
});

test("both forms are accepted where the documentation is silent", () => {
  const { carrier, tell } = openStream();
  tell({ event: "playAudio", streamId: STREAM_ID, media: { ...audio(160), sampleRate: "8000" } });
  tell({ event: "sendDTMF", dtmf: "12*#D" });
  tell({ event: "clearAudio" });
  expect({ clears: carrier.clears, violations: [...carrier.violations] }).toEqual({ clears: 1, violations: [] });
});

test("at most sixty seconds are buffered", () => {
  const { carrier, play } = openStream();
  for (let second = 0; second < 61; second += 1) play(8_000);
  expect(carrier.bufferedSamples).toBe(60 * 8_000);
  expect([...carrier.violations]).toEqual([["buffer_full", 1]]);
});

test("a message has at most 64 KiB", () => {
  const { carrier, play } = openStream();
  const rest = JSON.stringify({ event: "playAudio", media: audio(0) }).length;
  play(((64 * 1_024 - rest) / 4) * 3 - 3);
  expect(carrier.violations.size).toBe(0);
  play(((64 * 1_024 - rest) / 4) * 3 + 3);
  expect([...carrier.violations]).toEqual([["too_large", 1]]);
});

test.each<[Violation, string | object]>([
  ["binary", new Uint8Array(160)],
  ["not_json", "[1]"],
  ["unknown_event", { event: "media", media: { payload: "AAAA" } }],
  ["unknown_event", { event: "clear", streamId: STREAM_ID }],
  ["wrong_stream", { event: "checkpoint", name: "without a stream" }],
  ["wrong_stream", { event: "clearAudio", streamId: "another" }],
  ["wrong_stream", { event: "playAudio", streamId: "another", media: audio(160) }],
  ["unknown_field", { event: "clearAudio", streamId: STREAM_ID, name: "x" }],
  ["unknown_field", { event: "checkpoint", streamId: STREAM_ID, name: "x", mark: {} }],
  ["unknown_field", { event: "playAudio", media: { ...audio(160), track: "outbound" } }],
  ["wrong_format", { event: "playAudio", media: { ...audio(160), contentType: "audio/x-mulaw;rate=8000" } }],
  ["wrong_format", { event: "playAudio", media: { ...audio(160), sampleRate: 16_000 } }],
  ["bad_payload", { event: "playAudio", media: { ...audio(160), payload: "!" } }],
  ["bad_payload", { event: "playAudio" }],
  ["bad_mark", { event: "checkpoint", streamId: STREAM_ID }],
  ["bad_digit", { event: "sendDTMF", dtmf: "12e" }],
])("%s: %j is counted and changes nothing", (violation, message) => {
  const { clock, carrier, played, sent } = openStream();
  carrier.receive(typeof message === "string" || message instanceof Uint8Array ? message : JSON.stringify(message));
  clock.advance(40);
  expect([...carrier.violations]).toEqual([[violation, 1]]);
  expect(played).toEqual([0, 0]);
  expect(carrier.clears).toBe(0);
  expect(sent.map(({ event }) => event)).toEqual(["start", "media", "media"]);
});

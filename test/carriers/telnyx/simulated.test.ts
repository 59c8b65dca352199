import { expect, test } from "vitest";
import { SimulatedTelnyx } from "../../../src/carriers/telnyx/simulated.ts";
import { A_LAW, MU_LAW } from "../../../src/media/g711.ts";
import type { CarrierCodecs } from "../../../src/simulator/peers/carrier.ts";
import type { Violation } from "../../../src/simulator/peers/peer.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const ID = "0123456789abcdef0123456789abcdef";
const STREAM_ID = "01234567-89ab-cdef-0123-456789abcdef";
const BOTH_MU_LAW: CarrierCodecs = { inbound: "mulaw", outbound: "mulaw" };

/** A message of the carrier, as a gateway reads it. */
interface Sent {
  event: string;
  sequence_number: string;
  stream_id: string;
  occurred_at: string;
  start: { media_format: object };
  media: { track: string; chunk: string; timestamp: string; payload: string };
  mark: { name: string };
  dtmf: { digit: string };
  payload: { code: number; title: string; detail: string };
}

/** A started stream in virtual time with a silent caller, and everything that it sent. */
function openStream({ codecs = BOTH_MU_LAW, shuffleSeed }: { codecs?: CarrierCodecs; shuffleSeed?: number } = {}) {
  const clock = new ManualClock();
  const sent: Sent[] = [];
  const played: { samples: number; bytes: Uint8Array }[] = [];
  const line = { microphone: (): Uint8Array | undefined => new Uint8Array(160).fill(0xff), closes: 0 };
  const carrier = new SimulatedTelnyx({
    clock,
    id: ID,
    codecs,
    ...(shuffleSeed === undefined ? {} : { shuffleSeed }),
    send: (message) => sent.push(JSON.parse(message) as Sent),
    close: () => {
      line.closes += 1;
    },
    microphone: () => line.microphone(),
    earphone: (frame, samples) => played.push({ samples, bytes: frame.slice() }),
  });
  carrier.start();
  const events = (event: string): Sent[] => sent.filter((message) => message.event === event);
  const play = (bytes: Uint8Array): void => carrier.receive(media(bytes));
  const mark = (name: string): void => carrier.receive(JSON.stringify({ event: "mark", mark: { name } }));
  const clear = (): void => carrier.receive(`{"event":"clear"}`);
  return { clock, carrier, sent, played, line, events, play, mark, clear };
}

const media = (bytes: Uint8Array): string =>
  JSON.stringify({ event: "media", media: { payload: Buffer.from(bytes).toString("base64") } });
const marksOf = (sent: readonly Sent[]): string[] => sent.map(({ mark }) => mark.name);

test("it greets without a sequence number, then starts the stream with its id at the top level", () => {
  const { sent } = openStream();
  expect(sent).toEqual([
    { event: "connected", version: "1.0.0" },
    {
      event: "start",
      sequence_number: "1",
      stream_id: STREAM_ID,
      start: {
        user_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        call_control_id: `v3:${ID}`,
        call_session_id: "fedcba98-7654-3210-fedc-ba9876543210",
        from: "+12025550142",
        to: "+12025550187",
        tags: [],
        client_state: null,
        custom_parameters: {},
        media_format: { encoding: "PCMU", sample_rate: 8_000, channels: 1 },
      },
    },
  ]);
});

test("the inbound codec is announced, the outbound one is played, and they need not be the same", () => {
  const { clock, events, played } = openStream({ codecs: { inbound: "alaw", outbound: "mulaw" } });
  clock.advance(20);
  expect(events("start")[0]?.start.media_format).toMatchObject({ encoding: "PCMA" });
  expect(played[0]?.bytes).toEqual(new Uint8Array(160).fill(MU_LAW.silenceByte));
  const other = openStream({ codecs: { inbound: "mulaw", outbound: "alaw" } });
  other.clock.advance(20);
  expect(other.events("start")[0]?.start.media_format).toMatchObject({ encoding: "PCMU" });
  expect(other.played[0]?.bytes).toEqual(new Uint8Array(160).fill(A_LAW.silenceByte));
});

test("every 20 ms it sends what the microphone gave, numbered in strings", () => {
  const { clock, line, events } = openStream();
  const frame = Uint8Array.from({ length: 160 }, (_, i) => i);
  line.microphone = () => frame;
  clock.advance(60);
  const payload = Buffer.from(frame).toString("base64");
  expect(events("media")).toEqual(
    ["1", "2", "3"].map((chunk, i) => ({
      event: "media",
      sequence_number: String(i + 2),
      stream_id: STREAM_ID,
      media: { track: "inbound", chunk, timestamp: String(i * 20), payload },
    })),
  );
});

test("a DTMF digit is sent with its time in microseconds", () => {
  const { clock, carrier, events } = openStream();
  clock.advance(5);
  carrier.pressDigit("#");
  expect(events("dtmf")).toEqual([
    {
      event: "dtmf",
      sequence_number: "2",
      stream_id: STREAM_ID,
      occurred_at: "2026-01-01T00:00:00.005000Z",
      dtmf: { digit: "#" },
    },
  ]);
});

test("a clear sends the pending marks back at once, in order, and what was buffered is never played", () => {
  const { clock, carrier, played, events, play, mark, clear } = openStream();
  mark("nothing before");
  expect(marksOf(events("mark"))).toEqual(["nothing before"]);
  play(new Uint8Array(480).fill(1));
  mark("one");
  mark("two");
  clock.advance(30);
  clear();
  expect(marksOf(events("mark"))).toEqual(["nothing before", "one", "two"]);
  clock.advance(100);
  expect(played.reduce((sum, { samples }) => sum + samples, 0)).toBe(160);
  expect({ played: carrier.playedSamples, clears: carrier.clears }).toEqual({ played: 160, clears: 1 });
});

test("the caller's hang-up sends stop with the call's id, and then closes the socket", () => {
  const { carrier, sent, line } = openStream();
  carrier.stop();
  expect(sent.at(-1)).toMatchObject({ event: "stop", sequence_number: "2", stop: { call_control_id: `v3:${ID}` } });
  expect(line.closes).toBe(1);
});

test("C5: shuffled audio arrives complete and at most two messages late, the same for the same seed", () => {
  const chunks = (seed: number): number[] => {
    const { clock, carrier, events } = openStream({ shuffleSeed: seed });
    clock.advance(10_000);
    carrier.stop();
    return events("media").map((message) => Number(message.media.chunk));
  };
  const first = chunks(7);
  const inOrder = Array.from({ length: 500 }, (_, i) => i + 1);
  expect(first).not.toEqual(inOrder);
  expect(first.toSorted((a, b) => a - b)).toEqual(inOrder);
  // No message is late by more than the allowed ticks.
  for (const [place, chunk] of first.entries()) expect(Math.abs(place + 1 - chunk)).toBeLessThanOrEqual(2);
  expect(chunks(7)).toEqual(first);
  expect(chunks(8)).not.toEqual(first);
});

test("DTMF digits that arrive out of order can be sorted by their times", () => {
  const keys = "123456789";
  const { clock, carrier, events } = openStream({ shuffleSeed: 3 });
  for (const key of keys) {
    carrier.pressDigit(key);
    clock.advance(15);
  }
  clock.advance(100);
  const sent = events("dtmf");
  const join = (messages: readonly Sent[]): string => messages.map(({ dtmf }) => dtmf.digit).join("");
  expect(join(sent)).not.toBe(keys);
  expect(join(sent.toSorted((a, b) => a.occurred_at.localeCompare(b.occurred_at)))).toBe(keys);
});

test("a message has between 20 ms and 30 s of audio", () => {
  const { carrier, play } = openStream();
  play(new Uint8Array(160));
  play(new Uint8Array(30 * 8_000));
  expect(carrier.violations.size).toBe(0);
  play(new Uint8Array(159));
  play(new Uint8Array(30 * 8_000 + 1));
  expect([...carrier.violations]).toEqual([["bad_length", 2]]);
  expect(carrier.bufferedSamples).toBe(160 + 30 * 8_000);
});

test("a message may contain the stream's id, if it is the right one", () => {
  const { carrier } = openStream();
  carrier.receive(JSON.stringify({ event: "clear", stream_id: STREAM_ID }));
  expect({ clears: carrier.clears, violations: carrier.violations.size }).toEqual({ clears: 1, violations: 0 });
});

const good = { payload: Buffer.alloc(160).toString("base64") };
test.each<[Violation, number, string | object]>([
  ["binary", 100_003, new Uint8Array(160)],
  ["not_json", 100_003, "{"],
  ["unknown_event", 100_003, { event: "playAudio", media: good }],
  ["wrong_stream", 100_003, { event: "clear", stream_id: "another" }],
  ["unknown_field", 100_003, { event: "clear", reason: "barge-in" }],
  ["unknown_field", 100_003, { event: "media", media: { ...good, track: "outbound" } }],
  ["bad_mark", 100_003, { event: "mark", mark: { name: "" } }],
  ["bad_mark", 100_003, { event: "mark" }],
  ["bad_payload", 100_004, { event: "media", media: { payload: "AA-_" } }],
  ["bad_payload", 100_004, { event: "media" }],
  ["bad_length", 100_004, { event: "media", media: { payload: "AAAA" } }],
])("%s is dropped, counted, and answered with %d", (violation, code, message) => {
  const { clock, carrier, played, events } = openStream();
  carrier.receive(typeof message === "string" || message instanceof Uint8Array ? message : JSON.stringify(message));
  clock.advance(40);
  expect([...carrier.violations]).toEqual([[violation, 1]]);
  expect(events("error")).toMatchObject([{ stream_id: STREAM_ID, payload: { code, detail: violation } }]);
  expect(played.every(({ samples }) => samples === 0)).toBe(true);
  expect(events("mark")).toEqual([]);
});

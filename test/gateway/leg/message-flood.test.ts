import { describe, expect, test } from "vitest";
import { parseChargeBytes } from "../../../src/carriers/parse-charge.ts";
import { BACKLOG_MS_MAX } from "../../../src/core/limits/streams/caller-audio.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import {
  CARRIER_BYTES_BURST_MAX,
  CARRIER_BYTES_PER_SECOND_MAX,
  CARRIER_MESSAGE_BYTES_MAX,
  TEXT_BYTES_BURST_MAX,
  TEXT_BYTES_PER_SECOND_MAX,
  TEXT_MESSAGE_BYTES_MAX,
} from "../../../src/core/limits/streams/messages.ts";
import type { Wire } from "../../../src/wire/wire.ts";
import { leg } from "../../callers/leg.ts";
import { websocketLeg } from "../../callers/websocket-leg.ts";
import { carrierC } from "../../carriers/plivo/subject.ts";
import { carriersUnderTest } from "../../support/wires/carriers.ts";
import { differentKeys } from "../../support/wires/costly-json.ts";
import type { CarrierUnderTest } from "../../support/wires/wire-under-test.ts";

const QUIET = { spec: { firstSpeaker: "user" as const, inactivityTimeoutMs: 3_600_000, maxDurationMs: 7_200_000 } };
const FLOOD = { code: 1_008, reason: "message_flood" };
const STREAM_ID = "5b1f4c7e-8a0d-4f63-9e2b-c3d7a1908f54";
/** 20 ms of silence. */
const PAYLOAD = Buffer.alloc(160, 0xff).toString("base64");

/** Counts the bytes of the texts that a wire parsed as JSON. */
function countingWire(wire: Wire): { wire: Wire; parsedBytes: () => number } {
  let bytes = 0;
  const decode = wire.decode.bind(wire);
  wire.decode = (message, into, isBinary, charge) => {
    const event = decode(message, into, isBinary, charge);
    if (isBinary !== true) bytes += message.length;
    return event;
  };
  return { wire, parsedBytes: () => bytes };
}

describe("ADV-H1: texts of a raw stream", () => {
  test("ADV-H1: 64 KiB of different member names at 180 messages a second end the call when 256 KiB have been parsed", async () => {
    let parsedBytes = (): number => Number.NaN;
    const call = websocketLeg({
      ...QUIET,
      tamper: (parts) => {
        ({ parsedBytes } = countingWire(parts.wire));
      },
    });
    let sent = 0;
    for (; sent < 180 && call.socket.ended === undefined; sent += 1) {
      call.text(differentKeys(CARRIER_MESSAGE_BYTES_MAX, sent, '"type":"toolResult","id":"1"'));
      await call.clock.play(1_000 / 180);
    }
    expect(call.socket.ended).toEqual(FLOOD);
    expect(sent).toBe(5);
    expect(parsedBytes()).toBe(TEXT_BYTES_BURST_MAX);
    expect(call.received("ended")).toEqual([{ type: "ended", reason: "message_flood" }]);
    expect(call.ends()).toMatchObject([{ reason: "message_flood", flooded: 1, malformed: 0 }]);
    expect(call.logged.filter((line) => line.includes("wire_flood"))).toHaveLength(1);
  });

  test("ADV-H1: 32 KiB a second are read for minutes, an eighth more ends the call", async () => {
    const end = async (bytesPerSecond: number, seconds: number): Promise<number> => {
      const call = websocketLeg(QUIET);
      const text = JSON.stringify({ type: "weather", pad: "x".repeat(bytesPerSecond / 4 - 26) });
      for (let quarter = 0; quarter < 4 * seconds; quarter += 1) {
        call.text(text);
        if (call.socket.ended !== undefined) {
          expect(call.socket.ended).toEqual(FLOOD);
          return quarter / 4;
        }
        await call.clock.play(250);
      }
      return Number.POSITIVE_INFINITY;
    };
    expect(await end(TEXT_BYTES_PER_SECOND_MAX, 180)).toBe(Number.POSITIVE_INFINITY);
    const endedS = await end((TEXT_BYTES_PER_SECOND_MAX * 9) / 8, 180);
    expect(endedS).toBeGreaterThan(50);
    expect(endedS).toBeLessThan(70);
  });

  test("ADV-H1: tool results are charged twice where they are written again: the third of 64 KiB at once ends the call", () => {
    const call = websocketLeg(QUIET);
    for (const seed of [1, 2]) {
      call.text(differentKeys(CARRIER_MESSAGE_BYTES_MAX, seed, '"type":"toolResult","id":"1"', "result"));
      expect(call.socket.ended).toBeUndefined();
    }
    call.text(differentKeys(CARRIER_MESSAGE_BYTES_MAX, 3, '"type":"toolResult","id":"1"', "result"));
    expect(call.socket.ended).toEqual(FLOOD);
  });

  test("ADV-H1: only `text` and `toolResult` may be longer than 16 KiB: 1009", () => {
    const padded = (message: object, bytes: number): string => {
      const text = JSON.stringify({ ...message, pad: "" });
      return JSON.stringify({ ...message, pad: "x".repeat(bytes - text.length) });
    };
    for (const message of [{ type: "mark", name: "a" }, { type: "dtmf", digit: "1" }, { type: "weather" }]) {
      const call = websocketLeg(QUIET);
      call.text(padded(message, TEXT_MESSAGE_BYTES_MAX));
      expect(call.socket.ended).toBeUndefined();
      call.text(padded(message, TEXT_MESSAGE_BYTES_MAX + 1));
      expect(call.socket.ended).toEqual({ code: 1_009, reason: "protocol_error" });
    }
    for (const message of [
      { type: "text", text: "Hello" },
      { type: "toolResult", id: "1", result: "x" },
    ]) {
      const call = websocketLeg(QUIET);
      call.text(padded(message, CARRIER_MESSAGE_BYTES_MAX));
      expect(call.socket.ended).toBeUndefined();
      call.hangUp();
    }
  });
});

const CARRIERS = carriersUnderTest().filter(({ inbound }) => inbound === "mulaw");

/** Members that carrier_c may add to each of its messages; with these, its audio has no fast reader. */
const EXTRA = { extra_headers: "x".repeat(2_048) };

type Track = "inbound" | "outbound";

/** A message of audio whose members are in an order that no fast reader knows. */
function mediaOf(carrier: CarrierUnderTest, chunk: number, track: Track, payload: string, extra: object = {}): object {
  const { media: _, event, ...others } = carrier.media({}, STREAM_ID);
  const media = { payload, ...carrier.place(chunk, chunk * FRAME_MS), track };
  return { media, ...others, ...extra, event };
}

/** Sends such audio for this long, by the call's clock. */
function expectBorne(carrier: CarrierUnderTest, minutes: number, tracks: readonly Track[], extra?: object): void {
  const call = begin(carrier, extra);
  for (let chunk = 1; chunk * FRAME_MS <= minutes * 60_000; chunk += 1) {
    for (const track of tracks) call.json(mediaOf(carrier, chunk, track, PAYLOAD, extra));
    call.clock.advance(FRAME_MS);
  }
  expect(call.socket.ended).toBeUndefined();
  expect(call.connection.read().counts.framesIn).toBe(minutes * 3_000);
}

function begin({ make, start }: CarrierUnderTest, extra: object = {}) {
  const call = leg({ ...QUIET, wire: make() });
  call.json({ ...start(STREAM_ID), ...extra });
  return call;
}

describe.each(CARRIERS.map((carrier) => [carrier.name, carrier] as const))("ADV-H1: messages of %s", (_, carrier) => {
  test("ADV-H1: both tracks in an unknown member order are read for minutes", () => {
    expectBorne(carrier, 2, ["inbound", "outbound"]);
  });

  test("ADV-H1: a backlog of 45 s in an unknown member order is read at once, also with 2 KiB of extra headers", async () => {
    for (const extra of [undefined, EXTRA]) {
      const call = begin(carrier, extra);
      call.json(mediaOf(carrier, 0, "inbound", PAYLOAD, extra));
      await call.clock.play(BACKLOG_MS_MAX);
      // Carriers without timestamps buffer no more than may be made up for.
      const fromMs = carrier.make().hasWallClockTimestamps ? 0 : BACKLOG_MS_MAX - 15_000;
      for (let atMs = fromMs; atMs < BACKLOG_MS_MAX; atMs += FRAME_MS) {
        call.json(mediaOf(carrier, atMs / FRAME_MS + 1, "inbound", PAYLOAD, extra));
      }
      expect(call.socket.ended).toBeUndefined();
      call.connection.closed(1_006, false);
      expect(call.ends()).toMatchObject([{ malformed: 0, flooded: 0 }]);
    }
  });

  test("ADV-H1: different member names next to the audio end the call before they cost 80,000 parts of JSON", async () => {
    const call = begin(carrier);
    let messages = 0;
    for (; messages < 500 && call.socket.ended === undefined; messages += 1) {
      call.text(differentKeys(CARRIER_MESSAGE_BYTES_MAX, messages, '"event":"weather"'));
    }
    expect(call.socket.ended).toEqual(FLOOD);
    // Each has 4 parts in about 11 bytes.
    expect((messages - 1) * 4 * (CARRIER_MESSAGE_BYTES_MAX / 11)).toBeLessThan(80_000);
    expect(call.ends()).toMatchObject([{ reason: "message_flood", flooded: 1 }]);
  });

  test("ADV-H1: bytes that only claim to be audio are charged like all others", async () => {
    const long = "A".repeat(CARRIER_MESSAGE_BYTES_MAX - 1_000);
    const audio = (at: number) => mediaOf(carrier, at, "inbound", "AAAA");
    const floods: readonly (readonly [string, (call: ReturnType<typeof leg>, at: number) => void])[] = [
      ["a payload of the outbound track", (call, at) => call.json(mediaOf(carrier, at, "outbound", long))],
      ["a payload of another event", (call) => call.json({ event: "weather", payload: long })],
      ["a second payload", (call) => call.json({ event: "weather", x: { payload: "AAAA" }, payload: long })],
      ["a name in place of a payload", (call) => call.json({ event: "weather", a: ["payload", long] })],
      ["a payload in front of that of 3 samples", (call, at) => call.json({ x: { payload: long }, ...audio(at) })],
      ["a payload after that of 3 samples", (call, at) => call.json({ ...audio(at), x: { payload: long } })],
      [
        "a payload that is overwritten by one of 3 samples",
        (call, at) => call.text(JSON.stringify(audio(at)).replace('"payload"', `"payload":"${long}","payload"`)),
      ],
    ];
    for (const [what, send] of floods) {
      const call = begin(carrier);
      let bytes = 0;
      for (let at = 1; at <= 500 && call.socket.ended === undefined; at += 1) {
        send(call, at);
        bytes += long.length;
      }
      expect([what, call.socket.ended]).toEqual([what, FLOOD]);
      expect(bytes).toBeLessThan(CARRIER_BYTES_BURST_MAX + CARRIER_MESSAGE_BYTES_MAX);
    }
  });

  test("ADV-H1: audio before the stream has begun is charged whole, because its duration is not counted yet", async () => {
    const call = leg({ ...QUIET, wire: carrier.make() });
    const long = "A".repeat(CARRIER_MESSAGE_BYTES_MAX - 1_000);
    for (let at = 1; at <= 500 && call.socket.ended === undefined; at += 1) {
      call.json(mediaOf(carrier, at, "inbound", long));
    }
    expect(call.socket.ended).toEqual(FLOOD);
  });
});

test("ADV-H1: 2 KiB of extra headers in each message of audio, in an unknown member order, are read for longer than a burst lasts", () => {
  const carrier = carrierC();
  const bytes = parseChargeBytes(Buffer.from(JSON.stringify(mediaOf(carrier, 18_000, "inbound", PAYLOAD, EXTRA))));
  // With the next lower rate in steps of 16 KiB the burst would be used up within 6 minutes.
  const lowerBytes = CARRIER_BYTES_PER_SECOND_MAX - 16 * 1_024;
  expect(((bytes * 1_000) / FRAME_MS - lowerBytes) * 360).toBeGreaterThan((lowerBytes * BACKLOG_MS_MAX) / 1_000);
  expectBorne(carrier, 6, ["inbound"], EXTRA);
});

test("ADV-H1: a carrier's burst is what it may send while it is held up", () => {
  expect(CARRIER_BYTES_BURST_MAX).toBe((CARRIER_BYTES_PER_SECOND_MAX * BACKLOG_MS_MAX) / 1_000);
});

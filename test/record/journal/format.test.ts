import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callMs, mediaMs } from "../../../src/core/clocks.ts";
import { TrunklineError } from "../../../src/core/errors.ts";
import { asTurnId } from "../../../src/core/ids.ts";
import { JOURNAL_BACKLOG_BYTES_MAX } from "../../../src/core/limits/storage/storage.ts";
import { JournalDecoder, JournalEncoder } from "../../../src/record/journal/format.ts";
import type { JournaledEvent, JournalRecord } from "../../../src/record/journal/records.ts";
import { journalHeader } from "../../../src/record/journal/redact.ts";
import { ATTACHMENTS_SINCE_VERSION, JOURNAL_VERSION } from "../../../src/record/journal/versions.ts";
import { START } from "../../support/journals/example-call.ts";
import { encode } from "../../support/journals/journal-file.ts";

const HEADER: JournalRecord = {
  kind: "header",
  timeMs: callMs(0),
  version: JOURNAL_VERSION,
  header: journalHeader("trunkline test", START),
};

const BYTES = new Uint8Array([1, 2, 3]);

const timeMs = fc.double({ min: 0, max: 1e8, noNaN: true }).map(callMs);
const count = fc.nat(0xff_ff_ff_ff);
const audio = fc.uint8Array({ maxLength: 400 });
const recordWith = (charsMax: number): fc.Arbitrary<JournalRecord> =>
  fc.oneof(
    fc.record({
      kind: fc.constant("frame-in" as const),
      timeMs,
      mediaMs: fc.double().map(mediaMs),
      isSpeech: fc.boolean(),
      audio,
      audioOmitted: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant("frame-out" as const),
      timeMs,
      turnId: count.map(asTurnId),
      samples: count,
      audio,
      audioOmitted: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant("attached" as const),
      timeMs,
      attachment: fc.integer({ min: 1, max: 0xff_ff_ff_ff }),
    }),
    fc.record({
      kind: fc.constant("event" as const),
      timeMs,
      event: fc.record({
        kind: fc.constant("stt-final" as const),
        text: fc.string({ unit: "binary", maxLength: charsMax }),
      }),
    }),
    fc.record({
      kind: fc.constant("command" as const),
      timeMs,
      command: fc.record({ kind: fc.constant("pause" as const), turnId: count.map(asTurnId) }),
    }),
  );

const encoded = (records: readonly JournalRecord[]): Buffer => {
  const encoder = new JournalEncoder();
  for (const each of records) encode(encoder, each);
  return Buffer.from(encoder.written());
};

/** Decodes bytes in chunks of `chunkBytes`; returns the records and the number of bytes left. */
const decoded = (bytes: Buffer, chunkBytes = bytes.length): { records: JournalRecord[]; restBytes: number } => {
  const records: JournalRecord[] = [];
  const decoder = new JournalDecoder((each) => records.push(structuredClone(each)));
  let at = 0;
  for (let end = Math.min(chunkBytes, bytes.length); ; end = Math.min(end + chunkBytes, bytes.length)) {
    at += decoder.push(bytes.subarray(at, end));
    if (end === bytes.length) return { records, restBytes: end - at };
  }
};

const withPlainAudio = (each: JournalRecord): JournalRecord =>
  "audio" in each ? { ...each, audio: new Uint8Array(each.audio) } : each;

describe("journal format", () => {
  test("all records are read as written, however the bytes are chunked", () => {
    fc.assert(
      fc.property(
        fc.array(recordWith(30_000), { maxLength: 40 }),
        fc.integer({ min: 1, max: 5_000 }),
        (records, chunkBytes) => {
          const { records: read, restBytes } = decoded(encoded([HEADER, ...records]), chunkBytes);
          expect(read.map(withPlainAudio)).toEqual([HEADER, ...records]);
          expect(restBytes).toBe(0);
        },
      ),
    );
  });

  test("the caller's frames can be left out, and the rest is the same", () => {
    fc.assert(
      fc.property(fc.array(recordWith(300), { maxLength: 40 }), (records) => {
        const read: JournalRecord[] = [];
        const decoder = new JournalDecoder((each) => read.push(structuredClone(each)), { leavesOutFramesIn: true });
        const bytes = encoded([HEADER, ...records]);
        expect(decoder.push(bytes)).toBe(bytes.length);
        expect(read.map(withPlainAudio)).toEqual([HEADER, ...records.filter(({ kind }) => kind !== "frame-in")]);
      }),
    );
  });

  test("K5: cut at any byte, a journal gives the records before the cut and throws nothing", () => {
    fc.assert(
      fc.property(fc.array(recordWith(30), { minLength: 1, maxLength: 6 }), (records) => {
        const all = [HEADER, ...records];
        const bytes = encoded(all);
        const ends = all.map((_, index) => encoded(all.slice(0, index + 1)).length);
        for (let length = 0; length <= bytes.length; length += 1) {
          const whole = ends.filter((end) => end <= length).length;
          const { records: read, restBytes } = decoded(bytes.subarray(0, length));
          expect(read).toHaveLength(whole);
          // The eight bytes before the header are no record, but not torn either.
          expect(restBytes).toBe(length - (ends[whole - 1] ?? (length < 8 ? 0 : 8)));
        }
      }),
      { numRuns: 5 },
    );
  });

  test("an encoder that had to grow writes the same after a reset", () => {
    const encoder = new JournalEncoder();
    const long: JournalRecord = {
      kind: "event",
      timeMs: callMs(1),
      event: { kind: "stt-final", text: "é".repeat(100_000) },
    };
    encode(encoder, HEADER);
    encode(encoder, long);
    expect(encoded([HEADER, long]).equals(encoder.written())).toBe(true);
    encoder.reset();
    expect(encoder.length).toBe(0);
    encode(encoder, HEADER);
    expect(encoded([HEADER]).equals(encoder.written())).toBe(true);
  });

  test("each kind of record is written whole where its encoder has to grow for it", () => {
    const header = encoded([HEADER]).length;
    const records: readonly JournalRecord[] = [
      { kind: "frame-in", timeMs: callMs(1), mediaMs: mediaMs(2), isSpeech: true, audio: BYTES, audioOmitted: false },
      { kind: "frame-out", timeMs: callMs(1), turnId: asTurnId(2), samples: 3, audio: BYTES, audioOmitted: false },
      { kind: "attached", timeMs: callMs(1), attachment: 2 },
      { kind: "event", timeMs: callMs(1), event: { kind: "tick" } },
      { kind: "command", timeMs: callMs(1), command: { kind: "pause", turnId: asTurnId(2) } },
    ];
    for (const record of records) {
      // So many bytes are left of the 8 KiB with which an encoder begins: too few for any record.
      for (const roomBytes of [0, 13, 17]) {
        const audio = new Uint8Array(8 * 1_024 - header - 22 - roomBytes);
        const first: JournalRecord = { ...(records[0] as JournalRecord & { kind: "frame-in" }), audio };
        expect(decoded(encoded([HEADER, first, record])).records.at(-1)).toEqual(record);
      }
    }
  });

  test("an encoder keeps the room that it needs regularly, and releases what one long record needed", () => {
    const encoder = new JournalEncoder();
    const flush = (audioBytes: number): ArrayBufferLike => {
      encoder.reset();
      encoder.frameIn(callMs(1), mediaMs(1), false, new Uint8Array(audioBytes), false);
      return encoder.written().buffer;
    };
    const grown = flush(20_000);
    expect(flush(20_000)).toBe(grown);
    expect(grown.byteLength).toBeLessThan(50_000);
    flush(100);
    expect(flush(100).byteLength).toBeLessThan(10_000);
  });

  const good = encoded([HEADER, { kind: "event", timeMs: callMs(5), event: { kind: "tick" } }]);
  const eventAt = encoded([HEADER]).length;
  const patched = (at: number, patch: (bytes: Buffer) => void): Buffer => {
    const bytes = Buffer.from(good);
    patch(bytes.subarray(at));
    return bytes;
  };
  const attachmentIn = (bytes: Buffer, attachment: number): void => {
    bytes.writeUInt8(6);
    bytes.writeUInt32LE(4, 2);
    bytes.writeUInt32LE(attachment, 14);
  };
  test.each<[string, Buffer]>([
    ["another file", Buffer.from("RIFF0000WAVEfmt ")],
    [
      "a record of a length that no record has",
      patched(eventAt + 2, (bytes) => bytes.writeUInt32LE(JOURNAL_BACKLOG_BYTES_MAX + 1)),
    ],
    ["a record of an unknown kind", patched(eventAt, (bytes) => bytes.writeUInt8(9))],
    ["zeros where a record should be", patched(eventAt, (bytes) => bytes.fill(0))],
    ["a time that is not a number", patched(eventAt + 6, (bytes) => bytes.writeDoubleLE(Number.NaN))],
    ["a time before the call", patched(eventAt + 6, (bytes) => bytes.writeDoubleLE(-1))],
    ["a time without end", patched(eventAt + 6, (bytes) => bytes.writeDoubleLE(Number.POSITIVE_INFINITY))],
    ["an event that is not JSON", patched(eventAt + 14, (bytes) => bytes.write("!"))],
    [
      "a frame without room for its head",
      patched(eventAt, (bytes) => {
        bytes.writeUInt8(2);
        bytes.writeUInt32LE(7, 2);
      }),
    ],
    [
      "an attachment without its number",
      patched(eventAt, (bytes) => {
        bytes.writeUInt8(6);
        bytes.writeUInt32LE(3, 2);
      }),
    ],
    ["an attachment before the first", patched(eventAt, (bytes) => attachmentIn(bytes, 0))],
    [
      "an attachment in a journal of a version without attachments",
      patched(0, (bytes) => {
        bytes.writeUInt16LE(ATTACHMENTS_SINCE_VERSION - 1, 4);
        attachmentIn(bytes.subarray(eventAt), 1);
      }),
    ],
    ["a second header", Buffer.concat([encoded([HEADER]), encoded([HEADER]).subarray(8)])],
    ["no header", Buffer.concat([good.subarray(0, 8), good.subarray(eventAt)])],
  ])("refuses %s", (_, bytes) => {
    expect(() => decoded(bytes)).toThrow(
      expect.toSatisfy((error) => error instanceof TrunklineError && error.code === "journal_unreadable"),
    );
  });

  test("refuses a later version by a code of its own: the file may be whole", () => {
    const later = patched(4, (bytes) => bytes.writeUInt16LE(JOURNAL_VERSION + 1));
    expect(() => decoded(later)).toThrow(
      expect.toSatisfy((error) => error instanceof TrunklineError && error.code === "journal_unsupported"),
    );
  });

  test.each([
    ["another codec", { leg: { ...START.leg, outboundCodec: "opus" } }],
    ["an impossible rate of the caller", { leg: { ...START.leg, inboundRateHz: 0 } }],
    ["a rate of the agent that no stream has", { leg: { ...START.leg, outboundRateHz: 22_050 } }],
    ["no leg", { leg: undefined }],
    ["no call", { callId: undefined }],
  ])("refuses a header with %s", (_, change) => {
    const header = { ...journalHeader("trunkline test", START), ...change };
    const bytes = encoded([{ ...HEADER, header: JSON.parse(JSON.stringify(header)) }]);
    expect(() => decoded(bytes)).toThrow(/header/);
  });

  test("everything in a journal of a version without attachments belongs to the first", () => {
    const started: JournalRecord = { kind: "event", timeMs: callMs(5), event: { kind: "leg-started", codec: "mulaw" } };
    const attached: JournalRecord = { kind: "attached", timeMs: callMs(5), attachment: 1 };
    const older = encoded([HEADER, started]);
    older.writeUInt16LE(ATTACHMENTS_SINCE_VERSION - 1, 4);
    expect(decoded(older).records.slice(1)).toEqual([attached, started]);
    expect(decoded(encoded([HEADER, attached, started])).records.slice(1)).toEqual([attached, started]);
  });

  test("refuses a leg-started without a codec, and a journal of version 1", () => {
    for (const codec of [undefined, "opus", 1]) {
      const event = { kind: "leg-started", codec } as unknown as JournaledEvent;
      expect(() => decoded(encoded([HEADER, { kind: "event", timeMs: callMs(5), event }]))).toThrow(
        "leg-started has no valid codec",
      );
    }
    const older = Buffer.from(good);
    older.writeUInt16LE(1, 4);
    expect(() => decoded(older)).toThrow(`unsupported version 1, the current one is ${JOURNAL_VERSION}`);
  });

  test("with any bytes, nothing but journal_unreadable is thrown", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 4 }), (changes) => {
        const bytes = Buffer.from(good);
        for (const [at, value] of changes) bytes[at] = value;
        try {
          decoded(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(TrunklineError);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("an error about unreadable JSON does not quote it", () => {
    const bytes = encoded([
      HEADER,
      { kind: "event", timeMs: callMs(5), event: { kind: "stt-final", text: "my secret" } },
    ]);
    bytes.write("!", eventAt + 14);
    try {
      decoded(bytes);
      expect.unreachable();
    } catch (error) {
      expect(String(error)).not.toContain("secret");
      expect((error as Error).cause).toBeUndefined();
    }
  });
});

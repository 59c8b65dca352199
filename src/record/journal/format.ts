import { strict as assert } from "node:assert";
import { STREAM_RATES_HZ } from "../../core/calls/spec.ts";
import { type CallMs, callMs, type MediaMs, mediaMs, millisecondsOf } from "../../core/clocks.ts";
import { asTurnId, type TurnId } from "../../core/ids.ts";
import { JOURNAL_BACKLOG_BYTES_MAX } from "../../core/limits/storage/storage.ts";
import type { FrameCodec } from "../../media/frame-codec.ts";
import { type JournalNames, renamed } from "./names.ts";
import {
  type JournaledCommand,
  type JournaledEvent,
  type JournalHeader,
  type JournalRecord,
  journalUnreadable,
  journalUnsupported,
} from "./records.ts";
import {
  ATTACHMENTS_SINCE_VERSION,
  JOURNAL_VERSION,
  JOURNAL_VERSIONS,
  type JournalVersions,
  renamesFrom,
} from "./versions.ts";

/*
 * A journal, little-endian throughout:
 *
 *   file       "TLKJ"  u16 version  u16 zero  | record | record | ...        the first record is the header, and only that one
 *   record     u8 kind  u8 flags  u32 payload bytes  f64 timeMs  | payload
 *   payload    of a frame-in:   f64 mediaMs  | audio
 *              of a frame-out:  u32 turnId  u32 samples  | audio
 *              of an attached:  u32 number of the attachment
 *              of all others:   JSON in UTF-8
 */
const MAGIC = Buffer.from("TLKJ");
const PREAMBLE_BYTES = 8;
const RECORD_HEAD_BYTES = 14;
const FRAME_HEAD_BYTES = 8;
const ATTACHED_BYTES = 4;

const KIND_HEADER = 1;
const KIND_FRAME_IN = 2;
const KIND_FRAME_OUT = 3;
const KIND_EVENT = 4;
const KIND_COMMAND = 5;
const KIND_ATTACHED = 6;
type JsonKind = typeof KIND_HEADER | typeof KIND_EVENT | typeof KIND_COMMAND;

const FLAG_SPEECH = 1;
const FLAG_AUDIO_OMITTED = 2;

/** Room for one flush interval of audio in both directions, in G.711. */
const ENCODER_BYTES = 8 * 1024;
/** A buffer of which less than this share was used is too large. */
const ENCODER_USED_MIN = 1 / 4;

/**
 * Writes records one after another into a buffer of its own, which grows on demand and is reused. No allocation a
 * frame.
 */
export class JournalEncoder {
  #bytes: Buffer = Buffer.allocUnsafeSlow(ENCODER_BYTES);
  #view = viewOf(this.#bytes);
  #length = 0;

  /** Bytes written since the last reset. */
  get length(): number {
    return this.#length;
  }

  /** What was written since the last reset: a borrowed view, valid until the next write or reset. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Starts again at the beginning; a buffer that had to grow is released once it is no longer needed. */
  reset(): void {
    const isTooLarge = this.#bytes.length > ENCODER_BYTES && this.#length < ENCODER_USED_MIN * this.#bytes.length;
    this.#length = 0;
    if (isTooLarge) this.#replace(Buffer.allocUnsafeSlow(ENCODER_BYTES));
  }

  /** Writes the preamble and the header, with which a file begins. */
  header(header: JournalHeader): void {
    assert.equal(this.#length, 0);
    MAGIC.copy(this.#bytes);
    this.#view.setUint16(MAGIC.length, JOURNAL_VERSION, true);
    this.#view.setUint16(MAGIC.length + 2, 0, true);
    this.#length = PREAMBLE_BYTES;
    this.#json(KIND_HEADER, callMs(0), header);
  }

  event(timeMs: CallMs, event: JournaledEvent): void {
    this.#json(KIND_EVENT, timeMs, event);
  }

  command(timeMs: CallMs, command: JournaledCommand): void {
    this.#json(KIND_COMMAND, timeMs, command);
  }

  /** The stream of this attachment starts: everything after it belongs to that, until the next. */
  attached(timeMs: CallMs, attachment: number): void {
    const at = this.#record(KIND_ATTACHED, 0, timeMs, ATTACHED_BYTES);
    this.#view.setUint32(at, attachment, true);
  }

  /**
   * Copies `audio`, encoded as on the wire. It is undefined where the journal has no audio; `audioOmitted` says that it
   * should have some.
   */
  frameIn(
    timeMs: CallMs,
    mediaMs: MediaMs,
    isSpeech: boolean,
    audio: Uint8Array | undefined,
    audioOmitted: boolean,
  ): void {
    const flags = (isSpeech ? FLAG_SPEECH : 0) | (audioOmitted ? FLAG_AUDIO_OMITTED : 0);
    const at = this.#record(KIND_FRAME_IN, flags, timeMs, FRAME_HEAD_BYTES + (audio?.length ?? 0));
    this.#view.setFloat64(at, millisecondsOf(mediaMs), true);
    if (audio !== undefined) this.#bytes.set(audio, at + FRAME_HEAD_BYTES);
  }

  /** As `frameIn`. */
  frameOut(
    timeMs: CallMs,
    turnId: TurnId,
    samples: number,
    audio: Uint8Array | undefined,
    audioOmitted: boolean,
  ): void {
    const flags = audioOmitted ? FLAG_AUDIO_OMITTED : 0;
    const at = this.#record(KIND_FRAME_OUT, flags, timeMs, FRAME_HEAD_BYTES + (audio?.length ?? 0));
    this.#view.setUint32(at, turnId, true);
    this.#view.setUint32(at + 4, samples, true);
    if (audio !== undefined) this.#bytes.set(audio, at + FRAME_HEAD_BYTES);
  }

  #json(kind: JsonKind, timeMs: CallMs, value: JournalHeader | JournaledEvent | JournaledCommand): void {
    const json = JSON.stringify(value);
    const at = this.#record(kind, 0, timeMs, Buffer.byteLength(json));
    this.#bytes.write(json, at);
  }

  /** Makes room for a record and writes its head. Returns the offset of its payload. */
  #record(kind: number, flags: number, timeMs: CallMs, payloadBytes: number): number {
    const at = this.#length;
    this.#length = at + RECORD_HEAD_BYTES + payloadBytes;
    if (this.#length > this.#bytes.length) this.#grow(at);
    this.#view.setUint8(at, kind);
    this.#view.setUint8(at + 1, flags);
    this.#view.setUint32(at + 2, payloadBytes, true);
    this.#view.setFloat64(at + 6, millisecondsOf(timeMs), true);
    return at + RECORD_HEAD_BYTES;
  }

  #grow(usedBytes: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#length, 2 * this.#bytes.length));
    this.#bytes.copy(grown, 0, 0, usedBytes);
    this.#replace(grown);
  }

  #replace(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }
}

export interface JournalDecoderOptions {
  versions?: JournalVersions;
  /** Passes on no frame of the caller, which half of all records are. Of those nothing is checked but their length. */
  leavesOutFramesIn?: boolean;
}

/**
 * Decodes records from chunks of any length. Records of an older version get the names of the current one, and the
 * stream of a journal without attachments is attachment 1.
 *
 * Throws `journal_unreadable` for anything that no writer produces, and `journal_unsupported` for a later version. A file that ends in
 * the middle of a record is no error.
 */
export class JournalDecoder {
  readonly #onRecord: (record: JournalRecord) => void;
  readonly #versions: JournalVersions;
  readonly #leavesOutFramesIn: boolean;
  /** Undefined until the preamble is read. */
  #preamble: Preamble | undefined;
  #headerSeen = false;

  constructor(
    onRecord: (record: JournalRecord) => void,
    { versions = JOURNAL_VERSIONS, leavesOutFramesIn = false }: JournalDecoderOptions = {},
  ) {
    this.#onRecord = onRecord;
    this.#versions = versions;
    this.#leavesOutFramesIn = leavesOutFramesIn;
  }

  /**
   * Emits each complete record at the start of `bytes`, or stops before the next one once `enough()` is true. Returns
   * how many bytes these records take. The rest must precede the bytes of the next call.
   */
  push(bytes: Buffer, enough = (): boolean => false): number {
    let at = 0;
    if (this.#preamble === undefined) {
      if (bytes.length < PREAMBLE_BYTES) return 0;
      this.#preamble = readPreamble(bytes, this.#versions);
      at = PREAMBLE_BYTES;
    }
    while (bytes.length - at >= RECORD_HEAD_BYTES && !enough()) {
      const payloadBytes = bytes.readUInt32LE(at + 2);
      if (payloadBytes > JOURNAL_BACKLOG_BYTES_MAX)
        throw journalUnreadable(`a record exceeds the maximum of ${JOURNAL_BACKLOG_BYTES_MAX} bytes`);
      const endAt = at + RECORD_HEAD_BYTES + payloadBytes;
      if (endAt > bytes.length) break;
      const isLeftOut = this.#leavesOutFramesIn && this.#headerSeen && bytes[at] === KIND_FRAME_IN;
      if (!isLeftOut) this.#emit(decodeRecord(bytes, at, endAt, this.#preamble), this.#preamble.version);
      at = endAt;
    }
    return at;
  }

  #emit(record: JournalRecord, version: number): void {
    if ((record.kind === "header") === this.#headerSeen)
      throw journalUnreadable("it must contain exactly one header, at its start");
    this.#headerSeen = true;
    if (version < ATTACHMENTS_SINCE_VERSION && record.kind === "event" && record.event.kind === "leg-started")
      this.#onRecord({ kind: "attached", timeMs: record.timeMs, attachment: 1 });
    this.#onRecord(record);
  }
}

/** The version of a journal, and the renames from there to the current one. */
interface Preamble {
  version: number;
  renames: readonly JournalNames[];
}

function readPreamble(bytes: Buffer, versions: JournalVersions): Preamble {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw journalUnreadable("it is not a journal");
  const version = bytes.readUInt16LE(MAGIC.length);
  const renames = renamesFrom(version, versions);
  if (renames === undefined) {
    const error = version > versions.current ? journalUnsupported : journalUnreadable;
    throw error(`unsupported version ${version}, the current one is ${versions.current}`);
  }
  return { version, renames };
}

function attachmentIn(payload: Buffer, version: number): number {
  if (version < ATTACHMENTS_SINCE_VERSION) throw journalUnreadable("an attachment in a version without attachments");
  if (payload.length !== ATTACHED_BYTES) throw journalUnreadable("an attachment record has the wrong size");
  const attachment = payload.readUInt32LE(0);
  if (attachment === 0) throw journalUnreadable("an attachment before the first");
  return attachment;
}

function decodeRecord(bytes: Buffer, at: number, endAt: number, { version, renames }: Preamble): JournalRecord {
  const flags = bytes.readUInt8(at + 1);
  const timeMs = bytes.readDoubleLE(at + 6);
  if (!(timeMs >= 0 && timeMs < Number.POSITIVE_INFINITY)) throw journalUnreadable("a record has no valid time");
  const payloadAt = at + RECORD_HEAD_BYTES;
  const audioOmitted = (flags & FLAG_AUDIO_OMITTED) !== 0;
  switch (bytes.readUInt8(at)) {
    case KIND_FRAME_IN: {
      const audio = audioIn(bytes, payloadAt, endAt);
      const isSpeech = (flags & FLAG_SPEECH) !== 0;
      return {
        kind: "frame-in",
        timeMs: callMs(timeMs),
        mediaMs: mediaMs(bytes.readDoubleLE(payloadAt)),
        isSpeech,
        audio,
        audioOmitted,
      };
    }
    case KIND_FRAME_OUT: {
      const audio = audioIn(bytes, payloadAt, endAt);
      const turnId = asTurnId(bytes.readUInt32LE(payloadAt));
      return {
        kind: "frame-out",
        timeMs: callMs(timeMs),
        turnId,
        samples: bytes.readUInt32LE(payloadAt + 4),
        audio,
        audioOmitted,
      };
    }
    case KIND_ATTACHED:
      return {
        kind: "attached",
        timeMs: callMs(timeMs),
        attachment: attachmentIn(bytes.subarray(payloadAt, endAt), version),
      };
    case KIND_EVENT:
      return { kind: "event", timeMs: callMs(timeMs), event: parseEvent(bytes.subarray(payloadAt, endAt), renames) };
    case KIND_COMMAND:
      return {
        kind: "command",
        timeMs: callMs(timeMs),
        command: parseObject(bytes.subarray(payloadAt, endAt), "commands", renames) as JournaledCommand,
      };
    case KIND_HEADER:
      return {
        kind: "header",
        timeMs: callMs(timeMs),
        version,
        header: parseHeader(bytes.subarray(payloadAt, endAt), renames),
      };
    default:
      throw journalUnreadable("a record of an unknown kind");
  }
}

function audioIn(bytes: Buffer, payloadAt: number, endAt: number): Uint8Array {
  if (endAt - payloadAt < FRAME_HEAD_BYTES) throw journalUnreadable("a frame record is too short");
  return bytes.subarray(payloadAt + FRAME_HEAD_BYTES, endAt);
}

/** Checks the fields that computations use; the rest is trusted to match the version. */
function parseEvent(payload: Buffer, renames: readonly JournalNames[]): JournaledEvent {
  const event = parseObject(payload, "events", renames) as JournaledEvent;
  if (event.kind === "leg-started" && !isCodec(event.codec)) throw journalUnreadable("leg-started has no valid codec");
  return event;
}

/** As `parseEvent`. */
function parseHeader(payload: Buffer, renames: readonly JournalNames[]): JournalHeader {
  const header = parseObject(payload, "header", renames) as Partial<JournalHeader>;
  const { callId, leg } = header;
  if (
    typeof callId !== "string" ||
    !isCodec(leg?.outboundCodec) ||
    !isRate(leg?.inboundRateHz) ||
    !isRate(leg?.outboundRateHz)
  ) {
    throw journalUnreadable("its header has no valid call id or leg");
  }
  return header as JournalHeader;
}

function parseObject(payload: Buffer, of: keyof JournalNames, renames: readonly JournalNames[]): object {
  let value: unknown;
  try {
    value = JSON.parse(payload.toString("utf8"));
  } catch {
    // The parser's own error would quote its input, which may contain words of a call.
    throw journalUnreadable("a record is not JSON");
  }
  if (typeof value !== "object" || value === null) throw journalUnreadable("a record is not a JSON object");
  return renames.reduce((object, names) => renamed(object, of, names), value);
}

const isCodec = (value: unknown): value is FrameCodec => value === "mulaw" || value === "alaw" || value === "pcm_s16le";

const isRate = (value: unknown): boolean => STREAM_RATES_HZ.some((rateHz) => rateHz === value);

const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

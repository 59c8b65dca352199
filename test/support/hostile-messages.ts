import fc from "fast-check";
import { TrunklineError } from "../../src/core/errors.ts";
import { CARRIER_MESSAGE_BYTES_MAX } from "../../src/core/limits.ts";
import { scanMedia } from "../../src/wire/media-scan.ts";
import type { InboundAudio, WireEvent } from "../../src/wire/wire.ts";
import { inboundAudio } from "./inbound-audio.ts";
import type { WireUnderTest } from "./wires.ts";

/** What one message may cost at most, ms. */
export const MESSAGE_MS_MAX = 5;
/** What takes longer is tried again, so often at most: machines pause. */
const DOUBTFUL_MS = 1;
const TRIES = 10;
/** As much audio as a hostile message is given room for: the longest fixture fits. */
const ROOM_SAMPLES = 2_000;

type Decode = (message: Uint8Array, into: InboundAudio) => WireEvent;

/** Puts messages to one dialect, and throws what none of them may do. */
export class Prober {
  readonly #subject: WireUnderTest;
  /** In the middle of the fixture's stream. */
  readonly #started: ReturnType<WireUnderTest["make"]>;
  readonly #short = inboundAudio(ROOM_SAMPLES);
  readonly #full = inboundAudio(ROOM_SAMPLES);

  constructor(subject: WireUnderTest) {
    this.#subject = subject;
    this.#started = startedWire(subject);
  }

  /**
   * Decodes a message before the start and after it. Throws when anything but an event or `wire_malformed` comes of it, or when
   * the short cut says something else than the full parse.
   */
  probe(message: Uint8Array): void {
    told((bytes, into) => this.#subject.make().decode(bytes, into), message, this.#full);
    const short = told((bytes, into) => this.#started.decode(bytes, into), message, this.#short);
    const full = told((bytes, into) => this.#started.decodeFully(bytes, into), message, this.#full);
    // What is too long is refused unread, so a full parse has no say in it.
    if (short !== full && message.length <= CARRIER_MESSAGE_BYTES_MAX) {
      throw new Error(`${short}\nby the short cut, but\n${full}\nby a full parse: ${Buffer.from(message)}`);
    }
  }

  /** How long a message takes to decode, ms: the best of a few tries where the first was slow. */
  decodeMs(message: Uint8Array): number {
    let bestMs = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES && bestMs > DOUBTFUL_MS; tries += 1) {
      const beganMs = performance.now();
      try {
        this.#started.decode(message, this.#short);
      } catch {
        // What may be thrown is for `probe` to say.
      }
      bestMs = Math.min(bestMs, performance.now() - beganMs);
    }
    return bestMs;
  }

  /** Whether the fixture's stream takes the short cut for a message. */
  isShort(message: Uint8Array): boolean {
    return scanMedia(message, this.#subject.layouts, this.#subject.inbound, this.#short);
  }
}

/** A wire that has read its fixture's stream as far as the first audio. */
export function startedWire(subject: WireUnderTest): ReturnType<WireUnderTest["make"]> {
  const wire = subject.make();
  const into = inboundAudio(ROOM_SAMPLES);
  const first = subject.lines.findIndex((line) => wire.decode(Buffer.from(line), into).kind === "audio");
  if (first === -1) throw new Error(`the stream of ${subject.name} has no audio`);
  return wire;
}

/** All that a decoder tells of a message, as a text. */
function told(decode: Decode, message: Uint8Array, into: InboundAudio): string {
  into.count = -1;
  into.timestampMs = -1;
  into.chunk = -1;
  try {
    const event = decode(message, into);
    if (event.kind !== "audio") return JSON.stringify(event);
    const { count, timestampMs, chunk, bytes, samples } = into;
    const audio = `${Buffer.from(bytes.subarray(0, count)).toString("hex")} ${samples.subarray(0, count).join()}`;
    return `audio ${chunk} at ${timestampMs}: ${audio}`;
  } catch (error) {
    if (error instanceof TrunklineError && error.code === "wire_malformed") return error.message;
    throw new Error(`${error} from ${Buffer.from(message)}`, { cause: error });
  }
}

/** The lines of a stream with a few bytes of audio instead of many, so that other places of a message are hit as well. */
export const shortened = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replace(/"payload":"[^"]*"/, '"payload":"ctDHUQ=="'));

const VALUES: readonly unknown[] = [
  ...[null, "", "0", "1", "007", 1, 0, -1, 1.5, 1e300, 2 ** 53, true, [], {}, "inbound", "outbound", "both_tracks"],
  ...["f39/", "f38", "f38=", "8000", "8e3", 8_000, 16_000, "PCMU", "pcma", "PCMA", "G722", "audio/x-mulaw", "#", "E"],
  ...["\u0000", "\ud800", "\u{1F600}", "toString", "__proto__", "2026-11-20T09:30:12Z", "9999-99-99T99:99:99Z"],
];

interface Edit {
  at: number;
  how: "set" | "drop" | "wrap" | "add";
  key: string;
  value: unknown;
}

/** JSON texts that resemble a dialect's messages: its fixture's with a few members changed, and free shapes of its words. */
export function jsonShapes(subject: WireUnderTest): fc.Arbitrary<string> {
  const lines = shortened(subject.lines);
  const words = [
    ...new Set(lines.flatMap((line) => [...line.matchAll(/"(\w+)":/g)].map(([, word]) => word as string))),
  ];
  const events = [...new Set(lines.map((line) => JSON.parse(line).event as string))];
  const value = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom<unknown>(...VALUES, subject.streamId) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );
  const key = fc.constantFrom(...words, "__proto__", "constructor", "other");
  const edit: fc.Arbitrary<Edit> = fc.record({
    at: fc.nat(1_000),
    how: fc.constantFrom("set", "set", "drop", "wrap", "add"),
    key,
    value,
  });
  const edited = fc
    .tuple(fc.constantFrom(...lines), fc.array(edit, { maxLength: 4 }))
    .map(([line, edits]) => JSON.stringify(edits.reduce(changed, JSON.parse(line))));
  const member = fc.oneof(value, fc.dictionary(key, fc.oneof(value, fc.dictionary(key, value, { maxKeys: 3 }))));
  const free = fc
    .tuple(fc.constantFrom(...events, "other"), fc.dictionary(key, member, { maxKeys: 4 }))
    .map(([event, members]) => JSON.stringify({ ...members, event }));
  return fc.oneof({ weight: 3, arbitrary: edited }, { weight: 1, arbitrary: free });
}

/** Bytes of every kind: at random, and a dialect's messages with a few bytes changed, cut out or put in. */
export function byteStrings(subject: WireUnderTest): fc.Arbitrary<Uint8Array> {
  const lines = shortened(subject.lines).map((line) => Buffer.from(line));
  const change = fc.record({
    at: fc.nat(1_000),
    dropped: fc.nat(3),
    added: fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc.constantFrom(...['"', "\\", "{", "}", ",", ":", "=", "0", "1"].map(bytesOf)),
    ),
  });
  const damaged = fc
    .tuple(fc.constantFrom(...lines), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([line, changes]) =>
      changes.reduce((bytes, { at, dropped, added }) => {
        const from = at % (bytes.length + 1);
        return Buffer.concat([bytes.subarray(0, from), added, bytes.subarray(from + dropped)]);
      }, line),
    );
  return fc.oneof(fc.uint8Array({ maxLength: 300 }), damaged);
}

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

/** One member of an object, at any depth, changed. */
function changed(root: Record<string, unknown>, { at, how, key, value }: Edit): Record<string, unknown> {
  const places: { parent: Record<string, unknown>; name: string }[] = [];
  const visit = (parent: Record<string, unknown>): void => {
    for (const name of Object.keys(parent)) {
      places.push({ parent, name });
      const child = parent[name];
      if (typeof child === "object" && child !== null) visit(child as Record<string, unknown>);
    }
  };
  visit(root);
  const place = places[at % places.length];
  if (place === undefined) return { [key]: value };
  const { parent, name } = place;
  if (how === "drop") delete parent[name];
  else if (how === "wrap") parent[name] = at % 2 === 0 ? [parent[name]] : { [key]: parent[name] };
  else parent[how === "add" ? key : name] = value;
  return root;
}

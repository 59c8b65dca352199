import fc from "fast-check";
import { mediaMs } from "../../../src/core/clocks.ts";
import { TrunklineError } from "../../../src/core/errors.ts";
import { CARRIER_MESSAGE_BYTES_MAX } from "../../../src/core/limits/streams/messages.ts";
import type { Wire } from "../../../src/wire/wire.ts";
import { inboundAudio } from "../audio/inbound-audio.ts";
import { parameterProblems } from "./parameters.ts";
import { textsOf, type WireUnderTest } from "./wire-under-test.ts";

/** What one message may cost at most, ms. */
export const MESSAGE_MS_MAX = 5;
/** What takes longer is tried again, so often at most: machines pause. */
const DOUBTFUL_MS = 1;
const TRIES = 10;

type Decode = Wire["decode"];

/** Puts messages to one dialect, and throws what none of them may do. */
export class Prober {
  readonly #subject: WireUnderTest;
  readonly #refusals: ReadonlySet<string>;
  /** In the middle of the fixture's stream. */
  readonly #started: ReturnType<WireUnderTest["make"]>;
  readonly #into = inboundAudio();

  constructor(subject: WireUnderTest) {
    this.#subject = subject;
    this.#refusals = new Set(["wire_malformed", ...Object.values(subject.refusals)]);
    this.#started = startedWire(subject);
  }

  /**
   * Decodes a message, by default a text, in the middle of a stream, and in front of its start where it has a message
   * for that. Throws when anything but an event or a typed refusal comes of it, or when a short cut says something else than the
   * full parse.
   */
  probe(message: Uint8Array, isBinary = false): void {
    const started = this.#started;
    // A stream that begins with its socket has nothing before its start; a native codec a message would fill the memory, too.
    if (started.implicitStart === undefined) {
      const fresh = this.#subject.make();
      this.#outcomeOf(fresh.decode.bind(fresh), message, isBinary);
    }
    const scanned = this.#outcomeOf(started.decode.bind(started), message, isBinary);
    const decodeFully = started.decodeFully?.bind(started);
    // What is too long is refused unread, so a full parse has no say in it.
    if (decodeFully === undefined || message.length > CARRIER_MESSAGE_BYTES_MAX) return;
    const full = this.#outcomeOf(decodeFully, message, isBinary);
    if (scanned !== full) {
      throw new Error(`${scanned}\nby the short cut, but\n${full}\nby a full parse: ${Buffer.from(message)}`);
    }
  }

  /** How long a message takes to decode, ms: the best of a few tries where the first was slow. */
  decodeMs(message: Uint8Array, isBinary = false): number {
    let bestMs = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES && bestMs > DOUBTFUL_MS; tries += 1) {
      const beganMs = performance.now();
      try {
        this.#started.decode(message, this.#into, isBinary);
      } catch {
        // What may be thrown is for `probe` to say.
      }
      bestMs = Math.min(bestMs, performance.now() - beganMs);
    }
    return bestMs;
  }

  /** All that a decoder tells of a message, as a text. */
  #outcomeOf(decode: Decode, message: Uint8Array, isBinary: boolean): string {
    const into = this.#into;
    into.count = -1;
    into.timestampMs = mediaMs(-1);
    into.chunk = -1;
    try {
      const event = decode(message, into, isBinary);
      const problems = event.kind === "start" ? parameterProblems(event.parameters) : [];
      if (problems.length > 0) throw new Error(`parameters with ${problems.join(", ")}`);
      if (event.kind !== "audio") return JSON.stringify(event);
      const { count, timestampMs, chunk, bytes, samples } = into;
      const audio = `${Buffer.from(bytes.subarray(0, count)).toString("hex")} ${samples.subarray(0, count).join()}`;
      return `audio ${chunk} at ${timestampMs}: ${audio}`;
    } catch (error) {
      if (error instanceof TrunklineError && this.#refusals.has(error.code)) return `${error.code}: ${error.message}`;
      const shown = isBinary ? Buffer.from(message).toString("base64") : Buffer.from(message);
      throw new Error(`${error} from ${shown}`, { cause: error });
    }
  }
}

/** A wire that has read its fixture's stream as far as the first audio. */
export function startedWire<Subject extends WireUnderTest>(subject: Subject): ReturnType<Subject["make"]> {
  const wire = subject.make() as ReturnType<Subject["make"]>;
  const into = inboundAudio();
  const first = subject.messages.findIndex(
    ({ bytes, isBinary }) => wire.decode(bytes, into, isBinary).kind === "audio",
  );
  if (first === -1) throw new Error(`the stream of ${subject.name} has no audio`);
  return wire;
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
  const lines = shortened(textsOf(subject));
  const { kindKey } = subject;
  const words = [
    ...new Set(lines.flatMap((line) => [...line.matchAll(/"(\w+)":/g)].map(([, word]) => word as string))),
  ];
  const kinds = [...new Set(lines.map((line) => JSON.parse(line)[kindKey] as string))];
  const strings = new Set(lines.flatMap((line) => stringsIn(JSON.parse(line))));
  const value = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom<unknown>(...VALUES, ...strings) },
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
    .tuple(fc.constantFrom(...kinds, "other"), fc.dictionary(key, member, { maxKeys: 4 }))
    .map(([kind, members]) => JSON.stringify({ ...members, [kindKey]: kind }));
  return fc.oneof({ weight: 3, arbitrary: edited }, { weight: 1, arbitrary: free });
}

/** Bytes of every kind: at random, and a dialect's text messages with a few bytes changed, cut out or put in. */
export const byteStrings = (subject: WireUnderTest): fc.Arbitrary<Uint8Array> =>
  damaged(shortened(textsOf(subject)).map((line) => Buffer.from(line)));

/** The same of the binary messages of a dialect that has some. */
export const binaryStrings = ({ messages }: WireUnderTest): fc.Arbitrary<Uint8Array> =>
  damaged(messages.filter(({ isBinary }) => isBinary).map(({ bytes }) => bytes));

function damaged(messages: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const change = fc.record({
    at: fc.nat(1_000),
    dropped: fc.nat(3),
    added: fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc.constantFrom(...['"', "\\", "{", "}", ",", ":", "=", "0", "1"].map(bytesOf)),
    ),
  });
  const changed = fc
    .tuple(fc.constantFrom(...messages), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([message, changes]) =>
      changes.reduce((bytes, { at, dropped, added }) => {
        const from = at % (bytes.length + 1);
        return Buffer.concat([bytes.subarray(0, from), added, bytes.subarray(from + dropped)]);
      }, message),
    );
  return fc.oneof(fc.uint8Array({ maxLength: 300 }), changed);
}

/** Every text within a JSON value. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
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

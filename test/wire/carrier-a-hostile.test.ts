import fc from "fast-check";
import { expect, test } from "vitest";
import { TrunklineError } from "../../src/core/errors.ts";
import { createCarrierA } from "../../src/wire/carrier-a.ts";
import { inboundAudio } from "../support/inbound-audio.ts";
import { byteMutations, fixtureLines, nearMisses } from "../support/mutate.ts";

const LINES = fixtureLines("wire/carrier_a.jsonl");
const STREAM_ID = "MZ18ad3ab5a668481ce02b83e7395059f0";
const EVENTS = ["connected", "start", "media", "mark", "dtmf", "stop", "other"];
// Hundreds of thousands of errors are made here, and nobody reads where: their stacks would cost most of the time.
Error.stackTraceLimit = 0;

const into = inboundAudio();
const wire = createCarrierA();
wire.decode(Buffer.from(LINES[1] as string), into);

/** Decodes, before and after a start; anything but an event or `wire_malformed` fails. */
function decodeAnyway(message: Uint8Array): void {
  for (const leg of [wire, createCarrierA()]) {
    try {
      leg.decode(message, into);
    } catch (error) {
      if (error instanceof TrunklineError && error.code === "wire_malformed") continue;
      expect.fail(`${error} from ${Buffer.from(message)}`);
    }
  }
}

test.each(LINES)("C10: no near miss of %s escapes as anything but wire_malformed", (line) => {
  for (const text of nearMisses(line)) decodeAnyway(Buffer.from(text));
});

test("C10: no message of the protocol with one byte wrong escapes as anything but wire_malformed", () => {
  const lines = LINES.filter((line) => line.length < 500);
  for (const line of lines) for (const message of byteMutations(line, ['"', "\\", "\u0000"])) decodeAnyway(message);
});

test("C10: of 100,000 objects that resemble messages none escapes as anything but wire_malformed", () => {
  const value = fc.oneof(
    {
      weight: 9,
      arbitrary: fc.constantFrom<unknown>(null, "", "1", 1, -1, 1e300, true, [], {}, "inbound", "outbound", "f39/"),
    },
    {
      weight: 9,
      arbitrary: fc.constantFrom<unknown>("f38", "8000", 8_000, "audio/x-mulaw", "#", "\u0000", "\ud800", STREAM_ID),
    },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
  );
  const anyOf = (...keys: readonly string[]) =>
    fc.record(Object.fromEntries(keys.map((key) => [key, value])), { requiredKeys: [] });
  const body = fc.oneof(
    value,
    anyOf("track", "timestamp", "payload", "name", "digit", "__proto__"),
    fc.record({ streamSid: value, callSid: value, mediaFormat: anyOf("encoding", "sampleRate", "channels") }),
  );
  const message = fc.tuple(fc.constantFrom(...EVENTS), fc.constantFrom(...EVENTS), body, value, fc.boolean());
  fc.assert(
    fc.property(message, ([event, other, content, streamSid, fits]) => {
      decodeAnyway(Buffer.from(JSON.stringify({ event, [fits ? event : other]: content, streamSid })));
    }),
    { numRuns: 100_000 },
  );
});

test("C10: no bytes at all escape as anything but wire_malformed", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => decodeAnyway(bytes)),
    { numRuns: 5_000 },
  );
});

test("C10: the deepest nesting that fits a message is malformed or ignored, and does not end the process", () => {
  decodeAnyway(Buffer.from("[".repeat(65_000)));
  decodeAnyway(Buffer.from(`{"event":"mark","mark":${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}}`));
});

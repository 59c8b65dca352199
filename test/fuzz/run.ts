import fc from "fast-check";
import { notOneOf, readArguments, runCommand, UsageError, wholeNumber } from "../../src/cli/command.ts";
import { binaryStrings, byteStrings, jsonShapes, MESSAGE_MS_MAX, Prober } from "../support/wires/hostile-messages.ts";
import type { WireUnderTest } from "../support/wires/wire-under-test.ts";
import { wiresUnderTest } from "../support/wires/wires.ts";

const HELP = `Puts hostile messages to every dialect, far more than the tests can.

  npm run fuzz -- --wire carrier_b --inputs 50000 --seed 7

  --wire    the wire, or a common prefix of several; default: all
  --inputs  byte strings for each dialect, as many binary messages where it has some, and a tenth as many JSON shapes; 1000000
  --seed    the same seed gives the same messages; 1

Exits with 1 at the first message that brings anything but an event or a typed refusal, that a short cut reads otherwise than the full
parse, or that takes too long.
`;

const BATCH = 5_000;
const SHAPES_PER_BYTES = 0.1;

const OPTIONS = {
  wire: { type: "string", default: "" },
  inputs: { type: "string", default: "1000000" },
  seed: { type: "string", default: "1" },
} as const;

async function run(args: readonly string[]): Promise<number> {
  const { values } = readArguments(args, OPTIONS);
  const inputs = wholeNumber("inputs", values.inputs, 1);
  const seed = wholeNumber("seed", values.seed);
  const all = wiresUnderTest();
  const subjects = all.filter(({ name }) => name.startsWith(values.wire));
  if (subjects.length === 0) {
    const names = all.map(({ name }) => name);
    throw new UsageError([notOneOf("--wire", names, values.wire)]);
  }
  // Errors are made by the million here, and their stacks, which are never read, would cost most of the time.
  Error.stackTraceLimit = 0;
  for (const subject of subjects) {
    const shapes = jsonShapes(subject).map((text) => new Uint8Array(Buffer.from(text)));
    fuzz(subject, "JSON shapes", shapes, Math.ceil(inputs * SHAPES_PER_BYTES), seed);
    fuzz(subject, "byte strings", byteStrings(subject), inputs, seed);
    if (subject.make().binaryAudio) fuzz(subject, "binary messages", binaryStrings(subject), inputs, seed, true);
  }
  return 0;
}

function fuzz(
  subject: WireUnderTest,
  what: string,
  messages: fc.Arbitrary<Uint8Array>,
  count: number,
  seed: number,
  isBinary = false,
): void {
  const prober = new Prober(subject);
  let slowestMs = 0;
  const property = fc.property(messages, (message) => {
    prober.probe(message, isBinary);
    const tookMs = prober.decodeMs(message, isBinary);
    slowestMs = Math.max(slowestMs, tookMs);
    if (tookMs > MESSAGE_MS_MAX)
      throw new Error(`${tookMs} ms for ${Buffer.from(message).toString(isBinary ? "base64" : "utf8")}`);
  });
  for (let done = 0; done < count; done += BATCH) {
    const numRuns = Math.min(BATCH, count - done);
    // Every batch has a seed of its own, so that one that fails can be run again alone.
    fc.assert(property, { numRuns, seed: seed + done });
    if (process.stderr.isTTY) process.stderr.write(`\r${subject.name}: ${done + numRuns} of ${count} ${what}`);
  }
  if (process.stderr.isTTY) process.stderr.write("\n");
  console.log(`${subject.name}: ${count} ${what}, the slowest ${slowestMs.toFixed(1)} ms, nothing found`);
}

await runCommand({ help: HELP, example: "npm run fuzz -- --wire carrier_b --inputs 50000", run });

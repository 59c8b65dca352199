import { readArguments, runCommand, wholeNumber } from "../../src/cli/command.ts";
import { TrunklineError } from "../../src/core/errors.ts";
import { OPUS_PACKET_MS_MAX } from "../../src/core/limits/streams/media.ts";
import { type OpusCodecs, type OpusDecoder, opusCodecs } from "../../src/media/opus/codecs.ts";
import { loadNativeOpus } from "../../src/media/opus/native.ts";
import { createWasmOpus, loadLibopusModule } from "../../src/media/opus/wasm.ts";
import { mutantPacket, opusStream, packetsOfEveryKind } from "../support/audio/opus-packets.ts";
import { vowelAt } from "../support/audio/vowel.ts";
import { Random } from "../support/random.ts";
import { MESSAGE_MS_MAX } from "../support/wires/hostile-messages.ts";

const HELP = `Puts mutated packets to the Opus decoders of both libraries, far more than the tests can.

  npm run fuzz:opus -- --packets 50000 --seed 7

  --packets  how many for each library, half of them at each rate of the bus; default: a million
  --seed     the same seed gives the same packets, and the same checksum of all that was decoded on the same machine; 1

Exits with 1 at the first packet that brings anything but samples within bounds or wire_malformed, that takes too long, or after which
good packets are no longer decoded as they should be; a packet that ended the process would show by itself.
`;

const RATES_HZ = [8_000, 16_000] as const;
const PACKET_SAMPLES_MAX = 16 * OPUS_PACKET_MS_MAX;
/** Every so many packets the decoder must show that it is still good. */
const PROVED_EVERY = 5_000;
/** What takes longer is tried again, so often at most and in a decoder of its own: machines pause. */
const DOUBTFUL_MS = 1;
const TRIES = 10;

const OPTIONS = { packets: { type: "string", default: "1000000" }, seed: { type: "string", default: "1" } } as const;
const MIB = 1024 * 1024;

async function run(args: readonly string[]): Promise<number> {
  const { values } = readArguments(args, OPTIONS);
  const packetsMax = wholeNumber("packets", values.packets, 1);
  const seed = wholeNumber("seed", values.seed);
  // Errors are made by the hundred thousand here, and their stacks, which are never read, would cost most of the time.
  Error.stackTraceLimit = 0;
  const good = packetsOfEveryKind();
  console.log(`seed ${seed}: ${packetsMax} mutants of ${good.length} good packets`);
  const rssBefore = process.memoryUsage.rss();
  for (const codecs of await everyCodecs()) {
    for (const rateHz of RATES_HZ) await fuzz(codecs, good, rateHz, Math.ceil(packetsMax / RATES_HZ.length), seed);
  }
  const grownMiB = (process.memoryUsage.rss() - rssBefore) / MIB;
  console.log(`memory: ${(rssBefore / MIB).toFixed(0)} MiB before, ${grownMiB.toFixed(0)} MiB more after`);
  return 0;
}

/** Both libraries, as every call may have either: the WebAssembly one, and the native one where it can be loaded. */
async function everyCodecs(): Promise<OpusCodecs[]> {
  const wasm = opusCodecs(createWasmOpus(await loadLibopusModule()));
  try {
    return [wasm, opusCodecs(await loadNativeOpus())];
  } catch (error) {
    console.log(`@discordjs/opus is left out: ${error}`);
    return [wasm];
  }
}

async function fuzz(
  codecs: OpusCodecs,
  good: ReturnType<typeof packetsOfEveryKind>,
  rateHz: (typeof RATES_HZ)[number],
  count: number,
  seed: number,
): Promise<void> {
  const random = new Random(seed + rateHz);
  const make = (): OpusDecoder => codecs.decoder(rateHz);
  const decoder = make();
  const into = new Int16Array((rateHz / 1_000) * OPUS_PACKET_MS_MAX);
  const totals = { decoded: 0, refused: 0, checksum: 0, slowestMs: 0 };
  for (let n = 1; n <= count; n += 1) {
    const packet = mutantPacket(good, random);
    const beganMs = performance.now();
    const samples = decodedSamples(decoder, packet, into);
    let tookMs = performance.now() - beganMs;
    for (let tries = 0; tries < TRIES && tookMs > DOUBTFUL_MS; tries += 1) {
      const fresh = make();
      tookMs = decodeMs(fresh, packet);
      fresh.close();
    }
    totals.slowestMs = Math.max(totals.slowestMs, tookMs);
    if (tookMs > MESSAGE_MS_MAX) throw new Error(`${tookMs} ms for packet ${n}: ${hex(packet)}`);
    if (samples < 0) {
      totals.refused += 1;
    } else {
      totals.decoded += 1;
      if (samples === 0 || samples > into.length || samples % (rateHz / 400) !== 0) {
        throw new Error(`${samples} samples of packet ${n}: ${hex(packet)}`);
      }
    }
    for (let i = 0; i < samples; i += 1) totals.checksum = (Math.imul(totals.checksum, 31) + (into[i] as number)) | 0;
    if (n % PROVED_EVERY === 0 || n === count) {
      const fresh = make();
      prove(decoder, fresh, `after packet ${n} of seed ${seed} at ${rateHz} Hz`);
      fresh.close();
      if (process.stderr.isTTY) process.stderr.write(`\r${codecs.implementation}, ${rateHz} Hz: ${n} of ${count}`);
      // A turn of the loop, in which the collector's garbage is freed.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  if (process.stderr.isTTY) process.stderr.write("\n");
  decoder.close();
  const { decoded, refused, checksum, slowestMs } = totals;
  console.log(
    `${codecs.implementation}, ${rateHz} Hz: ${decoded} decoded, ${refused} refused, the slowest ${slowestMs.toFixed(1)} ms, ` +
      `checksum ${(checksum >>> 0).toString(16)}, nothing found`,
  );
}

/** How many samples came of a packet; -1 when it was refused as it should be. */
function decodedSamples(decoder: OpusDecoder, packet: Uint8Array, into: Int16Array): number {
  try {
    return decoder.decode(packet, into);
  } catch (error) {
    if (error instanceof TrunklineError && error.code === "wire_malformed") return -1;
    throw new Error(`${error} of ${hex(packet)}`, { cause: error });
  }
}

function decodeMs(decoder: OpusDecoder, packet: Uint8Array): number {
  const into = new Int16Array(PACKET_SAMPLES_MAX);
  const beganMs = performance.now();
  decodedSamples(decoder, packet, into);
  return performance.now() - beganMs;
}

/** Throws unless a decoder that has seen much makes the same of a good stream as a new one, a second after its beginning. */
function prove(decoder: OpusDecoder, fresh: OpusDecoder, when: string): void {
  let energy = 0;
  let error = 0;
  const expected = new Int16Array(PACKET_SAMPLES_MAX);
  const found = new Int16Array(PACKET_SAMPLES_MAX);
  const stream = opusStream({ rateHz: 16_000, channels: 1, frameMs: 20, bitrateBps: 32_000 }, 1_200, vowelAt);
  for (const [n, packet] of stream.entries()) {
    const count = fresh.decode(packet, expected);
    if (decoder.decode(packet, found) !== count) throw new Error(`another count of samples ${when}`);
    if (n < 50) continue;
    for (let i = 0; i < count; i += 1) {
      energy += (expected[i] as number) ** 2;
      error += ((found[i] as number) - (expected[i] as number)) ** 2;
    }
  }
  if (error > energy / 1_000) throw new Error(`good packets are not decoded as they were before ${when}`);
}

function hex(packet: Uint8Array): string {
  return Buffer.from(packet).toString("hex");
}

await runCommand({ help: HELP, example: "npm run fuzz:opus -- --packets 50000", run });

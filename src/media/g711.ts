import { strict as assert } from "node:assert";
import alawmulaw from "alawmulaw";

/** One of the two laws of ITU-T G.711, as tables. The whole process shares them: never write to them. */
export interface G711Law {
  /** 65,536 codes, indexed by the low 16 bits of a signed sample: `encodeTable[sample & 0xffff]`. */
  readonly encodeTable: Uint8Array;
  /** 256 signed 16-bit samples, indexed by the code. */
  readonly decodeTable: Int16Array;
  /** The code of sample 0. */
  readonly silenceByte: number;
}

/** The part of the library that we use: one sample at a time is enough to build a table. */
interface SampleCodec {
  encodeSample(sample: number): number;
  decodeSample(code: number): number;
}

export const MU_LAW: G711Law = tabulate(alawmulaw.mulaw);
export const A_LAW: G711Law = tabulate(alawmulaw.alaw);

/** The common names of the two laws; the carriers' protocols have others. */
export type G711Codec = "mulaw" | "alaw";
export const G711_LAWS: Readonly<Record<G711Codec, G711Law>> = { mulaw: MU_LAW, alaw: A_LAW };

/** Decodes mu-law `bytes` into the first samples of `into`, which must have room for them. Allocates nothing. */
export function mulawDecode(bytes: Uint8Array, into: Int16Array): void {
  if (into.length < bytes.length) assert.fail("a sample for every byte");
  const table = MU_LAW.decodeTable;
  for (let i = 0; i < bytes.length; i += 1) into[i] = table[bytes[i] as number] as number;
}

/** Encodes signed 16-bit `samples` into the first bytes of `into`, which must have room for them. Allocates nothing. */
export function mulawEncode(samples: Int16Array, into: Uint8Array): void {
  if (into.length < samples.length) assert.fail("a byte for every sample");
  const table = MU_LAW.encodeTable;
  for (let i = 0; i < samples.length; i += 1) into[i] = table[(samples[i] as number) & 0xffff] as number;
}

function tabulate(codec: SampleCodec): G711Law {
  const encodeTable = new Uint8Array(65_536);
  for (let sample = 0; sample < 32_768; sample += 1) {
    // The array masks the value: the library's mu-law code is negative.
    const code = codec.encodeSample(sample);
    encodeTable[sample] = code;
    // The library encodes negative samples as sign and magnitude. ITU-T uses the one's complement, which differs for
    // the 127 samples on a decision threshold.
    encodeTable[~sample & 0xffff] = code ^ 0x80;
  }
  const decodeTable = Int16Array.from({ length: 256 }, (_, code) => codec.decodeSample(code));
  return { encodeTable, decodeTable, silenceByte: encodeTable[0] as number };
}

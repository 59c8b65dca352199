import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { A_LAW, type G711Law, MU_LAW, mulawDecode, mulawEncode } from "../../src/media/g711.ts";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Little-endian, whatever this machine is. */
function samplesSha256(samples: Int16Array): string {
  const bytes = Buffer.alloc(samples.length * 2);
  for (const [i, sample] of samples.entries()) bytes.writeInt16LE(sample, i * 2);
  return sha256(bytes);
}

describe("G.711", () => {
  test("M7: the mu-law tables are those of ITU-T G.711, for all samples and all codes", () => {
    expect(sha256(MU_LAW.encodeTable)).toBe("455d3ccb989aea3ed20d8783a99859635739069ad7ffab3bfc61f36feb6de709");
    expect(samplesSha256(MU_LAW.decodeTable)).toBe("3dab54339e520bb2c924826e3b72a917a2b612e9fd12fc867500f1d983a75827");
  });

  test("M7: the A-law tables are those of ITU-T G.711, for all samples and all codes", () => {
    expect(sha256(A_LAW.encodeTable)).toBe("f77c76aa923ee25617453f87514828a12896227f82ff383bf3bb53d6ac7c2a0f");
    expect(samplesSha256(A_LAW.decodeTable)).toBe("e04788d110e58ff8c70c93b8480190d973e3b67876b6119abbaec766cc75c174");
  });

  test("M7: every code except mu-law's negative zero survives decoding and encoding", () => {
    const changed = ({ encodeTable, decodeTable }: G711Law): number[] =>
      Array.from({ length: 256 }, (_, code) => code).filter(
        (code) => encodeTable[(decodeTable[code] as number) & 0xffff] !== code,
      );
    expect(changed(MU_LAW)).toEqual([0x7f]);
    expect(changed(A_LAW)).toEqual([]);
  });

  test.each([
    ["mu-law", MU_LAW],
    ["A-law", A_LAW],
  ])("M7: a sample that was encoded in %s once is not changed by encoding it again", (_, {
    encodeTable,
    decodeTable,
  }) => {
    const through = (sample: number): number => decodeTable[encodeTable[sample & 0xffff] as number] as number;
    const changed: number[] = [];
    for (let sample = -32_768; sample < 32_768; sample += 1) {
      const once = through(sample);
      if (through(once) !== once) changed.push(sample);
    }
    expect(changed).toEqual([]);
  });

  test("silence is the code of sample 0", () => {
    expect(MU_LAW.silenceByte).toBe(0xff);
    expect(A_LAW.silenceByte).toBe(0xd5);
  });

  test("whole frames are encoded and decoded by the tables, to the start of the given buffer", () => {
    const samples = Int16Array.of(0, 1, -4, -5, 32_767, -32_768);
    const bytes = new Uint8Array(8).fill(7);
    mulawEncode(samples, bytes);
    expect([...bytes]).toEqual([0xff, 0xff, 0x7f, 0x7e, 0x80, 0x00, 7, 7]);
    const decoded = new Int16Array(7).fill(9);
    mulawDecode(bytes.subarray(0, 6), decoded);
    expect([...decoded]).toEqual([0, 0, 0, -8, 32_124, -32_124, 9]);
  });

  test("a buffer that is too short fails an assertion", () => {
    expect(() => mulawEncode(new Int16Array(2), new Uint8Array(1))).toThrow("a byte for every sample");
    expect(() => mulawDecode(new Uint8Array(2), new Int16Array(1))).toThrow("a sample for every byte");
  });
});

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { hasOpus, OPUS_HZ, OpusStream } from "../../../web/sdk/src/opus-stream.ts";

type Output<Item> = { output: (item: Item) => void; error: (error: unknown) => void };

/** A codec of the browser, which has coded what a test says. */
class FakeCodec<Item> {
  readonly given: { timestamp: number }[] = [];
  readonly callbacks: Output<Item>;
  state = "unconfigured";

  constructor(callbacks: Output<Item>) {
    this.callbacks = callbacks;
  }

  configure(): void {
    this.state = "configured";
  }

  close(): void {
    if (this.state === "closed") throw new Error("closed twice");
    this.state = "closed";
  }

  /** As a browser does, before it reports the error. */
  fail(error: unknown): void {
    this.state = "closed";
    this.callbacks.error(error);
  }
}

class FakeEncoder extends FakeCodec<{ byteLength: number; copyTo: (into: ArrayBuffer) => void }> {
  static supported = true;
  static async isConfigSupported(): Promise<{ supported: boolean }> {
    return { supported: FakeEncoder.supported };
  }

  encode(data: { timestamp: number }): void {
    this.given.push(data);
  }

  /** So many bytes are the next packet. */
  encoded(byteLength: number): void {
    this.callbacks.output({ byteLength, copyTo: (into) => new Uint8Array(into).fill(byteLength) });
  }
}

class FakeDecoder extends FakeCodec<object> {
  static async isConfigSupported(): Promise<{ supported: boolean }> {
    return { supported: true };
  }

  decode(chunk: { timestamp: number }): void {
    this.given.push(chunk);
  }

  /** The next message that was given is decoded, to samples with this value. */
  decoded(value: number): void {
    const { timestamp = Number.NaN } = this.given.shift() ?? {};
    const copyTo = (into: Float32Array): unknown => into.fill(value);
    this.callbacks.output({ timestamp, numberOfFrames: 2, copyTo, close: () => {} });
  }
}

class Passed {
  constructor(fields: object) {
    Object.assign(this, fields);
  }

  close(): void {}
}

let encoder: FakeEncoder;
let decoder: FakeDecoder;
let stream: OpusStream;
/** What the stream reported, in order. */
let reported: unknown[];

beforeEach(() => {
  const constructed = <Codec>(codec: Codec, keep: (codec: Codec) => void): Codec => {
    keep(codec);
    return codec;
  };
  FakeEncoder.supported = true;
  vi.stubGlobal("AudioData", Passed);
  vi.stubGlobal("EncodedAudioChunk", Passed);
  vi.stubGlobal(
    "AudioEncoder",
    class extends FakeEncoder {
      constructor(callbacks: ConstructorParameters<typeof FakeEncoder>[0]) {
        super(callbacks);
        constructed(this, (made) => {
          encoder = made;
        });
      }
    },
  );
  vi.stubGlobal(
    "AudioDecoder",
    class extends FakeDecoder {
      constructor(callbacks: ConstructorParameters<typeof FakeDecoder>[0]) {
        super(callbacks);
        constructed(this, (made) => {
          decoder = made;
        });
      }
    },
  );
  reported = [];
  stream = new OpusStream({
    onPacket: (packet) => reported.push(["packet", packet.byteLength]),
    onSamples: (samples) => reported.push([...new Int16Array(samples)]),
    onMark: (name) => reported.push(name),
    onFailed: (error) => reported.push(error),
  });
});
afterEach(() => vi.unstubAllGlobals());

describe("Opus on the socket", () => {
  test("is there where the browser encodes and decodes it", async () => {
    expect(await hasOpus()).toBe(true);
    FakeEncoder.supported = false;
    expect(await hasOpus()).toBe(false);
    vi.stubGlobal("AudioEncoder", {
      isConfigSupported: () => Promise.reject(new TypeError("a member that the browser does not know")),
    });
    expect(await hasOpus()).toBe(false);
    vi.stubGlobal("AudioEncoder", undefined);
    expect(await hasOpus()).toBe(false);
  });

  test("encodes the microphone, a message every 20 ms", () => {
    for (let message = 0; message < 3; message += 1) stream.encode(new ArrayBuffer(1_920));
    expect(encoder.given).toMatchObject(
      [0, 20_000, 40_000].map((timestamp) => ({ timestamp, numberOfFrames: 960, sampleRate: OPUS_HZ, format: "s16" })),
    );
    encoder.encoded(83);
    expect(reported).toEqual([["packet", 83]]);
  });

  test("decodes the agent, whose samples stay within their range", () => {
    for (const value of [0.5, 1.5, -1.5]) {
      stream.decode(new ArrayBuffer(83));
      decoder.decoded(value);
    }
    expect(reported).toEqual([
      [16_384, 16_384],
      [32_767, 32_767],
      [-32_768, -32_768],
    ]);
  });

  test("passes a mark on when the audio before it is decoded, and at once where there is none", () => {
    stream.mark("first");
    stream.decode(new ArrayBuffer(83));
    stream.mark("second");
    stream.decode(new ArrayBuffer(83));
    stream.mark("third");
    expect(reported).toEqual(["first"]);
    decoder.decoded(0);
    expect(reported).toEqual(["first", [0, 0], "second"]);
    decoder.decoded(0);
    stream.mark("fourth");
    expect(reported.slice(3)).toEqual([[0, 0], "third", "fourth"]);
  });

  test("drops at a clear what is not decoded, with its marks, and nothing that comes after it", () => {
    stream.decode(new ArrayBuffer(83));
    stream.mark("dropped");
    stream.clear();
    stream.decode(new ArrayBuffer(83));
    stream.mark("after");
    decoder.decoded(0.25);
    expect(reported).toEqual([]);
    decoder.decoded(0.5);
    expect(reported).toEqual([[16_384, 16_384], "after"]);
  });

  test.each(["encoder", "decoder"])("says once that its %s has failed, and does nothing any more", (which) => {
    (which === "encoder" ? encoder : decoder).fail("no more");
    expect([encoder.state, decoder.state]).toEqual(["closed", "closed"]);
    stream.encode(new ArrayBuffer(1_920));
    stream.decode(new ArrayBuffer(83));
    stream.close();
    expect([reported, encoder.given, decoder.given]).toEqual([["no more"], [], []]);
  });
});

import { describe, expect, test } from "vitest";
import type { StreamFormat } from "../../../../src/core/calls/spec.ts";
import { type OpusCodecs, opusCodecs } from "../../../../src/media/opus/codecs.ts";
import { createWasmOpus, loadLibopusModule } from "../../../../src/media/opus/wasm.ts";
import { createReferenceStt } from "../../../../src/speech/reference/stt.ts";
import { createWebsocketWire } from "../../../../src/wire/websocket/wire.ts";
import { leg } from "../../../callers/leg.ts";
import { WEBSOCKET_CALL_ID } from "../../../callers/websocket-leg.ts";
import { opus } from "../../../support/audio/opus-codecs.ts";
import { opusStream } from "../../../support/audio/opus-packets.ts";
import { type Spoken, speakSentences } from "../../../support/audio/opus-watermark.ts";

const FORMAT: StreamFormat = { codec: "opus", inputRateHz: 48_000, outputRateHz: 48_000 };

/** Opus, and its open codecs. */
function countedOpus(): { codecs: OpusCodecs; open: () => number } {
  let open = 0;
  const counted = <Codec extends { close(): void }>(codec: Codec): Codec => {
    open += 1;
    const close = codec.close.bind(codec);
    codec.close = () => {
      open -= 1;
      close();
    };
    return codec;
  };
  const codecs: OpusCodecs = {
    ...opus,
    decoder: (rateHz) => counted(opus.decoder(rateHz)),
    encoder: (rateHz) => counted(opus.encoder(rateHz)),
  };
  return { codecs, open: () => open };
}

function opusLeg({
  format = FORMAT,
  stt,
}: {
  format?: StreamFormat;
  stt?: ReturnType<typeof createReferenceStt>;
} = {}) {
  const { codecs, open } = countedOpus();
  const call = leg({
    ...(stt === undefined ? {} : { stt }),
    spec: { connectionType: "websocket", websocket: format },
    wire: createWebsocketWire({ format, callId: WEBSOCKET_CALL_ID, opus: codecs }),
  });
  return { call, open };
}

describe("a leg frees its Opus codecs when its call ends", () => {
  const packet = () => opus.encoder(48_000).encode(new Int16Array(960)).slice();
  test.each([
    ["because the socket is gone", ({ call }: ReturnType<typeof opusLeg>) => call.connection.closed(1_006, false)],
    ["because the client says so", ({ call }: ReturnType<typeof opusLeg>) => call.json({ type: "end" })],
    ["by the API", ({ call }: ReturnType<typeof opusLeg>) => call.connection.end("api_hangup")],
    [
      "because its client sends no packets",
      ({ call }: ReturnType<typeof opusLeg>) => {
        for (let n = 0; n < 60; n += 1) call.connection.message(Buffer.of(0xff), true);
      },
    ],
  ])("%s, and takes no more audio", async (_, end) => {
    const leg = opusLeg();
    leg.call.connection.message(packet(), true);
    await leg.call.clock.play(200);
    expect(leg.open()).toBe(2);
    end(leg);
    expect(leg.open()).toBe(0);
    leg.call.connection.message(packet(), true);
    await leg.call.clock.play(1_000);
    expect(leg.call.logged.filter((line) => line.includes('"fault":"bug"'))).toEqual([]);
  });

  test("2,000 wires opened and closed take no more memory than one", async () => {
    const module = await loadLibopusModule();
    const codecs = opusCodecs(createWasmOpus(module));
    const open = () => createWebsocketWire({ format: FORMAT, callId: WEBSOCKET_CALL_ID, opus: codecs });
    open().close?.();
    const before = module.HEAPU8.length;
    for (let n = 0; n < 2_000; n += 1) open().close?.();
    expect(module.HEAPU8.length).toBe(before);
  });

  test("a decoder without memory for its encoder is freed", () => {
    const { codecs, open } = countedOpus();
    const full: OpusCodecs = {
      ...codecs,
      encoder() {
        throw new Error("no memory");
      },
    };
    expect(() => createWebsocketWire({ format: FORMAT, callId: WEBSOCKET_CALL_ID, opus: full })).toThrow("no memory");
    expect(open()).toBe(0);
  });
});

describe("a caller whose words the STT does not recognize", () => {
  const WARNING = "STT returned no words although the caller speaks";
  const warnings = (lines: readonly string[]) =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === WARNING);

  async function speak({ samples }: Spoken, bitrateBps: number | undefined) {
    const format: StreamFormat = { codec: "opus", inputRateHz: 8_000, outputRateHz: 8_000 };
    const { call } = opusLeg({ format, stt: createReferenceStt() });
    const client = { rateHz: 8_000, channels: 1, frameMs: 20, ...(bitrateBps && { bitrateBps }) } as const;
    const packets = opusStream(client, (samples.length / 8_000) * 1_000, (s) => samples[Math.round(s * 8_000)] ?? 0);
    for (const packet of packets) {
      await call.clock.play(20);
      call.connection.message(packet, true);
    }
    call.connection.closed(1_006, false);
    return warnings(call.logged);
  }

  test("is logged once for Opus at 8 kHz, with the bit rate of libopus; and not where the STT recognizes words", async () => {
    const { words, samples } = await speakSentences();
    // Enough for 3 s of speech, and little enough for a busy machine.
    const spoken: Spoken = { words, samples: samples.subarray(0, 6 * 8_000) };
    expect(await speak(spoken, undefined)).toMatchObject([{ level: 40, stt: "reference", codec: "opus" }]);
    expect(await speak(spoken, 32_000)).toEqual([]);
  });
});

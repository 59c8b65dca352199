import { describe, expect, test } from "vitest";
import { STREAM_RATES_HZ, type StreamCodec, type StreamRateHz } from "../../../../src/core/calls/spec.ts";
import { busRateHz } from "../../../../src/media/bus-rate.ts";
import { G711_LAWS, type G711Law } from "../../../../src/media/g711.ts";
import type { Stt, Tts } from "../../../../src/speech/contracts.ts";
import { fromPcm, pcm, websocketLeg } from "../../../callers/websocket-leg.ts";
import { opus } from "../../../support/audio/opus-codecs.ts";

const QUIET = { spec: { firstSpeaker: "user" as const, inactivityTimeoutMs: 300_000 } };
const TONE_HZ = 440;

type Format = { codec: StreamCodec; inputRateHz: StreamRateHz; outputRateHz: StreamRateHz };

const PCM_PAIRS: Format[] = STREAM_RATES_HZ.flatMap((inputRateHz) =>
  STREAM_RATES_HZ.map((outputRateHz): Format => ({ codec: "pcm_s16le", inputRateHz, outputRateHz })),
);
const G711_PAIRS: Format[] = (["mulaw", "alaw"] as const).map((codec) => ({
  codec,
  inputRateHz: 8_000,
  outputRateHz: 8_000,
}));
const OPUS_PAIRS: Format[] = PCM_PAIRS.map((format): Format => ({ ...format, codec: "opus" }));
const named = (formats: Format[]) =>
  formats.map((format) => [`${format.codec} ${format.inputRateHz} in, ${format.outputRateHz} out`, format] as const);

/** An STT that stores every sample it gets, at the rate of the bus. */
function recordingStt(): { stt: Stt; heard: number[] } {
  const heard: number[] = [];
  const stt: Stt = {
    provider: "keeping",
    capabilities: { ratesHz: [8_000, 16_000], interimTranscripts: true },
    open: () => ({
      write: (frame) => {
        for (const sample of frame) heard.push(sample);
      },
      events: (async function* () {})(),
    }),
  };
  return { stt, heard };
}

/** A TTS that returns these samples, whatever the text is. */
const voiceOf = (samples: Int16Array, rateHz: number): Tts => ({
  provider: "fixed",
  capabilities: { wordTimestamps: false },
  voices: async () => [],
  async *speak() {
    yield { samples, rateHz, words: [] };
  },
});

const tone = (rateHz: number, durationMs: number, amplitude = 8_000): Int16Array =>
  Int16Array.from({ length: (rateHz / 1_000) * durationMs }, (_, i) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * TONE_HZ * i) / rateHz)),
  );

/** Noise of every value, from a 32-bit generator: a lost, moved or changed sample shows. */
function noise(count: number): Int16Array {
  let state = 1;
  return Int16Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state >> 16;
  });
}

/**
 * How loud the tone is compared with everything else, dB, between the first and the last 100 ms; the phase is measured,
 * not expected, so that a codec's delay does not count.
 */
function snrDb(samples: ArrayLike<number>, rateHz: number): number {
  const edge = rateHz / 10;
  const step = (2 * Math.PI * TONE_HZ) / rateHz;
  // Whole periods, over which sine and cosine are orthogonal: 440 Hz has 11 in 25 ms.
  const span = Math.floor((samples.length - 2 * edge) / (rateHz / 40)) * (rateHz / 40);
  let [sine, cosine, power] = [0, 0, 0];
  for (let i = edge; i < edge + span; i += 1) {
    const sample = samples[i] as number;
    sine += sample * Math.sin(step * i);
    cosine += sample * Math.cos(step * i);
    power += sample * sample;
  }
  const signal = (2 * (sine * sine + cosine * cosine)) / (span * span);
  return 10 * Math.log10(signal / (power / span - signal));
}

/** The caller sends `samples` in messages of 20 ms; returns what the STT got. */
function speakIn(format: Format, samples: Int16Array): number[] {
  const { stt, heard } = recordingStt();
  const call = websocketLeg({ ...QUIET, format, stt });
  const perMessage = format.inputRateHz / 50;
  const encoder = format.codec === "opus" ? opus.encoder(format.inputRateHz) : undefined;
  for (let at = 0; at < samples.length; at += perMessage) {
    const frame = samples.subarray(at, at + perMessage);
    call.clock.advance(20);
    call.audio(encoder?.encode(frame) ?? kept(format.codec, frame));
  }
  expect(call.hangUp()).toMatchObject({ malformed: 0, ignored: 0 });
  return heard;
}

/** Bit for bit; a whole list of differences would take minutes to write. */
function expectSame(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  const at = Array.from(expected).findIndex((sample, i) => sample !== actual[i]);
  expect({ length: actual.length, at, sample: actual[at] }).toEqual({
    length: expected.length,
    at: -1,
    sample: undefined,
  });
}

/** Samples in a lossless codec. */
function kept(codec: StreamCodec, samples: Int16Array): Uint8Array {
  if (codec === "pcm_s16le") return pcm(samples);
  return Uint8Array.from(samples, (sample) => lawOf(codec).encodeTable[sample & 0xffff] as number);
}

/** The samples from a lossless codec. */
function through(codec: StreamCodec, samples: Int16Array): Int16Array {
  const bytes = kept(codec, samples);
  return codec === "pcm_s16le" ? samples : Int16Array.from(bytes, (code) => lawOf(codec).decodeTable[code] as number);
}

function lawOf(codec: StreamCodec): G711Law {
  if (codec !== "mulaw" && codec !== "alaw") throw new Error(`${codec} is no G.711`);
  return G711_LAWS[codec];
}

/** The agent says `samples`, which are at `rateHz`; returns what came over the wire, at the output rate. */
async function speakOut(format: Format, samples: Int16Array, rateHz: number): Promise<Int16Array> {
  const call = websocketLeg({ format, tts: voiceOf(samples, rateHz) });
  await call.clock.play(2_000);
  const frameSamples = format.outputRateHz / 50;
  const said = call.socket.audio.map((message) => {
    const bytes = Buffer.from(message);
    if (format.codec === "opus") return unpacked(bytes);
    if (format.codec === "pcm_s16le") return fromPcm(bytes);
    return Int16Array.from(bytes, (code) => lawOf(format.codec).decodeTable[code] as number);
  });
  if (format.codec !== "opus") for (const frame of said) expect(frame.length).toBe(frameSamples);
  call.hangUp();
  return Int16Array.from(said.flatMap((frame) => [...frame]));
}

const decoders = { current: opus.decoder(16_000) };
function unpacked(packet: Uint8Array): Int16Array {
  const into = new Int16Array(1_920);
  return into.slice(0, decoders.current.decode(packet, into));
}

describe("what a client sends reaches the bus", () => {
  test.each(named([...PCM_PAIRS, ...G711_PAIRS]))("%s", (_, format) => {
    const busHz = busRateHz(format.inputRateHz);
    if (busHz === format.inputRateHz) {
      // No resampler is involved.
      const sent = noise(format.inputRateHz / 2);
      const expected = through(format.codec, sent);
      expectSame(speakIn(format, sent), expected);
      return;
    }
    const heard = speakIn(format, tone(format.inputRateHz, 1_000));
    expect(heard.length).toBe((busHz / 50) * 49);
    expect(snrDb(heard, busHz)).toBeGreaterThan(70);
  });

  test.each(named(OPUS_PAIRS.filter(({ outputRateHz }) => outputRateHz === 8_000)))("%s", (_, format) => {
    const heard = speakIn(format, tone(format.inputRateHz, 1_000));
    expect(heard.length).toBe(busRateHz(format.inputRateHz));
    expect(snrDb(heard, busRateHz(format.inputRateHz))).toBeGreaterThan(15);
  });
});

describe("what the agent says reaches the client", () => {
  test.each(named([...PCM_PAIRS, ...G711_PAIRS]))("%s", async (_, format) => {
    const rateHz = format.outputRateHz;
    const sent = noise(rateHz);
    const expected = through(format.codec, sent);
    // Audio of the same rate is sent unchanged.
    expectSame(await speakOut(format, sent, rateHz), expected);
    const voiceHz = rateHz === 24_000 ? 16_000 : 24_000;
    const said = await speakOut(format, tone(voiceHz, 1_000), voiceHz);
    expect(said.length).toBe(rateHz);
    expect(snrDb(said, rateHz)).toBeGreaterThan(format.codec === "pcm_s16le" ? 70 : 30);
  });

  test.each(named(OPUS_PAIRS.filter(({ inputRateHz }) => inputRateHz === 8_000)))("%s", async (_, format) => {
    decoders.current = opus.decoder(16_000);
    const said = await speakOut(format, tone(24_000, 1_000), 24_000);
    expect(said.length).toBe(16_000);
    expect(snrDb(said, 16_000)).toBeGreaterThan(15);
  });
});

describe("messages of any length", () => {
  test("M2: bytes cut anywhere, also in the middle of samples, arrive bit for bit, and none is lost", () => {
    const sent = noise(16_000);
    const bytes = pcm(sent);
    for (const lengths of [[1, 63], [13, 1, 50], [639], [641], [1, 31_999], [7, 6_401, 2, 1_999]]) {
      const { stt, heard } = recordingStt();
      const call = websocketLeg({ ...QUIET, stt });
      for (let at = 0, n = 0; at < bytes.length; n += 1) {
        const message = bytes.subarray(at, at + (lengths[n % lengths.length] as number));
        at += message.length;
        call.clock.advance(message.length / 32);
        call.audio(message);
      }
      // Unsent silence precedes the audio where the first message is long in coming.
      expectSame(heard.slice(-sent.length), sent);
      expect(call.hangUp()).toMatchObject({ framesIn: 50, malformed: 0 });
    }
  });

  test.each([
    ["pcm_s16le", 16_000, 32_000],
    ["pcm_s16le", 48_000, 96_000],
    ["mulaw", 8_000, 8_000],
  ] as const)("M3: %s at %i Hz: a second at once is accepted, one byte more ends the call with 1009", (codec, rateHz, bytes) => {
    const call = websocketLeg({ ...QUIET, format: { codec, inputRateHz: rateHz, outputRateHz: rateHz } });
    call.audio(Buffer.alloc(bytes));
    expect(call.socket.ended).toBeUndefined();
    call.audio(Buffer.alloc(bytes + 1));
    expect(call.socket.ended).toEqual({ code: 1_009, reason: "protocol_error" });
    expect(call.ends()[0]?.framesIn).toBeGreaterThanOrEqual(49);
  });

  test("M2: an empty message is rejected, and shifts no sample around it", () => {
    const { stt, heard } = recordingStt();
    const call = websocketLeg({ ...QUIET, stt });
    const sent = noise(640);
    const bytes = pcm(sent);
    call.audio(bytes.subarray(0, 321));
    call.audio(bytes.subarray(0, 0));
    call.audio(bytes.subarray(321));
    expectSame(heard, sent);
    expect(call.received("error")).toMatchObject([{ code: "wire_malformed" }]);
    expect(call.hangUp()).toMatchObject({ malformed: 1 });
  });
});

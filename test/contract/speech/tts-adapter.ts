import { describe, expect, test } from "vitest";
import { TURN_TEXT_CHARS_MAX } from "../../../src/core/limits/calls/calls.ts";
import { PROVIDER_FIRST_OUTPUT_MS_MAX } from "../../../src/core/limits/speech-providers/providers.ts";
import { TTS_IDLE_MS_MAX } from "../../../src/core/limits/speech-providers/tts.ts";
import { TtsCache } from "../../../src/speech/tts/cache.ts";
import { FallbackTts } from "../../../src/speech/tts/fallback.ts";
import { breakerFor } from "../../support/providers/breakers.ts";
import { fallsSilent } from "../../support/providers/falls-silent.ts";
import { fakeSpeech, noiseBytes } from "../../support/providers/tts/fake-speech.ts";
import { failureOf, TTS_TEXT, type TtsKit } from "../../support/providers/tts/tts-kit.ts";
import type { TtsFault, TtsServer, TtsServerOptions } from "../../support/providers/tts/tts-server.ts";
import { ttsContract } from "./tts.ts";

interface TtsAdapterUnderTest<Fake extends TtsServerOptions, Server extends TtsServer, Settings> {
  kit: TtsKit<Fake, Server, Settings>;
  /** The connections of the requests that the server has received whole. */
  received: (server: Server) => readonly { closed: Promise<unknown> }[];
  /** Faults in which the server sends nothing more, each by its title. */
  stalls: readonly [title: string, fault: TtsFault][];
  /** A server over a WebSocket that sends word timestamps: how it omits them, and how it uses 24,000 Hz for any rate. */
  socket?: { withoutTimestamps: Fake; at24kHz: Fake };
}

/** Audio that is none, and what the error says of it. */
const WRONG_AUDIO: readonly [string, TtsServerOptions, string][] = [
  ["P14: no audio at all", { fault: { kind: "audio", bytes: Buffer.alloc(0) } }, "sent no audio"],
  [
    "P14: bytes that are not samples",
    { fault: { kind: "audio", bytes: noiseBytes(48_000) } },
    "sent noise: the audio is not in the requested format",
  ],
  [
    "P14: 10 min of audio for a few words",
    { chunkMs: 5_000, fault: { kind: "audio", bytes: Buffer.alloc(600 * 48_000) } },
    "sent more audio than its text can take",
  ],
];

/** Faults of a WebSocket. */
const SOCKET_FAULTS: readonly [string, TtsServerOptions, string][] = [
  ["P7, P10: a message that is not JSON", { fault: { kind: "message", data: "{" } }, "violated its protocol"],
  [
    "P10: a message of 8 MB",
    { fault: { kind: "message", data: "x".repeat(8 * 1024 * 1024) } },
    "the connection failed (WS_ERR_UNSUPPORTED_MESSAGE_LENGTH)",
  ],
  [
    "P10: a close in the middle",
    { fault: { kind: "closes", afterChunks: 2, code: 1011 } },
    "closed the connection (1011)",
  ],
];

/** Servers that fall silent, after so many chunks, and the deadline that ends it. */
const SILENCES: readonly [string, TtsFault, chunks: number, silenceMs: number, why: string][] = [
  ["P2: never responds", { kind: "silent" }, 0, PROVIDER_FIRST_OUTPUT_MS_MAX, "did not start in time"],
  ["P4: sends only pings", { kind: "silent", pings: true }, 0, PROVIDER_FIRST_OUTPUT_MS_MAX, "did not start in time"],
  ["P3: stalls", { kind: "hangs", afterChunks: 3 }, 1, TTS_IDLE_MS_MAX, "stalled"],
];

/** What every TTS adapter with a server must do: the contract of a `Tts`, and how it handles faults of its server. */
export function ttsAdapterContract<Fake extends TtsServerOptions, Server extends TtsServer, Settings>(
  name: string,
  { kit, received, stalls, socket }: TtsAdapterUnderTest<Fake, Server, Settings>,
): void {
  const { scene, spoken, voiceId } = kit;

  ttsContract(name, async () => {
    const { tts } = await scene();
    return { tts, voiceId, drive: (promise) => promise };
  });

  describe(`the server of ${name}`, () => {
    test("gets no request for a text without anything to speak, a text over the limit or another provider's voice", async () => {
      const { server, tts } = await scene();
      expect((await spoken(tts, { text: " ... — " })).chunks).toEqual([]);
      await expect(spoken(tts, { text: "x".repeat(TURN_TEXT_CHARS_MAX + 1) })).rejects.toThrow("the text is too long");
      await expect(spoken(tts, { voiceId: "espeak/gmw/en" })).rejects.toThrow("no such voice");
      expect([...server.connections, ...server.requests]).toEqual([]);
    });

    test("P1: if it does not run, the failure is reported by the system's error code", async () => {
      const { server, tts } = await scene();
      await server.close();
      await expect(spoken(tts)).rejects.toThrow(`${tts.provider}: the connection failed (ECONNREFUSED)`);
    });

    test.each([
      ...WRONG_AUDIO,
      ...(socket === undefined ? [] : SOCKET_FAULTS),
    ])("%s is a failure that quotes neither an API key nor spoken text", async (_what, fake, why) => {
      const { tts } = await scene(fake);
      expect(await failureOf(spoken(tts))).toBe(`${tts.provider}: ${why}`);
    });

    test.each(stalls)("%s: an abort ends the request and closes its connection at once", async (_what, fault) => {
      const { server, tts } = await scene({ fault });
      for (const index of [0, 1]) {
        const life = new AbortController();
        const speaking = spoken(tts, {}, life.signal);
        await expect.poll(() => received(server).length).toBe(index + 1);
        life.abort();
        expect((await speaking).chunks.length).toBeLessThanOrEqual(fault.kind === "hangs" ? fault.afterChunks : 0);
        await received(server)[index]?.closed;
      }
    });

    test("close fails the current request and all later ones", async () => {
      const { server, tts } = await scene({ fault: { kind: "hangs", afterChunks: 1 } });
      const speaking = spoken(tts);
      await expect.poll(() => received(server).length).toBe(1);
      tts.close();
      await expect(speaking).rejects.toThrow(`${tts.provider}: closed`);
      await expect(spoken(tts)).rejects.toThrow(`${tts.provider}: closed`);
      await received(server)[0]?.closed;
    });
  });

  test.each(SILENCES)(`%s: ${name} with fallback times out`, async (_what, fault, chunks, silenceMs, why) => {
    const { tts, clock } = await scene({ fault });
    const { circuitBreaker } = breakerFor("tts", tts.provider, clock);
    const speech = new FallbackTts([{ tts, circuitBreaker }], new TtsCache(), clock).speak(
      { text: TTS_TEXT, voiceId, language: "en" },
      new AbortController().signal,
    );
    expect(await fallsSilent(speech, chunks, clock, silenceMs)).toBe(`${tts.provider}: ${why}`);
  });

  if (socket !== undefined) timestampContract(name, kit, socket);
}

/** How an adapter uses a server's word timestamps. */
function timestampContract<Fake extends TtsServerOptions, Server extends TtsServer, Settings>(
  name: string,
  { scene, spoken }: TtsKit<Fake, Server, Settings>,
  { withoutTimestamps, at24kHz }: { withoutTimestamps: Fake; at24kHz: Fake },
): void {
  describe(`words of ${name}`, () => {
    test("have the provider's timestamps over all of the audio, and their own punctuation", async () => {
      const { tts } = await scene();
      const { words } = await spoken(tts, { rateHz: 8_000 });
      expect(words.map(({ text, startMs, endMs }) => [text, Math.round(startMs), Math.round(endMs)])).toEqual(
        fakeSpeech(TTS_TEXT, 8_000).words.map(({ text, startMs, endMs }) => [text, startMs, endMs]),
      );
    });

    test("share the time if there are no timestamps", async () => {
      const { tts } = await scene(withoutTimestamps);
      const { words, samples } = await spoken(tts, { rateHz: 8_000 });
      expect(words.map(({ text }) => text).join(" ")).toBe(TTS_TEXT);
      expect(words.at(-1)?.endMs).toBeCloseTo(samples.length / 8);
    });

    test("P14: show audio at another rate than the requested one, which is a failure", async () => {
      const { tts } = await scene(at24kHz);
      const text = `${TTS_TEXT} `.repeat(8).trim();
      const why =
        "sent audio whose length does not match its word timestamps: the sample rate is not the requested one";
      await expect(spoken(tts, { text, rateHz: 16_000 })).rejects.toThrow(why);
      expect((await spoken(tts, { text, rateHz: 24_000 })).samples.length).toBeGreaterThan(0);
    });
  });
}

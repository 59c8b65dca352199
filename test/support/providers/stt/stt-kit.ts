import { expect, onTestFinished } from "vitest";
import type { Stt, SttEvent } from "../../../../src/speech/contracts.ts";
import { FallbackStt } from "../../../../src/speech/stt/fallback.ts";
import { ManualClock } from "../../manual-clock.ts";
import { activityOfStream } from "../../speech-activity.ts";
import { breakerFor } from "../breakers.ts";
import { framesOf, hum, type SttServer, type SttServerAction, type SttServerOptions } from "./stt-server.ts";

// What the tests of all STT adapters share: a stream of an adapter, and its transcripts.

/** The adapter's API key, which no error may quote. */
export const STT_KEY = "a-key-that-must-stay-secret";
const RATE_HZ = 8_000;

/** Creates the adapter, whose server has the address `url`, `ws://127.0.0.1:1234/`. */
export type MakeStt = (url: string, clock: ManualClock) => Stt;

/** A call's stream at 8,000 Hz in `en-US`, unless a test says otherwise. */
export interface SttStreamOptions {
  rateHz?: number;
  language?: string;
  languagePinned?: boolean;
}

/** Opens a stream of `stt`, which is aborted when the test ends, and collects its transcripts. */
export function openStt(
  stt: Stt,
  { rateHz = RATE_HZ, language = "en-US", languagePinned = false }: SttStreamOptions = {},
) {
  const abortController = new AbortController();
  onTestFinished(() => abortController.abort());
  const opened = { times: 0 };
  const onOpened = (): void => {
    opened.times += 1;
  };
  const stream = stt.open({ language, languagePinned, rateHz, onOpened }, abortController.signal);
  const transcripts: SttEvent[] = [];
  const ended = (async () => {
    for await (const event of stream.events) transcripts.push(event);
  })();
  ended.catch(() => {});
  const activityOf = activityOfStream();
  const sendAudio = (ms: number, silenceMs: number): void => {
    for (const [frame, voiced] of framesOf(hum(rateHz, ms, silenceMs), rateHz)) stream.write(frame, activityOf(voiced));
  };
  return { abortController, stream, transcripts, opened, ended, sendAudio };
}

/** A stream of the adapter on `server`; both are closed when the test ends. */
export function openOn(server: SttServer, make: MakeStt, options: SttStreamOptions = {}) {
  const clock = new ManualClock();
  onTestFinished(() => server.close());
  return { clock, ...openStt(make(`ws://127.0.0.1:${server.port}/`, clock), options) };
}

/** The same with the wrapper that fails over: to another stream of the adapter, because it is the only one. */
export function openWithFailover(server: SttServer, make: MakeStt, options: SttStreamOptions = {}) {
  const clock = new ManualClock();
  onTestFinished(() => server.close());
  const stt = make(`ws://127.0.0.1:${server.port}/`, clock);
  return openStt(new FallbackStt([{ stt, ...breakerFor("stt", stt.provider, clock) }], clock), options);
}

/** The transcripts of a stream whose server begins with `greeting`, up to this number of finals. */
export async function transcriptsAfter(
  greeting: SttServerAction,
  listen: (options: SttServerOptions) => Promise<SttServer>,
  make: MakeStt,
  finals = 1,
): Promise<SttEvent[]> {
  const { transcripts, abortController } = openOn(await listen({ greeting }), make);
  await eventually(() => transcripts.filter(({ kind }) => kind === "final").length).toBe(finals);
  abortController.abort();
  return transcripts;
}

/** Polls for data over a real socket. */
export const eventually = <T>(what: () => T) => expect.poll(what, { timeout: 10_000, interval: 5 });

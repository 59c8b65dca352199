// @module-tag stt

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadResampler } from "../../../src/media/resampler.ts";
import type { Stt, SttEvent } from "../../../src/speech/contracts.ts";
import { createAssemblyAiStt } from "../../../src/speech/stt/providers/assemblyai/adapter.ts";
import { createDeepgramStt } from "../../../src/speech/stt/providers/deepgram/adapter.ts";
import { createFluxStt } from "../../../src/speech/stt/providers/flux/adapter.ts";
import { createOpenAiRealtimeStt } from "../../../src/speech/stt/providers/openairealtime/adapter.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { SttServer } from "../../support/providers/stt/stt-server.ts";
import { nearMisses } from "../../support/wires/mutations.ts";

const makeResampler = await loadResampler();
const apiKey = "canary-key";
/** Words of the sessions, which no error may quote. */
const SPOKEN = /canary/;
/** Streams that are open at once. */
const STREAMS = 20;

interface Provider {
  name: string;
  /** The session in fixtures/provider. */
  session: string;
  make: (url: string, clock: ManualClock) => Stt;
  /** What the session says, as `kind text endOfTurn`. */
  transcripts: readonly string[];
}

const realtime =
  (model: string): Provider["make"] =>
  (url, clock) =>
    createOpenAiRealtimeStt({ apiKey, model, url, makeResampler, clock });

const PROVIDERS: readonly Provider[] = [
  {
    name: "deepgram",
    session: "deepgram",
    make: (url, clock) => createDeepgramStt({ apiKey, model: "nova-3", url, clock }),
    transcripts: [
      "interim canary",
      "interim canary words,",
      "final canary words, please.",
      "interim Thanks.",
      "final Thanks.",
    ],
  },
  {
    name: "flux",
    session: "flux",
    make: (url, clock) => createFluxStt({ apiKey, model: "flux-general-multi", url, endsTurnsOnRequest: true, clock }),
    transcripts: [
      "interim canary 0.01",
      "interim canary words 0.12",
      "interim canary words. 0.46",
      "interim canary words. 0.2",
      "final canary words, please. 0.82",
      "final Thanks. 0.74",
    ],
  },
  {
    name: "assemblyai",
    session: "assemblyai",
    make: (url, clock) => createAssemblyAiStt({ apiKey, model: "universal-3-6-pro", url, clock }),
    transcripts: [
      "interim canary 0.02",
      "interim canary words 0.31",
      "final Canary words, please. 0.66",
      "final Thanks. 1",
    ],
  },
  {
    name: "openairealtime, a streaming model",
    session: "openai-realtime",
    make: realtime("gpt-live-transcribe"),
    transcripts: ["interim canary", "final canary words, please. 0.9", "final Thanks."],
  },
  {
    name: "openairealtime, a model with semantic VAD",
    session: "openai-realtime",
    make: realtime("gpt-transcribe"),
    transcripts: ["final canary words, please. 0.9", "final Thanks."],
  },
];

/** The transcripts of a stream whose server sends `messages` and closes, and how it failed. */
async function sessionResult(make: Provider["make"], messages: readonly string[]) {
  const server = await SttServer.listen({
    greeting: (socket) => {
      for (const message of messages) socket.send(message);
      socket.close(1000);
    },
  });
  const clock = new ManualClock();
  const abortController = new AbortController();
  const { signal } = abortController;
  const stream = make(`ws://127.0.0.1:${server.port}/`, clock).open({ language: "en-US", rateHz: 8_000 }, signal);
  const transcripts: SttEvent[] = [];
  try {
    for await (const event of stream.events) transcripts.push(event);
    return { transcripts, error: undefined };
  } catch (error) {
    return { transcripts, error: error as Error };
  } finally {
    abortController.abort();
    server.close();
  }
}

function expectWellFormed({ kind, text, language, endOfTurn = 0, ...rest }: SttEvent): void {
  expect(rest).toEqual({});
  expect(["interim", "final"]).toContain(kind);
  expect(text).toBe(text.trim());
  expect(text.length).toBeLessThanOrEqual(16_384);
  expect(text).not.toMatch(/\p{Cc}/u);
  expect(["string", "undefined"]).toContain(typeof language);
  expect(endOfTurn).toBeGreaterThanOrEqual(0);
  expect(endOfTurn).toBeLessThanOrEqual(1);
}

const sessionOf = (name: string): string[] =>
  readFileSync(new URL(`../../../fixtures/provider/${name}.jsonl`, import.meta.url), "utf8")
    .trim()
    .split("\n");

describe.each(PROVIDERS)("the messages of $name", ({ session, make, transcripts: expected }) => {
  const lines = sessionOf(session);

  test("are understood as they are", async () => {
    const { transcripts, error } = await sessionResult(make, lines);
    expect(transcripts.map(({ kind, text, endOfTurn = "" }) => `${kind} ${text} ${endOfTurn}`.trim())).toEqual(
      expected,
    );
    expect(error?.message).toMatch(/closed the stream with 1000$/);
  });

  test("P7: near misses of them are ignored or fail the stream, and no error quotes the caller", async () => {
    const sessions = lines.flatMap((line, at) => [...nearMisses(line)].map((miss) => lines.with(at, miss)));
    expect(sessions.length).toBeGreaterThan(400);
    let failures = 0;
    for (let first = 0; first < sessions.length; first += STREAMS) {
      const streams = sessions.slice(first, first + STREAMS).map((messages) => sessionResult(make, messages));
      for (const { transcripts, error } of await Promise.all(streams)) {
        for (const transcript of transcripts) expectWellFormed(transcript);
        expect(error).toMatchObject({ code: "provider_failed" });
        expect(error?.message).not.toMatch(SPOKEN);
        if (!/closed the stream with 1000$/.test(error?.message ?? "")) failures += 1;
      }
    }
    // Some of them must be noticed.
    expect(failures).toBeGreaterThan(10);
  }, 120_000);
});

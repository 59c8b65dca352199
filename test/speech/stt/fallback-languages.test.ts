// @module-tag stt

import { expect, test } from "vitest";
import type { SttEvent } from "../../../src/speech/contracts.ts";
import { pump } from "../../../src/speech/pump.ts";
import { REQUEST_ERROR } from "../../../src/speech/resilience/provider-error.ts";
import { FallbackStt } from "../../../src/speech/stt/fallback.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";
import { CodedStt, coded, silence } from "../../support/providers/coded-stt.ts";
import { ScriptedStt, type SttStep } from "../../support/providers/scripted-stt.ts";
import { activityOfStream } from "../../support/speech-activity.ts";

const FRAME_MS = 20;
const WORDS = "I would like to book a table".split(" ");

interface Link {
  stt: ScriptedStt | CodedStt;
  /** Any language where this is absent. */
  serves?: readonly string[];
}

/** A chain of `links`, and a call over it in `language`. */
function callOver(clock: ManualClock, links: readonly Link[], language: string, languagePinned = false) {
  const all = new FallbackStt(
    links.map(({ stt, serves }) => ({
      stt,
      circuitBreaker: breakerFor("stt", stt.provider, clock).circuitBreaker,
      servesLanguage: (code: string) => serves?.includes(code) ?? true,
    })),
    clock,
  );
  const failovers: string[] = [];
  const observer = {
    failedOver: (from: string, to: string, code: string) => failovers.push(`${from} > ${to}: ${code}`),
    contextExceeded: () => {},
    responded: () => {},
    requesting: () => {},
    used: () => {},
  };
  const stt = all.forLanguage(language);
  const abortController = new AbortController();
  const stream = stt.open({ language, languagePinned, rateHz: 8_000 }, abortController.signal, observer);
  const transcripts: SttEvent[] = [];
  void pump(
    stream.events,
    abortController.signal,
    (event) => transcripts.push(event),
    () => {},
  );
  const activityOf = activityOfStream();
  const sendAudio = async (frames: readonly { frame: Int16Array; voiced: boolean }[]): Promise<void> => {
    for (const { frame, voiced } of frames) {
      stream.write(frame, activityOf(voiced));
      await clock.play(FRAME_MS);
    }
  };
  return { all, stt, stream, transcripts, failovers, sendAudio };
}

const scripted = (clock: ManualClock, steps: readonly SttStep[] = [], capabilities = {}) =>
  new ScriptedStt(clock, steps, { anyLanguage: false, ...capabilities });
const languagesOf = ({ opened }: ScriptedStt) => opened.map(({ language }) => language);
const fails: readonly SttStep[] = [{ atMs: 100, event: { kind: "fail" } }];

test("a link that does not serve the call's language is never opened, and the call has the capabilities of the first that does", async () => {
  const clock = new ManualClock();
  const english = scripted(clock, [], { ratesHz: [16_000, 8_000] });
  const german = new CodedStt(WORDS, {
    provider: "german",
    partials: false,
    failsAfter: [10, Number.POSITIVE_INFINITY],
  });
  const { all, stt, sendAudio, failovers } = callOver(clock, [{ stt: english, serves: ["en"] }, { stt: german }], "de");
  expect([all.provider, all.capabilities.interimTranscripts]).toEqual(["scripted", true]);
  expect([stt.provider, stt.capabilities.interimTranscripts]).toEqual(["german", false]);
  expect(stt.capabilities.ratesHz).toEqual([8_000]);
  await sendAudio(coded(WORDS, WORDS));
  // After its failure the only one that serves the language is tried again, not the other one.
  expect([english.opened.length, german.opened.length, failovers]).toEqual([0, 2, []]);
  expect([all.servesLanguage("en"), all.servesLanguage("fr")]).toEqual([true, true]);
});

test("a chain without a provider for a language does not serve it", () => {
  const clock = new ManualClock();
  const { all } = callOver(clock, [{ stt: scripted(clock), serves: ["en"] }], "en");
  expect([all.servesLanguage("en"), all.servesLanguage("de")]).toEqual([true, false]);
});

test("a failover goes to the next link that serves the language", async () => {
  const clock = new ManualClock();
  const [first, second, third] = [scripted(clock, fails), scripted(clock), scripted(clock)];
  const { sendAudio } = callOver(clock, [{ stt: first }, { stt: second, serves: ["en"] }, { stt: third }], "de");
  await sendAudio(silence(20));
  expect([first.opened.length, second.opened.length, third.opened.length]).toEqual([1, 0, 1]);
});

test("a call that changes to a language that its provider does not serve moves to the next that does, with the audio since the last final", async () => {
  const clock = new ManualClock();
  const english = new CodedStt(WORDS, { provider: "english" });
  const other = new CodedStt(WORDS, { provider: "other" });
  const { stream, sendAudio, transcripts, failovers } = callOver(
    clock,
    [{ stt: english, serves: ["en"] }, { stt: other }],
    "en",
  );
  const sentence = coded(WORDS, WORDS);
  await sendAudio(sentence.slice(0, 25));
  stream.setLanguage?.("de");
  await sendAudio(sentence.slice(25));
  expect(failovers).toEqual(["english > other: other_language"]);
  expect([english.opened.length, other.opened.length]).toEqual([1, 1]);
  const finals = transcripts.filter(({ kind }) => kind === "final").map(({ text }) => text);
  expect(finals.join(" ")).toBe(WORDS.join(" "));
  // Back in the first language the provider stays that serves it.
  stream.setLanguage?.("en");
  await sendAudio(silence(5));
  expect(failovers).toHaveLength(1);
});

test("a language that no link serves changes nothing", async () => {
  const clock = new ManualClock();
  const only = scripted(clock);
  const { stream, sendAudio } = callOver(clock, [{ stt: only, serves: ["en"] }], "en");
  stream.setLanguage?.("de");
  await sendAudio(silence(20));
  expect(languagesOf(only)).toEqual(["en"]);
});

test("a change of the language keeps the stream of a provider that is given none, or detects both, and reopens any other", async () => {
  const clock = new ManualClock();
  const detectsLanguage = (language: string) => ["en", "de"].includes(language);
  const opened = async (capabilities: object, to: string, isPinned = false) => {
    const stt = scripted(clock, [], capabilities);
    const { stream, sendAudio } = callOver(clock, [{ stt }], "en", isPinned);
    stream.setLanguage?.(to);
    await sendAudio(silence(5));
    return languagesOf(stt);
  };
  expect(await opened({ anyLanguage: true }, "de")).toEqual(["en"]);
  expect(await opened({ detectsLanguage }, "de")).toEqual(["en"]);
  expect(await opened({ detectsLanguage }, "fr")).toEqual(["en", "fr"]);
  expect(await opened({ detectsLanguage }, "de", true)).toEqual(["en", "de"]);
  expect(await opened({}, "de")).toEqual(["en", "de"]);
});

test("a link that refused the call's first language is tried in the next one, which it may transcribe", async () => {
  const clock = new ManualClock();
  const refusing = new CodedStt(WORDS, {
    provider: "refusing",
    failsAfter: [0, Number.POSITIVE_INFINITY],
    cause: REQUEST_ERROR,
  });
  const german = new CodedStt(WORDS, { provider: "german" });
  const { stream, sendAudio, transcripts, failovers } = callOver(
    clock,
    [
      { stt: refusing, serves: ["de", "en"] },
      { stt: german, serves: ["de"] },
    ],
    "de",
  );
  await sendAudio(silence(20));
  stream.setLanguage?.("en");
  await sendAudio(coded(WORDS, WORDS));
  expect(failovers).toEqual(["refusing > german: refused", "german > refusing: other_language"]);
  expect(transcripts.at(-1)).toMatchObject({ kind: "final", text: WORDS.join(" ") });
});

test("a reopened stream drops what the old one still returns", async () => {
  const clock = new ManualClock();
  const stt = scripted(clock, [{ atMs: 500, event: { kind: "final", text: "words" } }]);
  const { stream, sendAudio, transcripts } = callOver(clock, [{ stt }], "en");
  await sendAudio(silence(20));
  stream.setLanguage?.("de");
  await sendAudio(silence(20));
  expect(transcripts).toEqual([]);
  await sendAudio(silence(10));
  expect(transcripts).toMatchObject([{ kind: "final", text: "words" }]);
});

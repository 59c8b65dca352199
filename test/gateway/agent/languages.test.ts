import { describe, expect, test } from "vitest";
import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import type { Voice } from "../../../src/speech/contracts.ts";
import { FallbackStt } from "../../../src/speech/stt/fallback.ts";
import { websocketLeg } from "../../callers/websocket-leg.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";
import { type LlmStep, ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt, type SttStep } from "../../support/providers/scripted-stt.ts";
import { ScriptedTts } from "../../support/providers/scripted-tts.ts";

const voice = (id: string, language: string): Voice => ({ id, name: id, language, provider: "scripted" });
const VOICES = [voice("Amy", "en-GB"), voice("Bea", "en-US"), voice("Clara", "de"), voice("Dominique", "fr-FR")];
const SILENCE = Buffer.alloc(640);

const heard = (atMs: number, text: string, language?: string): SttStep => ({
  atMs,
  event: { kind: "final", text, ...(language === undefined ? {} : { language }) },
});

type OfKind<Kind> = Extract<CallEvent, { kind: Kind }>;

interface TalkOptions {
  spec?: Partial<CallSpec>;
  replies?: LlmStep[][];
  /** By default the STT transcribes every language. */
  anyLanguage?: boolean;
  /** The languages that it detects. */
  detects?: readonly string[];
  /** The languages that it transcribes; any by default. */
  serves?: readonly string[];
  /** How the voices are listed. */
  voices?: (clock: ManualClock) => Promise<readonly Voice[]>;
}

/**
 * A leg with voices of three languages, whose caller says `transcripts`, and the journaled events about its languages.
 */
function talk(
  transcripts: readonly SttStep[],
  { spec, replies = [textReply("So it is.")], anyLanguage = true, detects, serves, voices }: TalkOptions = {},
) {
  const clock = new ManualClock();
  const tts = new ScriptedTts(clock, { voices: VOICES });
  if (voices !== undefined) tts.voices = () => voices(clock);
  const stt = new ScriptedStt(clock, transcripts, {
    anyLanguage,
    ...(detects === undefined ? {} : { detectsLanguage: (language: string) => detects.includes(language) }),
  });
  const llm = new ScriptedLlm(clock, replies);
  const chosen: OfKind<"voice-chosen">[] = [];
  const commands: CallCommand[] = [];
  const circuitBreaker = breakerFor("stt", stt.provider, clock).circuitBreaker;
  const servesLanguage = (language: string) => serves?.includes(language) ?? true;
  const call = websocketLeg({
    stt: new FallbackStt([{ stt, circuitBreaker, servesLanguage }], clock),
    llm,
    tts,
    shared: { clock, ticker: new Ticker(clock) },
    spec: { voiceId: "Bea", language: "en", firstSpeaker: "user", ...spec },
    tamper({ journal }) {
      const { event, command } = journal;
      journal.event = (atMs, journaled) => {
        if (journaled.kind === "voice-chosen") chosen.push(journaled);
        event.call(journal, atMs, journaled);
      };
      journal.command = (atMs, journaled) => {
        commands.push(journaled);
        command.call(journal, atMs, journaled);
      };
    },
  });
  return {
    ...call,
    stt,
    chosen,
    /** The languages that the call changed to, and the reasons. */
    turned: () =>
      commands.flatMap((journaled) =>
        journaled.kind === "language" ? [`${journaled.language} ${journaled.reason}`] : [],
      ),
    /** What was spoken, with which voice, in which language. */
    spoken: () => tts.requests.map(({ text, voiceId, language }) => `${voiceId} (${language}): ${text}`),
    requested: () => llm.requests.map(({ language }) => language),
    async listen(forMs: number): Promise<void> {
      let answered = call.received("mark").length;
      for (let at = 0; at < forMs; at += 20) {
        await call.clock.play(20);
        call.audio(SILENCE);
        for (const mark of call.received("mark").slice(answered)) call.json(mark);
        answered = call.received("mark").length;
      }
    },
  };
}

describe("a caller who changes the language", () => {
  test("is answered in it by a voice that speaks it, and by the call's own voice after changing back", async () => {
    const call = talk([
      heard(1_000, "are you open", "en"),
      heard(6_000, "und morgen", "de"),
      heard(12_000, "and on Sunday", "en-US"),
    ]);
    await call.listen(18_000);
    expect(call.requested()).toEqual(["en", "de", "en"]);
    expect(call.spoken()).toEqual(["Bea (en): So it is.", "Clara (de): So it is.", "Bea (en): So it is."]);
    expect(call.turned()).toEqual(["de detected", "en detected"]);
    expect(call.chosen).toEqual([
      { kind: "voice-chosen", language: "de", voiceId: "Clara", supportsLanguage: true },
      { kind: "voice-chosen", language: "en", voiceId: "Bea", supportsLanguage: true },
    ]);
    call.hangUp();
  });

  test("is answered by a voice of the detected region, or otherwise of the language", async () => {
    const call = talk([heard(1_000, "et demain", "fr-CA")]);
    await call.listen(5_000);
    expect(call.spoken()).toEqual(["Dominique (fr-CA): So it is."]);
    call.hangUp();
  });

  test("is answered by the current voice where no voice speaks the language, and one log line says so", async () => {
    const call = talk([
      heard(1_000, "och imorgon", "sv"),
      heard(6_000, "och sedan", "sv"),
      heard(11_000, "und dann", "de"),
    ]);
    await call.listen(16_000);
    expect(call.requested()).toEqual(["sv", "sv", "de"]);
    expect(call.spoken()).toEqual(["Bea (en): So it is.", "Bea (en): So it is.", "Clara (de): So it is."]);
    expect(call.chosen[0]).toEqual({ kind: "voice-chosen", language: "sv", voiceId: "Bea", supportsLanguage: false });
    const lines = call.logged.filter((line) => line.includes("no voice speaks"));
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ provider: "scripted", language: "sv" }]);
    call.hangUp();
  });

  test("keeps the current voice when the voices cannot be listed, and gets another one when they can", async () => {
    let requested = 0;
    const voices = async (): Promise<readonly Voice[]> => {
      requested += 1;
      if (requested === 1) throw new Error("canary");
      return VOICES;
    };
    const call = talk([heard(1_000, "und morgen", "de"), heard(6_000, "et demain", "fr")], { voices });
    await call.listen(11_000);
    expect(call.spoken()).toEqual(["Bea (en): So it is.", "Dominique (fr): So it is."]);
    expect(call.logged.filter((line) => line.includes("could not be listed"))).toHaveLength(1);
    expect(call.logged.join("")).not.toContain("canary");
    call.hangUp();
  });

  test("is transcribed in it: an STT with a fixed language is reopened once, and any other stays open", async () => {
    const call = talk([heard(1_000, "und morgen", "de")], { anyLanguage: false });
    await call.listen(5_000);
    expect(call.stt.opened.map(({ language }) => language)).toEqual(["en", "de"]);
    const [before, since] = call.stt.opened;
    expect((before?.samples ?? 0) / 16).toBeLessThanOrEqual(1_020);
    expect(((before?.samples ?? 0) + (since?.samples ?? 0)) / 16).toBeGreaterThanOrEqual(4_900);
    call.hangUp();
    const other = talk([heard(1_000, "und morgen", "de")]);
    await other.listen(5_000);
    expect(other.turned()).toEqual(["de detected"]);
    expect(other.stt.opened).toHaveLength(1);
    other.hangUp();
  });

  test("is transcribed in it by an STT that detects both languages, which stays open", async () => {
    const call = talk([heard(1_000, "und morgen", "de")], { anyLanguage: false, detects: ["en", "de"] });
    await call.listen(5_000);
    expect(call.turned()).toEqual(["de detected"]);
    expect(call.stt.opened.map(({ language, languagePinned }) => [language, languagePinned])).toEqual([["en", false]]);
    call.hangUp();
  });

  test("is transcribed in it by an STT that detects one of the two, which is reopened", async () => {
    const call = talk([heard(1_000, "und morgen", "de")], { anyLanguage: false, detects: ["en"] });
    await call.listen(5_000);
    expect(call.stt.opened.map(({ language }) => language)).toEqual(["en", "de"]);
    call.hangUp();
  });

  test("is reported to an STT that detects languages where the LLM changes the language of a pinned call", async () => {
    const toGerman: LlmStep[] = [
      {
        afterMs: 10,
        event: { kind: "tool-call", id: "1", name: "switch_language", argumentsJson: '{"language":"de"}' },
      },
      { afterMs: 10, event: { kind: "end", inputTokens: 1, outputTokens: 1 } },
    ];
    const call = talk([heard(1_000, "in German please", "en")], {
      anyLanguage: false,
      detects: ["en", "de"],
      replies: [toGerman, textReply("Gerne.")],
      spec: { languagePinned: true, tools: [{ kind: "built_in", name: "switch_language", fixedArguments: {} }] },
    });
    await call.listen(5_000);
    expect(call.stt.opened.map(({ language, languagePinned }) => [language, languagePinned])).toEqual([
      ["en", true],
      ["de", true],
    ]);
    call.hangUp();
  });

  test("keeps the language of the call where no STT transcribes the other one, whatever the STT detects", async () => {
    const call = talk([heard(1_000, "und morgen", "de"), heard(6_000, "et demain", "fr")], { serves: ["en", "fr"] });
    await call.listen(11_000);
    expect(call.turned()).toEqual(["fr detected"]);
    expect(call.requested()).toEqual(["en", "fr"]);
    call.hangUp();
  });

  test("keeps the call's own voice where the call is pinned to its language", async () => {
    const call = talk([heard(1_000, "und morgen", "de")], { spec: { languagePinned: true } });
    await call.listen(5_000);
    expect(call.requested()).toEqual(["en"]);
    expect(call.spoken()).toEqual(["Bea (en): So it is."]);
    expect([call.turned(), call.chosen]).toEqual([[], []]);
    call.hangUp();
  });

  test.each(["und", "klingon", "no language at all", ""])("changes nothing if the STT reports %j", async (language) => {
    const call = talk([heard(1_000, "and on Sunday", language)]);
    await call.listen(5_000);
    expect(call.requested()).toEqual(["en"]);
    expect(call.turned()).toEqual([]);
    call.hangUp();
  });
});

test("an LLM that changes the language in the middle of a reply: segments before that keep their voice", async () => {
  const replies: LlmStep[][] = [
    [
      { afterMs: 0, event: { kind: "text", text: "Of course, in German." } },
      {
        afterMs: 0,
        event: { kind: "tool-call", id: "1", name: "switch_language", argumentsJson: '{"language":"deu"}' },
      },
      { afterMs: 0, event: { kind: "end", inputTokens: 1, outputTokens: 1 } },
    ],
    textReply("Guten Tag."),
  ];
  const tools = [{ kind: "built_in", name: "switch_language", fixedArguments: {} }] as const;
  const call = talk([heard(1_000, "can we speak German", "en")], { replies, spec: { tools } });
  await call.listen(8_000);
  expect(call.turned()).toEqual(["de tool"]);
  expect(call.requested()).toEqual(["en", "de"]);
  expect(call.spoken()).toEqual(["Bea (en): Of course, in German.", "Clara (de): Guten Tag."]);
  call.hangUp();
});

describe("a list of voices that arrives late", () => {
  const late = (clock: ManualClock): Promise<readonly Voice[]> =>
    new Promise((resolve) => {
      clock.after(3_000, () => resolve(VOICES));
    });

  test("delays what is to be spoken in the new language", async () => {
    const call = talk([heard(1_000, "und morgen", "de")], { voices: late });
    await call.listen(3_900);
    expect(call.spoken()).toEqual([]);
    await call.listen(1_000);
    expect(call.spoken()[0]).toMatch(/^Clara /);
    call.hangUp();
  });

  test("changes nothing in a call that is over", async () => {
    const call = talk([heard(1_000, "und morgen", "de")], { voices: late });
    await call.listen(2_000);
    call.hangUp();
    await call.clock.play(5_000);
    expect([call.chosen, call.spoken()]).toEqual([[], []]);
  });
});

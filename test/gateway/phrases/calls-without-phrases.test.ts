import { describe, expect, test } from "vitest";
import { millisecondsOf } from "../../../src/core/clocks.ts";
import type { Phrases } from "../../../src/core/phrases/names.ts";
import { builtInPhrases, ENGLISH, type PhraseOverrides } from "../../../src/core/phrases/phrases.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { PhraseBook } from "../../../src/gateway/phrases/book.ts";
import { readJournal } from "../../../src/record/journal/reader.ts";
import type { JournaledEvent } from "../../../src/record/journal/records.ts";
import { replayJournal } from "../../../src/record/replay/replay.ts";
import { type LegOptions, leg } from "../../callers/leg.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { type LlmStep, ScriptedLlm } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";
import { ScriptedTts } from "../../support/providers/scripted-tts.ts";
import { SWAHILI } from "../../support/stubs/swahili.ts";

const END: LlmStep = { afterMs: 0, event: { kind: "end", inputTokens: 1, outputTokens: 1 } };
const translating = (afterMs: number): LlmStep[] => [
  { afterMs, event: { kind: "text", text: JSON.stringify(SWAHILI) } },
  END,
];

interface TalkOptions {
  language: string;
  /** How long the LLM takes to translate, ms. */
  translatesMs?: number;
  overrides?: PhraseOverrides;
  stt?: (clock: ManualClock) => LegOptions["stt"];
  spec?: LegOptions["spec"];
}

/** A call whose caller says nothing by default, and gets an inactivity prompt after 10 s. */
function talk({ language, translatesMs = 500, overrides = {}, stt, spec }: TalkOptions) {
  const clock = new ManualClock();
  const tts = new ScriptedTts(clock);
  const llm = new ScriptedLlm(clock, [translating(translatesMs)]);
  const kept = new Map<string, Phrases>();
  const cache = {
    read: async (tag: string) => kept.get(tag),
    write: async (tag: string, _english: Phrases, phrases: Phrases) => void kept.set(tag, phrases),
  };
  const metrics = { providerUsed: () => {} };
  const openStt = stt?.(clock);
  const call = leg({
    shared: { clock, ticker: new Ticker(clock) },
    spec: { language, inactivityTimeoutMs: 10_000, ...spec },
    llm,
    tts,
    ...(openStt === undefined ? {} : { stt: openStt }),
    phrases: new PhraseBook({ overrides, cache, metrics, clock, log: memoryLog().log }),
  });
  call.start();
  const firstAudioMs = async (): Promise<number> => {
    while (!call.socket.sent.some((text) => text.includes('"media"'))) await call.listen(20);
    return millisecondsOf(clock.nowMs());
  };
  /** Ends the call and returns what its journal has of it. */
  const end = async () => {
    call.connection.end("api_hangup");
    await expect.poll(() => call.done()).toBe(1);
    const events: JournaledEvent[] = [];
    await readJournal(call.journalPath, (record) => void (record.kind === "event" && events.push(record.event)));
    return { events, ...(await replayJournal(call.journalPath)) };
  };
  return { call, llm, spoken: () => tts.requests.map(({ text }) => text), firstAudioMs, end };
}

describe("a call in a language without built-in phrases", () => {
  test("speaks the LLM's translation, which is in its journal, so that its replay says the same", async () => {
    const { call, spoken, end } = talk({ language: "sw" });
    await call.listen(16_000);
    expect(spoken().at(-1)).toBe(SWAHILI.inactivity);
    const { events, journaled, replayed } = await end();
    expect(events.find(({ kind }) => kind === "phrases-chosen")).toEqual({
      kind: "phrases-chosen",
      language: "sw",
      origin: "translated",
      phrases: SWAHILI,
    });
    expect(replayed).toEqual(journaled);
    expect(JSON.stringify(replayed)).toContain(SWAHILI.inactivity);
  });

  test("is greeted without a delay, and speaks English until the translation is ready", async () => {
    const plain = talk({ language: "en" });
    const greetedMs = await plain.firstAudioMs();
    await plain.end();
    const slow = talk({ language: "sw", translatesMs: 15_000 });
    expect(await slow.firstAudioMs()).toBe(greetedMs);
    await slow.call.listen(14_000);
    expect(slow.spoken().at(-1)).toBe(ENGLISH.inactivity);
    await slow.call.listen(12_000);
    expect(slow.spoken().at(-1)).toBe(SWAHILI.inactivity);
    const { journaled, replayed } = await slow.end();
    expect(replayed).toEqual(journaled);
  });

  test("has none of their words in its journal when it is not recorded", async () => {
    const { call } = talk({ language: "sw", spec: { recordingEnabled: false } });
    await call.listen(1_000);
    call.connection.end("api_hangup");
    await expect.poll(() => call.done()).toBe(1);
    const records: string[] = [];
    await readJournal(call.journalPath, (record) => void records.push(JSON.stringify(record)));
    expect(records.join("")).toContain("phrases-chosen");
    expect(records.join("")).not.toMatch(/Bado|Samahani|Subiri|Kwaheri/);
  });
});

test("a call in a language with built-in phrases sends no translation request, and its journal does not mention it", async () => {
  const { call, llm, spoken, end } = talk({ language: "ja" });
  await call.listen(16_000);
  expect(spoken().at(-1)).toBe(builtInPhrases("ja")?.inactivity);
  expect(llm.requests).toEqual([]);
  expect((await end()).events.map(({ kind }) => kind)).not.toContain("phrases-chosen");
});

test("a call that changes to another language speaks its phrases: the operator's own", async () => {
  const { call, spoken, end } = talk({
    language: "en",
    overrides: { de: { inactivity: "Hallo? Noch jemand da?" } },
    stt: (clock) =>
      new ScriptedStt(clock, [{ atMs: 3_000, event: { kind: "final", text: "und morgen", language: "de" } }]),
  });
  await call.listen(25_000);
  expect(spoken().at(-1)).toBe("Hallo? Noch jemand da?");
  const { events, journaled, replayed } = await end();
  expect(events.find(({ kind }) => kind === "phrases-chosen")).toMatchObject({ language: "de", origin: "file" });
  expect(replayed).toEqual(journaled);
});

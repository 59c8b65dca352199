import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { spendLimited } from "../../../src/core/billing/spend.ts";
import type { Usage } from "../../../src/core/billing/usage.ts";
import { PHRASE_RETRY_MS } from "../../../src/core/limits/agents/phrases.ts";
import { builtInPhrases, ENGLISH, type PhraseOverrides } from "../../../src/core/phrases/phrases.ts";
import { PhraseBook, type TranslationSpend } from "../../../src/gateway/phrases/book.ts";
import { PhraseCache } from "../../../src/gateway/phrases/cache.ts";
import { meteredLlm } from "../../../src/speech/llm/metered-llm.ts";
import { createReferenceLlm } from "../../../src/speech/reference/llm.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { type LlmStep, ScriptedLlm } from "../../support/providers/scripted-llm.ts";
import { INLINE_TOOL_CHOICE } from "../../support/stubs/inline-schemas.ts";
import { UNLIMITED_SPEND } from "../../support/stubs/no-limits.ts";
import { SWAHILI } from "../../support/stubs/swahili.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const END: LlmStep = { afterMs: 0, event: { kind: "end", inputTokens: 90, outputTokens: 60 } };
const says = (text: string): LlmStep[] => [{ afterMs: 10, event: { kind: "text", text } }, END];
const saysJson = (value: object): LlmStep[] => says(JSON.stringify(value));
const FAILS: LlmStep[] = [{ afterMs: 10, event: { kind: "fail" } }];
const NEVER: LlmStep[] = [{ afterMs: 3_600_000, event: { kind: "text", text: "late" } }];

interface SceneOptions {
  replies?: LlmStep[][];
  overrides?: PhraseOverrides;
  dataDir?: string;
}

function scene({ replies = [saysJson(SWAHILI)], overrides = {}, dataDir = temporaryDirectory() }: SceneOptions = {}) {
  const clock = new ManualClock();
  const llm = new ScriptedLlm(clock, replies);
  const { log, lines: logged } = memoryLog();
  const used: [provider: string, usage: Usage][] = [];
  const metrics = { providerUsed: (provider: string, usage: Usage) => void used.push([provider, usage]) };
  const book = new PhraseBook({ overrides, cache: new PhraseCache(dataDir), metrics, clock, log });
  /** Runs the clock until `request` resolves: files are read in real time meanwhile. */
  const played = async <Found>(request: Promise<Found>): Promise<Found> => {
    let isThere = false;
    void request.then(() => {
      isThere = true;
    });
    while (!isThere) {
      await settled();
      clock.advance(10);
    }
    return request;
  };
  const find = (language: string) => played(book.find(language, llm, UNLIMITED_SPEND));
  const path = (tag: string) => join(dataDir, "phrases", `${tag}.json`);
  return { book, clock, llm, logged, used, find, played, dataDir, path };
}

const levels = (logged: readonly string[]): string[] =>
  logged.map((line) => {
    const { level, msg, language } = JSON.parse(line) as Record<string, string | number>;
    return `${level === 30 ? "info" : "warn"} ${language}: ${msg}`;
  });

describe("the phrases of a call", () => {
  test("are not requested from an LLM in a language that has built-in ones", async () => {
    const { book, llm, logged } = scene();
    for (const language of ["en", "ja", "de-AT", "zh-TW", "yue", "no"]) {
      expect(await book.find(language, llm, UNLIMITED_SPEND)).toBeUndefined();
    }
    expect([llm.requests, logged]).toEqual([[], []]);
  });

  test("are the operator's where configured, and the built-in ones otherwise", async () => {
    const { book, llm } = scene({ overrides: { de: { filler: "Moment." }, sw: SWAHILI } });
    expect(await book.find("de-AT", llm, UNLIMITED_SPEND)).toEqual({
      origin: "file",
      phrases: { ...builtInPhrases("de"), filler: "Moment." },
    });
    expect(await book.find("sw-KE", llm, UNLIMITED_SPEND)).toEqual({ origin: "file", phrases: SWAHILI });
    expect(llm.requests).toEqual([]);
  });

  test("are translated by the LLM where there are no others, with the operator's own among them", async () => {
    const { find, llm, logged, used } = scene({ overrides: { sw: { filler: "Ngoja." } } });
    expect(await find("sw")).toEqual({ origin: "translated", phrases: { ...SWAHILI, filler: "Ngoja." } });
    const [request] = llm.requests;
    expect(request?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(request?.messages[0]?.text).toContain("Swahili (sw)");
    expect(JSON.parse(request?.messages[1]?.text ?? "")).toEqual(ENGLISH);
    expect([request?.temperature, request?.tools]).toEqual([0, []]);
    expect(levels(logged)).toEqual(["info sw: service phrases translated"]);
    expect(logged.join("")).not.toMatch(/Subiri|Samahani/);
    expect(used).toEqual([]);
  });

  test("are translated from the operator's own English, where configured", async () => {
    const { find, llm } = scene({ overrides: { en: { filler: "Just a second, please." } } });
    await find("sw");
    expect(JSON.parse(llm.requests[0]?.messages[1]?.text ?? "")).toEqual({
      ...ENGLISH,
      filler: "Just a second, please.",
    });
  });

  test("are translated once, for all calls that wait meanwhile and for all regions", async () => {
    const { book, llm, played } = scene();
    const requests = ["sw", "sw-KE", "sw-TZ", "sw"].map((language) => book.find(language, llm, UNLIMITED_SPEND));
    for (const found of await played(Promise.all(requests))) expect(found?.phrases).toEqual(SWAHILI);
    expect(llm.requests).toHaveLength(1);
  });

  test("outlive the process, and are shared by its workers", async () => {
    const { find, dataDir, path } = scene();
    await find("sw");
    expect(readdirSync(dirname(path("sw")))).toEqual(["sw.json"]);
    expect(JSON.parse(readFileSync(path("sw"), "utf8"))).toEqual({
      english: ENGLISH,
      phrases: SWAHILI,
      translatedBy: "scripted",
    });
    const next = scene({ dataDir, replies: [FAILS] });
    expect(await next.find("sw")).toEqual({ origin: "translated", phrases: SWAHILI });
    expect([next.llm.requests, next.logged]).toEqual([[], []]);
  });

  test("are translated again where the English differs, or the file is not one of ours", async () => {
    const { find, dataDir, path } = scene();
    await find("sw");
    const english = scene({ dataDir, overrides: { en: { filler: "Hold on." } } });
    await english.find("sw");
    expect(english.llm.requests).toHaveLength(1);
    for (const content of [
      "",
      "{",
      "[]",
      "x".repeat(1e6),
      JSON.stringify({ english: ENGLISH, phrases: { filler: 1 } }),
    ]) {
      writeFileSync(path("sw"), content);
      const next = scene({ dataDir });
      expect((await next.find("sw"))?.phrases).toEqual(SWAHILI);
      expect(next.llm.requests).toHaveLength(1);
    }
  });

  test("are used by this process where they cannot be saved, and a log line says so", async () => {
    const dataDir = temporaryDirectory();
    writeFileSync(join(dataDir, "phrases"), "a file in the way");
    const { find, logged } = scene({ dataDir });
    expect((await find("sw"))?.origin).toBe("translated");
    await settled();
    expect(levels(logged).at(-1)).toBe("warn sw: service phrases could not be saved");
  });
});

describe("English is spoken", () => {
  const english = { origin: "english", phrases: ENGLISH };

  test.each([
    ["fails", FAILS],
    ["writes no JSON", says("Hapana.")],
    ["leaves one out", saysJson({ ...SWAHILI, filler: undefined })],
    ["answers in another script", saysJson({ ...SWAHILI, filler: "Подождите." })],
    ["answers in English", saysJson(ENGLISH)],
    ["adds markup", saysJson({ ...SWAHILI, filler: "**Subiri** kidogo." })],
    ["adds lines", saysJson({ ...SWAHILI, filler: "Subiri\nkidogo." })],
    ["says far too much", saysJson({ ...SWAHILI, filler: "Subiri kidogo. ".repeat(8) })],
    ["says nothing", saysJson({ ...SWAHILI, filler: " " })],
    ["writes without end", says("{".repeat(5_000))],
  ])("where the LLM %s, with one log line per language", async (_what, reply) => {
    const { find, logged, path } = scene({ replies: [reply] });
    expect(await find("sw")).toEqual(english);
    expect(await find("sw-KE")).toEqual(english);
    expect(levels(logged)).toEqual(["warn sw: service phrases not translated: English is used"]);
    expect(logged.join("")).not.toMatch(/Subiri|Samahani|Подождите/);
    expect(() => readFileSync(path("sw"))).toThrow("ENOENT");
  });

  test("where the LLM takes too long, and its request is aborted", async () => {
    const { find, llm, logged } = scene({ replies: [NEVER] });
    expect(await find("sw")).toEqual(english);
    expect(llm.aborted).toBe(1);
    expect(logged[0]).toContain("no complete reply in time");
  });

  test("with the reference LLM, which translates nothing", async () => {
    const { book, logged } = scene();
    expect(await book.find("sw", createReferenceLlm(INLINE_TOOL_CHOICE), UNLIMITED_SPEND)).toEqual(english);
    expect(levels(logged)).toEqual(["warn sw: service phrases not translated: English is used"]);
  });

  test("for a tag that is no language, without an LLM request", async () => {
    const { book, llm, logged } = scene();
    expect(await book.find("", llm, UNLIMITED_SPEND)).toEqual(english);
    expect([llm.requests, logged]).toEqual([[], []]);
  });

  test("for a language that has no name, without an LLM request", async () => {
    const { find, llm } = scene();
    expect(await find("qaa")).toEqual(english);
    expect(llm.requests).toEqual([]);
  });

  test("until the LLM request is retried, after a while", async () => {
    const { find, clock, llm, logged } = scene({ replies: [FAILS, saysJson(SWAHILI)] });
    expect(await find("sw")).toEqual(english);
    clock.advance(PHRASE_RETRY_MS / 2);
    expect(await find("sw")).toEqual(english);
    expect(llm.requests).toHaveLength(1);
    clock.advance(PHRASE_RETRY_MS / 2);
    expect((await find("sw"))?.origin).toBe("translated");
    expect(levels(logged)).toHaveLength(2);
  });

  test("where the LLM of one provider fails, but not with another provider's", async () => {
    const { book, clock, llm, played } = scene({ replies: [FAILS] });
    const other = Object.assign(new ScriptedLlm(clock, [saysJson(SWAHILI)]), { provider: "other" });
    expect(await played(book.find("sw", llm, UNLIMITED_SPEND))).toEqual(english);
    expect((await played(book.find("sw", other, UNLIMITED_SPEND)))?.origin).toBe("translated");
    expect(await played(book.find("sw", llm, UNLIMITED_SPEND))).toEqual(english);
    expect([llm.requests.length, other.requests.length]).toEqual([1, 1]);
  });

  test("but not where the translation exists already, however many others are in progress", async () => {
    const { find: findFirst, dataDir } = scene();
    await findFirst("sw");
    const { book, llm, find, played } = scene({ dataDir, replies: [NEVER, NEVER, NEVER, NEVER] });
    const slow = ["so", "zu", "xh", "sn"].map((language) => book.find(language, llm, UNLIMITED_SPEND));
    expect((await find("sw"))?.origin).toBe("translated");
    await played(Promise.all(slow));
  });

  test("where several languages are being translated already, and the next call tries again", async () => {
    const { book, llm, logged, find, played } = scene({ replies: [NEVER, NEVER, NEVER, NEVER, saysJson(SWAHILI)] });
    const slow = ["so", "zu", "xh", "sn"].map((language) => book.find(language, llm, UNLIMITED_SPEND));
    await expect.poll(() => llm.requests.length).toBe(4);
    // The clock stands: `find` would run it past the deadlines of the four while the cache is read.
    expect(await book.find("sw", llm, UNLIMITED_SPEND)).toEqual(english);
    expect(levels(logged)).toEqual(["warn sw: service phrases not translated: English is used"]);
    expect(logged[0]).toContain("4 translations are in progress");
    await played(Promise.all(slow));
    expect(llm.requests).toHaveLength(4);
    expect((await find("sw"))?.origin).toBe("translated");
  });
});

describe("ADV-H3: calls of several accounts that wait for the same translation", () => {
  const refusing = (): TranslationSpend => ({
    request: () => {
      throw spendLimited({ scope: "account", limit: "llm_requests" });
    },
    used: () => {},
  });

  test("ADV-H3: one whose account may not spend does not prevent the translation for the others", async () => {
    const { book, clock, played } = scene();
    const llm = new ScriptedLlm(clock, [saysJson(SWAHILI)]);
    const metered = meteredLlm(llm);
    const spends = [refusing(), refusing(), UNLIMITED_SPEND, UNLIMITED_SPEND];
    const found = await played(Promise.all(spends.map((spend) => book.find("sw", metered, spend))));
    expect(found.map((chosen) => chosen?.origin)).toEqual(["english", "english", "translated", "translated"]);
    expect(llm.requests).toHaveLength(1);
  });

  test("ADV-H3: where none of them may spend, each has tried once", async () => {
    const { book, clock, played } = scene();
    const metered = meteredLlm(new ScriptedLlm(clock, [saysJson(SWAHILI)]));
    let tries = 0;
    const spend: TranslationSpend = {
      request: () => {
        tries += 1;
        throw spendLimited({ scope: "account", limit: "llm_requests" });
      },
      used: () => {},
    };
    const requests = Array.from({ length: 5 }, () => book.find("sw", metered, spend));
    for (const chosen of await played(Promise.all(requests))) expect(chosen?.origin).toBe("english");
    expect(tries).toBe(5);
  });
});

test("translated phrases are readable only by the service's user, like all of DATA_DIR", async () => {
  const { find, path } = scene();
  await find("sw");
  const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);
  expect([modeOf(dirname(path("sw"))), modeOf(path("sw"))]).toEqual(["700", "600"]);
});

test("a translation into a language of another script must use that script", async () => {
  const georgian = {
    inactivity: "ისევ აქ ხართ?",
    apology: "უკაცრავად, გაიმეორებთ?",
    filler: "ერთი წუთით.",
    goodbye: "ზარი უნდა დავასრულოთ. ნახვამდის.",
    limit: "ახლა ვერ გიპასუხებთ.",
  };
  const { find } = scene({ replies: [says(`Here it is:\n\`\`\`json\n${JSON.stringify(georgian)}\n\`\`\``)] });
  expect(await find("ka")).toEqual({ origin: "translated", phrases: georgian });
  expect((await scene().find("ka"))?.origin).toBe("english");
});

test("files of another kind in the folder stay unchanged", async () => {
  const dataDir = temporaryDirectory();
  mkdirSync(join(dataDir, "journals"));
  await scene({ dataDir }).find("sw");
  expect(readdirSync(dataDir).sort()).toEqual(["journals", "phrases"]);
});

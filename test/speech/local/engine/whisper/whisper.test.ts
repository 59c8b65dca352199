import { Tensor } from "onnxruntime-web/wasm";
import { expect, test } from "vitest";
import { type Session, WhisperDecoder } from "../../../../../src/speech/local/engine/whisper/decoder.ts";
import { WhisperTokens } from "../../../../../src/speech/local/engine/whisper/tokens.ts";
import { HIDDEN_STATES, POSITIONS, Whisper } from "../../../../../src/speech/local/engine/whisper/whisper.ts";

/** Byte-level tokens: "Ġ" is a space, "Ãł" the two bytes of "à". */
const WORDS = ["Ġla", "Ġcitt", "Ãł", "Ġeterna", ".", "ĠLa", "Ġno", "Ġ(", "Ġ", ","];
const [END, START, ENGLISH, ITALIAN, NORWEGIAN, TRANSCRIBE, NO_SPEECH, NO_TIMES] = [10, 11, 12, 13, 14, 15, 16, 17];
const TOKENS = 18;
const GENERATION = {
  decoder_start_token_id: START,
  eos_token_id: END,
  no_timestamps_token_id: NO_TIMES,
  lang_to_id: { "<|en|>": ENGLISH, "<|it|>": ITALIAN, "<|no|>": NORWEGIAN },
  task_to_id: { transcribe: TRANSCRIBE },
  suppress_tokens: [WORDS.indexOf("Ġ(")],
  begin_suppress_tokens: [WORDS.indexOf("Ġ"), END],
};
const ids = (...words: string[]): number[] => words.map((word) => WORDS.indexOf(word));

interface Run {
  ids: number[];
  isCached: boolean;
  pastTokens: number;
}

interface Script {
  /** The tokens that follow the prompt, for each window; the end follows by itself. */
  texts?: number[][];
  /** Tokens that are likelier than the text's, everywhere. */
  likelier?: number[];
  /** The logit of no speech; those of the text's tokens are 5, all others 0. */
  noSpeech?: number;
  /** The logit of the text's tokens. */
  certainty?: number;
  /** What the detector finds in each window. */
  speechMs?: number;
}

/** A Whisper whose networks are scripted, and what they were asked. */
function scripted({ texts = [[]], likelier = [], noSpeech = 0, certainty = 5, speechMs = 1_000 }: Script) {
  const runs: Run[] = [];
  const windows: number[] = [];
  let text: number[] = [];
  let said = 0;
  const logits = (count: number): Float32Array => {
    const values = new Float32Array(count * TOKENS);
    values[NO_SPEECH] = noSpeech;
    const last = values.subarray(values.length - TOKENS);
    last[text[said] ?? END] = certainty;
    for (const id of likelier) last[id] = certainty + 1;
    said += 1;
    return values;
  };
  const encoder: Pick<Session, "run"> = {
    run: async (feeds) => {
      const [rows = 0] = (feeds[POSITIONS] as Tensor).dims;
      expect((feeds.input_features as Tensor).dims).toEqual([1, 80, 2 * rows]);
      windows.push(rows);
      return { [HIDDEN_STATES]: new Tensor("float32", new Float32Array(rows), [1, rows, 1]) };
    },
  };
  const decoder: Session = {
    run: async (feeds, fetched) => {
      const input = feeds.input_ids as Tensor;
      const isCached = (feeds.use_cache_branch as Tensor).data[0] === 1;
      const pastTokens = (feeds["past_key_values.0.decoder.key"] as Tensor).dims[2] ?? -1;
      const count = input.dims[1] ?? 0;
      runs.push({ ids: Array.from(input.data as BigInt64Array, Number), isCached, pastTokens });
      if (!isCached) [text = [], said] = [texts.shift(), 0];
      const total = pastTokens + count;
      const present = (fetched as string[]).filter((name) => name.startsWith("present"));
      // The encoder's keys and values do not change after the first pass.
      expect(present.some((name) => name.includes("encoder"))).toBe(!isCached);
      return {
        logits: new Tensor("float32", logits(count), [1, count, TOKENS]),
        ...Object.fromEntries(
          present.map((name) => [name, new Tensor("float32", new Float32Array(total), [1, 1, total, 1])]),
        ),
      };
    },
  };
  const tokens = new WhisperTokens(GENERATION, Object.fromEntries(WORDS.map((word, id) => [word, id])));
  const whisper = new Whisper({
    name: "whisper-scripted",
    tokens,
    encoder: encoder as Session,
    positions: { rows: 1_500, columns: 1, values: new Float32Array(1_500) },
    decoder: new WhisperDecoder(decoder, { layers: 1, heads: 1, headSize: 1 }, tokens),
    speech: { find: () => ({ startMs: 0, endMs: speechMs, speechMs }) },
  });
  const hear = (seconds: number, options: { language?: string; shouldStop?: () => boolean } = {}) =>
    whisper.transcribe(new Float32Array(16_000 * seconds).fill(0.1), {
      ...{ language: "it", shouldStop: () => false },
      ...options,
    });
  return { whisper, hear, runs, windows };
}

const CITY = ids("Ġla", "Ġcitt", "Ãł", "Ġeterna", ".");

test("the text is asked for by its language, without times, and token by token after what is there", async () => {
  const { hear, runs, windows } = scripted({ texts: [CITY] });
  const heard = await hear(2);
  expect(heard.text).toBe("la città eterna.");
  expect(heard.isStopped).toBe(false);
  expect(runs[0]).toEqual({ ids: [START, ITALIAN, TRANSCRIBE, NO_TIMES], isCached: false, pastTokens: 0 });
  expect(runs.slice(1)).toEqual(CITY.map((id, at) => ({ ids: [id], isCached: true, pastTokens: 4 + at })));
  // 2 s of speech and 8 s of silence, 20 ms each.
  expect(windows).toEqual([500]);
  const others = TOKENS - NO_TIMES + END - 2;
  expect(heard.averageLogProbability).toBeLessThan(0);
  expect(heard.averageLogProbability).toBeGreaterThan(-Math.log(1 + others * Math.exp(-4)));
});

test("languages are our codes, and another one is refused", async () => {
  const { whisper, hear, runs } = scripted({ texts: [CITY] });
  expect(whisper.languages).toEqual(["en", "it", "nb"]);
  await hear(1, { language: "nb" });
  expect(runs[0]?.ids[1]).toBe(NORWEGIAN);
  await expect(hear(1, { language: "ru" })).rejects.toThrow('whisper-scripted does not know the language "ru"');
});

test("brackets, marks of other tasks and a space as the first token are never chosen", async () => {
  const { hear } = scripted({ texts: [CITY], likelier: [...ids("Ġ("), START, ITALIAN, TRANSCRIBE, NO_TIMES] });
  expect((await hear(2)).text).toBe("la città eterna.");
  const silent = scripted({ texts: [[]] });
  expect((await silent.hear(2)).text).not.toMatch(/^\s/);
});

test("a text that begins to repeat itself ends after its first round", async () => {
  const round = ids("Ġla", "Ġcitt", "Ãł", "Ġeterna", ",");
  const capital = ids("ĠLa", "Ġcitt", "Ãł", "Ġeterna", ".");
  const { hear, runs } = scripted({ texts: [[...round, ...capital, ...round, ...round, ...round]] });
  expect((await hear(20)).text).toBe("la città eterna,");
  expect(runs.length).toBeLessThan(16);
});

test("words that people repeat are kept", async () => {
  const no = ids("Ġno", "Ġno", "Ġno", "Ġno");
  expect((await scripted({ texts: [no] }).hear(3)).text).toBe("no no no no");
});

test("a text has no more tokens than a person can say in that time", async () => {
  const random = Array.from({ length: 500 }, (_, at) => [0, 1, 3, 6][(at * at + (at >> 3)) % 4] ?? 0);
  const { hear, runs } = scripted({ texts: [random] });
  await hear(1);
  expect(runs.length).toBeLessThanOrEqual(41);
});

test("silence by the model's own estimate is no text, unless its words are certain", async () => {
  expect((await scripted({ texts: [CITY], noSpeech: 9, certainty: 1.4 }).hear(2)).text).toBe("");
  expect((await scripted({ texts: [CITY], noSpeech: 0, certainty: 1.4 }).hear(2)).text).toBe("la città eterna.");
  expect((await scripted({ texts: [CITY], noSpeech: 9, certainty: 9 }).hear(2)).text).toBe("la città eterna.");
  expect((await scripted({ texts: [CITY], noSpeech: 0, certainty: 9 }).hear(2)).text).toBe("la città eterna.");
});

test("words of which the model is not sure at all are no text", async () => {
  expect((await scripted({ texts: [CITY], certainty: 0.5 }).hear(2)).text).toBe("");
});

test("audio without speech is not even given to the network", async () => {
  const { hear, runs, windows } = scripted({ texts: [CITY], speechMs: 90 });
  expect(await hear(2)).toEqual({ text: "", averageLogProbability: 0, isStopped: false });
  expect([runs, windows]).toEqual([[], []]);
});

test("a pass stops between two tokens with what there is", async () => {
  const { hear, runs } = scripted({ texts: [CITY, CITY] });
  let asked = 0;
  const heard = await hear(5, { shouldStop: () => ++asked === 3 });
  expect(heard).toMatchObject({ text: "la città", isStopped: true });
  expect(runs).toHaveLength(3);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { LOCAL_STT_WINDOW_MS } from "../../../../../src/core/limits/speech-providers/local-speech.ts";
import { UtteranceText } from "../../../../../src/speech/stt/providers/local/utterance-text.ts";

interface Said {
  letters: string;
  pace: number;
}
interface TimedLetters {
  letters: string;
  fromMs: number;
  toMs: number;
}
/** Where one window follows another: how far they overlap, and whether the parts of a word that the edges cut are understood. */
interface Seam {
  overlapMs: number;
  hasTail: boolean;
  hasHead: boolean;
}

// No two words are equal. Words of different lengths, at changing speeds; each window has the words that it holds whole, and may have
// a part of a cut one.
test("of any speech in windows that overlap, no word is lost or doubled", () => {
  const word = fc.record({
    letters: fc.stringMatching(/^[a-z]{4,6}$/),
    pace: fc.double({ min: 0.8, max: 1.2, noNaN: true }),
  });
  const speech = fc.uniqueArray(word, { minLength: 30, maxLength: 90, selector: ({ letters }) => letters });
  const seam = fc.record({
    overlapMs: fc.integer({ min: 1_000, max: 3_500 }),
    hasTail: fc.boolean(),
    hasHead: fc.boolean(),
  });
  fc.assert(
    fc.property(speech, fc.array(seam, { minLength: 10, maxLength: 30 }), (said, seams) => {
      expect(heardInWindows(timesOf(said), seams)).toBe(said.map(({ letters }) => letters).join(" "));
    }),
    { numRuns: 300 },
  );
});

function timesOf(said: readonly Said[]): TimedLetters[] {
  let atMs = 0;
  return said.map(({ letters, pace }) => {
    const fromMs = atMs;
    atMs += (60 + 60 * letters.length) * pace;
    return { letters, fromMs, toMs: atMs };
  });
}

function heardInWindows(timed: readonly TimedLetters[], seams: readonly Seam[]): string {
  const text = new UtteranceText("en");
  const endMs = timed.at(-1)?.toMs ?? 0;
  let [startMs, hasHead] = [0, false];
  for (const { overlapMs, hasTail, hasHead: hasNextHead } of [...seams, ...seams, ...seams]) {
    const windowEndMs = Math.min(endMs, startMs + LOCAL_STT_WINDOW_MS);
    const heard = timed.flatMap(({ letters, fromMs, toMs }) => {
      if (toMs <= startMs || fromMs >= windowEndMs) return [];
      if (fromMs < startMs) return hasHead ? [letters.slice(Math.ceil(letters.length / 2))] : [];
      if (toMs > windowEndMs) return hasTail ? [letters.slice(0, Math.floor(letters.length / 2))] : [];
      return [letters];
    });
    if (windowEndMs === endMs) return text.final(heard.join(" "));
    text.endWindow(heard.join(" "), 1 - overlapMs / LOCAL_STT_WINDOW_MS);
    [startMs, hasHead] = [windowEndMs - overlapMs, hasNextHead];
  }
  throw new Error("the speech is longer than its windows");
}

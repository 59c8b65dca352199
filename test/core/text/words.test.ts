import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import {
  joinAllTexts,
  joinAllWords,
  joinTexts,
  joinWords,
  lettersOf,
  textAfter,
  wordEnds,
  wordsOf,
} from "../../../src/core/text/words.ts";

describe("F14-3: words", () => {
  test.each([
    ["en", "Don't stop, it is $3.50!", ["Don't", "stop,", "it", "is", "$3.50!"]],
    ["zh", "我们每天开门，星期天休息。", ["我们", "每天", "开门，", "星期天", "休息。"]],
    ["ja-JP", "「パン」を一つ。", ["「パン」", "を", "一つ。"]],
    ["th", "ขอของหวาน สองอัน", ["ขอ", "ของ", "หวาน", "สอง", "อัน"]],
    ["ko", "저희는 매일 엽니다.", ["저희는", "매일", "엽니다."]],
    ["hi", "नमस्ते। आप कैसे हैं।", ["नमस्ते।", "आप", "कैसे", "हैं।"]],
    ["no such tag!", "我们 open", ["我们", "open"]],
    ["en", "", []],
  ])("of %s in %j", (language, text, words) => {
    expect(wordsOf(text, language)).toEqual(words);
  });

  test("end at their real ends, and together are the text without its white space", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 60 }),
        fc.constantFrom("en", "zh", "th", "my"),
        (text, language) => {
          const ends = wordEnds(text, language);
          expect(ends).toEqual([...new Set(ends)].sort((a, b) => a - b));
          expect(ends.at(-1) ?? 0).toBe(text.trimEnd().length);
          expect(wordsOf(text, language).join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
        },
      ),
    );
  });

  test("of thousands of invented languages are segmented in bounded memory, and none is refused", () => {
    for (let index = 0; index < 3_000; index += 1) expect(wordsOf("我们", `x${index.toString(36)}`)).toEqual(["我们"]);
  });
});

test("F14-3: texts are joined with a space if their script has spaces", () => {
  expect(joinTexts("Yes.", "No.")).toBe("Yes. No.");
  expect(joinTexts("你好。", "请问？")).toBe("你好。请问？");
  expect(joinTexts("パン", "と")).toBe("パンと");
  expect(joinTexts("안녕", "하세요")).toBe("안녕 하세요");
  expect(joinTexts("iPhone", "很好")).toBe("iPhone 很好");
  expect([joinTexts("", "a"), joinTexts("a", "")]).toEqual(["a", "a"]);
});

test("F14-1: the text after words is found regardless of case and punctuation, and only after whole words", () => {
  expect(textAfter("i need four", "I need four, please.", "en")).toBe("please.");
  expect(textAfter("i need for", "I need forty rolls", "en")).toBeUndefined();
  expect(textAfter("", "yes", "en")).toBe("yes");
  expect(textAfter("yes", "", "en")).toBeUndefined();
  expect(lettersOf("Ｉ’d—like Ⅳ!")).toBe("idlikeiv");
});

describe("many texts", () => {
  const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `Utterance ${index}.`);

  test("are joined as two are", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("", "a", "Yes.", "你好。", "パン", "안녕", "ภาษา"), { maxLength: 8 }),
        (some) => {
          expect(joinAllTexts(some)).toBe(some.reduce(joinTexts, ""));
          expect(joinAllWords(some)).toBe(some.reduce(joinWords, ""));
        },
      ),
    );
  });

  test("take work that grows with their number, and not with its square", () => {
    const count = 2_000;
    const all = texts(count);
    const read = lengthsRead(() => joinAllTexts(all));
    // Only single texts are looked at, never what has been joined of them so far.
    expect(Math.max(...read)).toBe(Math.max(...all.map(({ length }) => length)));
    expect(read.length).toBeLessThanOrEqual(2 * count);
  });
});

/** The lengths of the texts of which `work` takes a part, one after another. */
function lengthsRead(work: () => void): number[] {
  const lengths: number[] = [];
  const { slice } = String.prototype;
  const spy = vi.spyOn(String.prototype, "slice").mockImplementation(function (this: string, ...range) {
    lengths.push(this.length);
    return slice.apply(this, range);
  });
  try {
    work();
  } finally {
    spy.mockRestore();
  }
  return lengths;
}

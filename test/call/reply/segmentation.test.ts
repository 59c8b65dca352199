import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { SegmentSplitter } from "../../../src/call/reply/segmentation.ts";
import { speakingLength } from "../../../src/core/text/speaking-length.ts";
import { wordEnds } from "../../../src/core/text/words.ts";

const newSplitter = (): SegmentSplitter => new SegmentSplitter(DEFAULT_TURN_PARAMETERS.firstClauseChars, "en");

function split(...texts: string[]): string[] {
  const splitter = newSplitter();
  return [...texts.flatMap((text) => splitter.push(text)), ...splitter.end()];
}

describe("splitting a reply into segments", () => {
  test("a sentence is a segment as soon as the next one starts", () => {
    const splitter = newSplitter();
    expect(splitter.push("We are open from nine to five.")).toEqual([]);
    expect(splitter.push(" And")).toEqual(["We are open from nine to five."]);
    expect(splitter.end()).toEqual(["And"]);
  });

  test("short sentences are spoken together with the next one", () => {
    expect(split("Yes. No. We are open from nine to five. Bye.")).toEqual([
      "Yes. No. We are open from nine to five.",
      "Bye.",
    ]);
  });

  test("numbers, prices and abbreviations without a space after the dot are not split", () => {
    expect(split("The whole wheat loaf costs 3.50 at www.example.com today.")).toHaveLength(1);
  });

  test("a sentence without an end is split at a clause before it gets too long, and never within a word", () => {
    const segments = split(`${"one two three four, ".repeat(30)}end`);
    expect(segments.length).toBeGreaterThan(2);
    for (const segment of segments) expect(segment.length).toBeLessThanOrEqual(220);
    for (const segment of segments.slice(0, -1)) expect(segment.endsWith(",")).toBe(true);
  });

  test("sentences of unspaced languages are split at their own full stops, the first at its first clause", () => {
    const [clause, rest] = ["パンは毎朝五時に焼き上がり、", "ロールパンは六時に焼き上がります。"];
    expect(split(clause + rest + clause + rest)).toEqual([clause, rest, clause + rest]);
  });

  test.each([
    ["At the clinic you will see Dr. Smith. He is kind.", "At the clinic you will see Dr. Smith.|He is kind."],
    ["Wir kommen zu Ihnen am 3. Mai um zwei. Bis dann.", "Wir kommen zu Ihnen am 3. Mai um zwei.|Bis dann."],
    ["We sell three kinds of fruit 1. Apples 2. Pears", "We sell three kinds of fruit 1. Apples 2. Pears"],
    ["Wir haben viele gute Brote z. B. Roggen. Gut.", "Wir haben viele gute Brote z. B. Roggen.|Gut."],
    ["Nous avons de bons pains p. ex. au seigle. Oui.", "Nous avons de bons pains p. ex. au seigle.|Oui."],
    ["Find us at the church of St. Mary (i.e. here). Bye.", "Find us at the church of St. Mary (i.e. here).|Bye."],
    ["The whole wheat loaf costs 3.50. Bye.", "The whole wheat loaf costs 3.50.|Bye."],
    ["This shop was opened in 1999. Bye.", "This shop was opened in 1999.|Bye."],
    ["Is it rye that you like or is it 5? Bye.", "Is it rye that you like or is it 5?|Bye."],
  ])("a dot that ends no sentence ends no segment: %s", (text, segments) => {
    expect(split(text)).toEqual(segments.split("|"));
  });

  test("the first segment ends with its first clause, and only the first", () => {
    const splitter = newSplitter();
    expect(splitter.push("We are open from nine to five, ")).toEqual(["We are open from nine to five,"]);
    expect(splitter.push("except on the Sundays of December, when we are closed. And")).toEqual([
      "except on the Sundays of December, when we are closed.",
    ]);
    expect(splitter.end()).toEqual(["And"]);
    expect(splitter.push("I have looked it up for you: it is open.")).toEqual(["I have looked it up for you:"]);
  });

  test("a first clause that is too short continues, and a date or a time is none", () => {
    expect(split("Yes, we are open. We close on November 21, 2026 at 9:30 at night; not before.")).toEqual([
      "Yes, we are open. We close on November 21, 2026 at 9:30 at night;",
      "not before.",
    ]);
  });

  test("where no clause may be a segment, sentences are", () => {
    const splitter = new SegmentSplitter(Number.POSITIVE_INFINITY, "en");
    expect(splitter.push("We are open from nine to five, except on Sundays. And")).toEqual([
      "We are open from nine to five, except on Sundays.",
    ]);
  });

  test("text that cannot be spoken is dropped", () => {
    expect(split("... --- !!! ", "?!")).toEqual([]);
  });

  test.each([
    ["zh", "我们每天早上九点开门。晚上六点关门，", "我们每天早上九点开门。"],
    ["ja", "毎日九時から開いています。日曜日は", "毎日九時から開いています。"],
    ["ko", "저희는 매일 엽니다. 일요일은", "저희는 매일 엽니다."],
    ["hi", "हम हर दिन नौ बजे खुलते हैं।और", "हम हर दिन नौ बजे खुलते हैं।"],
    ["hi", "हम हर दिन नौ बजे खुलते हैं। और", "हम हर दिन नौ बजे खुलते हैं।"],
    ["ar", "هل نفتح كل يوم من التاسعة؟ نعم", "هل نفتح كل يوم من التاسعة؟"],
    ["ur", "ہم ہر روز نو بجے کھلتے ہیں۔ اور", "ہم ہر روز نو بجے کھلتے ہیں۔"],
    ["hy", "Մենք բաց ենք ամեն օր իննից։ Իսկ", "Մենք բաց ենք ամեն օր իննից։"],
    ["am", "በየቀኑ ከጠዋቱ ሦስት ሰዓት።እና", "በየቀኑ ከጠዋቱ ሦስት ሰዓት።"],
    ["my", "နေ့စဉ် မနက်ကိုးနာရီမှ ဖွင့်ပါသည်။ ည", "နေ့စဉ် မနက်ကိုးနာရီမှ ဖွင့်ပါသည်။"],
    ["km", "យើងបើករាល់ថ្ងៃពីម៉ោងប្រាំបួន។ ថ្ងៃ", "យើងបើករាល់ថ្ងៃពីម៉ោងប្រាំបួន។"],
    ["el", "Είναι ανοιχτά κάθε μέρα; Ναι", "Είναι ανοιχτά κάθε μέρα;"],
    ["th", "เราเปิดทุกวันตั้งแต่เก้าโมงเช้า และปิด", "เราเปิดทุกวันตั้งแต่เก้าโมงเช้า"],
    ["zh", "他说：“我们每天九点开门。”然后", "他说：“我们每天九点开门。”"],
    ["en", 'She said that it was "no more." Then', 'She said that it was "no more."'],
    ["zh", "我们每天早上九点开门!晚上", "我们每天早上九点开门!"],
  ])("F14-3: a sentence of %s ends where its script ends it: %s", (language, text, first) => {
    const splitter = new SegmentSplitter(Number.POSITIVE_INFINITY, language);
    expect(splitter.push(text)).toEqual([first]);
  });

  test.each([
    ["zh", "好的，我们每天早上九点开门，", "好的，我们每天早上九点开门，"],
    ["ja", "はい、毎日九時から開いていますが、日", "はい、毎日九時から開いていますが、"],
    ["ar", "نعم نحن نفتح كل يوم صباحا، ثم", "نعم نحن نفتح كل يوم صباحا،"],
  ])("F14-3: the first clause of %s is a segment once it takes as long as 24 Latin letters", (language, text, first) => {
    expect(new SegmentSplitter(24, language).push(`${text}九`)).toEqual([first]);
  });

  test("F14-3: the first segment of a script whose letters take longer ends after fewer of them", () => {
    expect(new SegmentSplitter(24, "zh").push("我们九点开门。好")).toEqual(["我们九点开门。"]);
    expect(new SegmentSplitter(24, "en").push("We open at 9. So")).toEqual([]);
  });

  test("F14-3: a space near the beginning of a text without spaces is no split point", () => {
    const text = `好的 ${"我们每天早上开门晚上关门".repeat(6)}`;
    const splitter = new SegmentSplitter(24, "zh");
    const [first, ...others] = [...splitter.push(text), ...splitter.end()];
    expect(speakingLength(first ?? "")).toBeGreaterThanOrEqual(100);
    expect([first, ...others].join("")).toBe(text);
  });

  test.each([
    ["zh", "我们每天早上开门晚上关门".repeat(40)],
    ["th", "เราเปิดทุกวันตั้งแต่เก้าโมงเช้าถึงหกโมงเย็น".repeat(20)],
    ["ja", "パンは毎朝五時に焼き上がりロールパンは六時に".repeat(20)],
  ])("F14-3: where %s never ends a sentence, it is split between words, before it takes 220 Latin letters", (language, text) => {
    const splitter = new SegmentSplitter(24, language);
    const segments = [...splitter.push(text), ...splitter.end()];
    expect(segments.join("")).toBe(text);
    expect(segments.length).toBeGreaterThan(2);
    let at = 0;
    const ends = wordEnds(text, language);
    for (const segment of segments) {
      expect(speakingLength(segment)).toBeLessThanOrEqual(220);
      at += segment.length;
      // The splitter sees only the text so far: its end counts as the end of a word, too.
      expect(ends.includes(at) || ends.some((end) => Math.abs(end - at) < 4)).toBe(true);
    }
  });

  test("F14-3: text without words is split between characters, never within one", () => {
    for (const character of ["👨‍👩‍👧", "𠮷", "👋🏽", "x"]) {
      const splitter = new SegmentSplitter(24, "en");
      const text = `a${character.repeat(600)}`;
      const segments = [...splitter.push(text), ...splitter.end()];
      expect(segments.length).toBeGreaterThan(character === "x" || character === "𠮷" ? 1 : 0);
      for (const segment of segments) expect(segment.replace(/^a/, "").replaceAll(character, "")).toBe("");
    }
  });

  test("however the text is chunked, the segments joined by spaces are the text with its white space folded", () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9]{1,12}[,.;!?]?$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 120 }), fc.array(fc.nat(40)), (words, counts) => {
        const text = words.join(" ");
        const parts: string[] = [];
        let at = 0;
        for (const count of counts) {
          parts.push(text.slice(at, at + count));
          at += count;
        }
        expect(split(...parts, text.slice(at)).join(" ")).toBe(text);
      }),
    );
  });
});

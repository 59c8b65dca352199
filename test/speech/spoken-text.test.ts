import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SpokenWord } from "../../src/speech/speech.ts";
import { spokenParts, spokenTextOf, WrittenWords } from "../../src/speech/spoken-text.ts";

const said = (text: string, language = "en-US"): string => spokenTextOf(spokenParts(text, language));

describe("what a voice says for what a model wrote", () => {
  test.each([
    ["Plain words stay as they are, don't they?", "Plain words stay as they are, don't they?"],
    ["It has 24 rooms, version 2.5.", "It has 24 rooms, version 2.5."],
    ["We sold 1,250 of 1,000,000.", "We sold 1250 of 1000000."],
    ["That is $5.", "That is 5 dollars."],
    ["That is $1.20, or £0.50.", "That is 1 dollar and 20 cents, or 50 pence."],
    ["It cost $1,299.99!", "It cost 1299 dollars and 99 cents!"],
    ["A loss of $2.5 million.", "A loss of 2.5 million dollars."],
    ["You pay 30 EUR.", "You pay 30 euros."],
    ["Take 15% off, 2.5 % more.", "Take 15 percent off, 2.5 percent more."],
    ["It is 5 km away, at 1 kg and 21°C.", "It is 5 kilometers away, at 1 kilogram and 21 degrees Celsius."],
    ["Open 9-17, 10–12 on Sunday.", "Open 9 to 17, 10 to 12 on Sunday."],
    ["On 2026-11-21 we close.", "On November 21, 2026 we close."],
    ["Call +44 20 7946 0958.", "Call plus 4 4, 2 0, 7 9 4 6, 0 9 5 8."],
    ["Call 555-123-4567 now.", "Call 5 5 5, 1 2 3, 4 5 6 7 now."],
    ["Order 48213907 is ready.", "Order 4 8 2 1 3 9 0 7 is ready."],
    ["Your code is 0042.", "Your code is 0 0 4 2."],
    ["Write to jane.doe@example.co.uk.", "Write to jane dot doe at example dot co dot uk."],
    ["See https://www.example.com/opening-hours?x=1.", "See example dot com slash opening dash hours."],
    ["See www.example.org/ or example.com.", "See example dot org or example dot com."],
    ["Dr. Smith, e.g. at 5 p.m. today", "Doctor Smith, for example at 5 P M today"],
    ["Bread & butter, #3", "Bread and butter, number 3"],
    ["**Yes**, we _do_ have `rye`.", "Yes, we do have rye."],
    ["## Hours", "Hours"],
    ["We have: - rye - wheat * spelt", "We have: rye, wheat, spelt"],
    ["Read [our menu](https://example.com/menu) first [1].", "Read our menu first."],
    ["Great! 🎉👍🏽 See you", "Great! See you"],
    ["<b>Bold</b> | cell", "Bold, cell"],
  ])("%s", (text, spoken) => {
    expect(said(text)).toBe(spoken);
  });

  test.each([
    ["de", "Das macht 1.250,50 €.", "Das macht 1250 Euro und 50 Cent."],
    ["de-AT", "Zum Bsp. 15 %, z. B. ca. 3 km.", "Zum Bsp. 15 Prozent, zum Beispiel circa 3 Kilometer."],
    ["de", "Am 2026-11-21.", "Am 21. November 2026."],
    ["fr", "Cela coûte 1 250,50 €.", "Cela coûte 1250 euros et 50 centimes."],
    ["es", "Son 5,50 € para la Sra. Gil.", "Son 5 euros con 50 céntimos para la señora Gil."],
    ["es", "Escriba a ana@ejemplo.es", "Escriba a ana arroba ejemplo punto es"],
  ])("in %s: %s", (language, text, spoken) => {
    expect(said(text, language)).toBe(spoken);
  });

  test("in a language that we have no words of, marks alone are left out", () => {
    expect(said("**これ**は $5 です 🎉", "ja")).toBe("これは $5 です");
  });
});

describe("what was written, from what was spoken", () => {
  /** The words of a voice that takes 100 ms for each. */
  const spoken = (text: string): SpokenWord[] =>
    text.split(" ").map((word, index) => ({ text: word, startMs: index * 100, endMs: index * 100 + 100 }));

  test("a written word is known when the last word that is said for it is, and lasts as long as they do", () => {
    const parts = spokenParts("Pay $1.20 **now**.", "en");
    expect(spokenTextOf(parts)).toBe("Pay 1 dollar and 20 cents now.");
    const words = new WrittenWords(parts);
    const voice = spoken(spokenTextOf(parts));
    expect(words.take(voice.slice(0, 4))).toEqual([{ text: "Pay", startMs: 0, endMs: 100 }]);
    expect(words.take(voice.slice(4))).toEqual([
      { text: "$1.20", startMs: 100, endMs: 600 },
      { text: "**now**.", startMs: 600, endMs: 700 },
    ]);
  });

  test("whatever is written, the words joined are the text again, and none is told twice", () => {
    const pieces = fc.constantFrom(
      ..."$ € £ % * ** _ ` # | - – 5 1,250 0042 3.5 555-123-4567 a@b.de https://x.de/a [a](b) Dr. e.g. & + 🎉 km ok , . ( )".split(
        " ",
      ),
    );
    const texts = fc.array(fc.oneof(pieces, fc.string({ unit: "binary", maxLength: 6 })), { maxLength: 24 });
    fc.assert(
      fc.property(
        texts,
        fc.constantFrom("", " "),
        fc.constantFrom("en", "de", "fr", "es", "xx"),
        (list, by, language) => {
          const text = list.join(by).replace(/\s+/g, " ").trim();
          const parts = spokenParts(text, language);
          if (parts.length === 0) return;
          const words = new WrittenWords(parts).take(spoken(spokenTextOf(parts)));
          expect(words.map((word) => word.text).join(" ")).toBe(text);
        },
      ),
    );
  });

  test("nothing is left to say of what has neither a letter nor a digit", () => {
    expect(spokenParts("*** --- 🎉 …", "en")).toEqual([]);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TimedWord } from "../../../../src/speech/contracts.ts";
import {
  joinSpoken,
  normalizeText,
  WrittenWordMapper,
} from "../../../../src/speech/tts/text-normalization/normalize.ts";

const said = (text: string, language = "en-US"): string => joinSpoken(normalizeText(text, language));

describe("normalized text", () => {
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
    ["Your code is 0042-17, in room 07.", "Your code is 0 0 4 2, 1 7, in room 0 7."],
    ["On 05-06-2026, at 007.5.", "On 05-06-2026, at 007.5."],
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
    ["We open at 9:00, or 10:05.", "We open at 9:00, or 10:05."],
    ["Between 9:00-17:00 and 1.5-2.5 hours", "Between 9:00 to 17:00 and 1.5 to 2.5 hours"],
    ["The ratio is 1.05 on 05/06/2026.", "The ratio is 1.05 on 05/06/2026."],
    ["Take 24-12-2025 or 12-34-56.", "Take 24-12-2025 or 12-34-56."],
    ["Open 9 – 17.", "Open 9 to 17."],
    ["Well, 5 - 3 = 2.", "Well, 5 minus 3 equals 2."],
    ["For 1,000-2,000 people.", "For 1000 to 2000 people."],
    ["Between 2019-2021.", "Between 2019 to 2021."],
    ["Call 555-1234.", "Call 5 5 5, 1 2 3 4."],
    ["Call 1-800-555-1234.", "Call 1, 8 0 0, 5 5 5, 1 2 3 4."],
    ["At $0.005 per minute, or $3.459.", "At 0.005 dollars per minute, or 3.459 dollars."],
    ["That is $10-20, or $10 – $20.", "That is 10 to 20 dollars, or 10 to 20 dollars."],
    [
      "Pay $1.50-2.50 or $5-10 million.",
      "Pay 1 dollar and 50 cents to 2 dollars and 50 cents or 5 to 10 million dollars.",
    ],
    ["About 10-20% in 5-10 km.", "About 10 to 20 percent in 5 to 10 kilometers."],
    ["US$5, please.", "5 dollars, please."],
    ["Press # to confirm.", "Press pound to confirm."],
    ["Press **#** or 0#.", "Press pound or 0 pound."],
    ["Press * for the menu, or * again.", "Press star for the menu, or star again."],
    ["Open Mon. - Fri., press 1, or * for the menu", "Open Mon. Fri., press 1, or star for the menu"],
    ["Take 030 - 12 or dial 0#1.", "Take 0 3 0, 12 or dial 0 pound 1."],
    ['Press "*", then `*`.', 'Press "star", then star.'],
    ["Dial *67, or *#06#.", "Dial star 67, or star pound 0 6 pound."],
    ["Take 2*3.", "Take 2 star 3."],
    ["**5 rooms** and *6 beds*.", "5 rooms and 6 beds."],
    ["We have: * rye * wheat", "We have: rye, wheat"],
    ["* 5 rye * 6 wheat", "5 rye, 6 wheat"],
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
    ["de", "Um 14:00 Uhr, am 05.06. mit 3,05.", "Um 14:00 Uhr, am 05.06. mit 3,05."],
    ["de", "Das kostet 10-20 €, 0,005 € je Minute.", "Das kostet 10 bis 20 Euro, 0,005 Euro je Minute."],
    ["de", "Die Adresse ist 192.168.1.1.", "Die Adresse ist 192.168.1.1."],
    ["de", "Drücken Sie # oder * für mehr.", "Drücken Sie Raute oder Stern für mehr."],
    ["de-CH", "Das macht 1'250.50 €.", "Das macht 1250 Euro und 50 Cent."],
    ["es", "El 24-12-2025.", "El 24-12-2025."],
    ["es", "Pulse # o * ahora", "Pulse almohadilla o asterisco ahora"],
    ["es-MX", "Son $1,500.50, pulse #.", "Son 1500 pesos con 50 centavos, pulse numeral."],
    ["es-US", "Son $1,500.50 o 1,250 euros.", "Son 1500 dólares con 50 centavos o 1250 euros."],
    ["es-419", "Son 1,500.50 EUR", "Son 1500 euros con 50 céntimos"],
    ["es-AR", "Son $1.500,50", "Son 1500 pesos con 50 centavos"],
    ["en-GB", "Press # to confirm", "Press hash to confirm"],
    ["fr", "Appuyez sur # ou * pour le menu", "Appuyez sur dièse ou étoile pour le menu"],
  ])("in %s: %s", (language, text, spoken) => {
    expect(said(text, language)).toBe(spoken);
  });

  test("in a language without a lexicon only markup is removed", () => {
    expect(said("**これ**は $5 です 🎉", "ja")).toBe("これは $5 です");
  });
});

describe("written words from spoken words", () => {
  /** The timed words of a TTS that takes 100 ms for each. */
  const spoken = (text: string): TimedWord[] =>
    text.split(" ").map((word, index) => ({ text: word, startMs: index * 100, endMs: index * 100 + 100 }));

  test("a written word is complete with the last word spoken for it, and lasts as long as all of them", () => {
    const parts = normalizeText("Pay $1.20 **now**.", "en");
    expect(joinSpoken(parts)).toBe("Pay 1 dollar and 20 cents now.");
    const words = new WrittenWordMapper(parts);
    const spokenWords = spoken(joinSpoken(parts));
    expect(words.take(spokenWords.slice(0, 4))).toEqual([{ text: "Pay", startMs: 0, endMs: 100 }]);
    expect(words.take(spokenWords.slice(4))).toEqual([
      { text: "$1.20", startMs: 100, endMs: 600 },
      { text: "**now**.", startMs: 600, endMs: 700 },
    ]);
  });

  test("for any text the written words joined are the text again, and none is reported twice", () => {
    const tokens = fc.constantFrom(
      ..."$ € £ % * ** _ ` # | - – = : 5 1,250 0042 3.5 555-123-4567 a@b.de https://x.de/a [a](b) Dr. e.g. & + 🎉 km ok , . ( )".split(
        " ",
      ),
    );
    const texts = fc.array(fc.oneof(tokens, fc.string({ unit: "binary", maxLength: 6 })), { maxLength: 24 });
    fc.assert(
      fc.property(
        texts,
        fc.constantFrom("", " "),
        fc.constantFrom("en", "de", "fr", "es-MX", "xx"),
        (list, by, language) => {
          const text = list.join(by).replace(/\s+/g, " ").trim();
          const parts = normalizeText(text, language);
          if (parts.length === 0) return;
          const words = new WrittenWordMapper(parts).take(spoken(joinSpoken(parts)));
          expect(words.map((word) => word.text).join(" ")).toBe(text);
        },
      ),
    );
  });

  test("a text without letters and digits has nothing to speak", () => {
    expect(normalizeText("*** --- 🎉 …", "en")).toEqual([]);
  });
});

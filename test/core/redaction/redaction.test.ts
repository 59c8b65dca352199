import { describe, expect, it } from "vitest";
import type { RedactionKind } from "../../../src/core/redaction/kinds.ts";
import { redactedTexts } from "../../../src/core/redaction/redaction.ts";

const ALL: readonly RedactionKind[] = ["card_number", "phone_number", "email", "national_id", "variables"];

/** Texts of the caller, and those that begin with "agent:" of the agent. */
const redacted = (
  texts: string | readonly string[],
  {
    kinds = ALL,
    language = "en-US",
    languages = [language],
    values = [],
  }: {
    kinds?: readonly RedactionKind[];
    language?: string;
    languages?: readonly string[];
    values?: readonly string[];
  } = {},
): string[] =>
  redactedTexts(
    [texts].flat().map((text) => ({ speaker: text.startsWith("agent:") ? "agent" : "user", text })),
    { kinds, languages, values },
  );

describe("card numbers", () => {
  it.each([
    ["4111 1111 1111 1111", "en"],
    ["4111-1111-1111-1111", "en"],
    ["4111111111111111", "de"],
    ["5500 0000 0000 0004", "en"],
    ["3400 000000 00009", "en"],
    ["４１１１ １１１１ １１１１ １１１１", "ja"],
    ["٤١١١ ١١١١ ١١١١ ١١١١", "ar"],
    ["four one one one, one one one one, one one one one, one one one one", "en"],
    ["forty one eleven eleven eleven eleven eleven eleven eleven", "en"],
    ["four triple one, quadruple one, quadruple one, quadruple one", "en"],
    ["five five double oh, double oh double oh, double oh double oh, double oh oh four", "en"],
    ["vier eins eins eins eins eins eins eins eins eins eins eins eins eins eins eins", "de"],
    ["cuatro uno uno uno uno uno uno uno uno uno uno uno uno uno uno uno", "es"],
    ["四一一一一一一一一一一一一一一一", "zh"],
    ["4111 um 1111 then 1111 1111", "en"],
  ])("finds %s", (number, language) => {
    expect(redacted(`It is ${number}.`, { kinds: ["card_number"], language })).toEqual(["It is [card number]."]);
  });

  it("leaves numbers alone that have no check digit of a card", () => {
    const text = "Order 4111 1111 1111 1112, and 1234567890123 too.";
    expect(redacted(text, { kinds: ["card_number"] })).toEqual([text]);
  });

  it("finds a number that is divided between two utterances of a speaker, with the agent between them", () => {
    expect(
      redacted(["My card is 4111 1111", "agent: Yes, go on.", "and then 1111 1111.", "Thanks"], {
        kinds: ["card_number"],
      }),
    ).toEqual(["My card is [card number]", "agent: Yes, go on.", "and then [card number].", "Thanks"]);
  });

  it("finds a number that both speak in turn", () => {
    expect(redacted(["4111 1111", "agent: 1111 1111"], { kinds: ["card_number"] })).toEqual([
      "[card number]",
      "agent: [card number]",
    ]);
  });

  it("finds parts of a number that was found, before and after it", () => {
    const texts = [
      "It begins with 4012 8888",
      "4012 8888 8888 1881",
      "agent: The one ending in 1881, yes?",
      "In 2024.",
    ];
    expect(redacted(texts, { kinds: ["card_number"] })).toEqual([
      "It begins with [card number]",
      "[card number]",
      "agent: The one ending in [card number], yes?",
      "In 2024.",
    ]);
  });

  it.each([
    ["カード番号は4111111111111111です", "カード番号は[card number]です", "ja"],
    ["번호는 4111111111111111입니다", "번호는 [card number]입니다", "ko"],
    ["card4111111111111111 and 4111111111111111x", "card[card number] and [card number]x", "en"],
    ["4111x1111x1111x1111", "[card number]", "en"],
  ])("finds a number that no space divides from letters: %s", (text, expected, language) => {
    expect(redacted(text, { kinds: ["card_number"], language })).toEqual([expected]);
  });

  it("finds two numbers that are written as one, and parts of both elsewhere", () => {
    const texts = ["41111111111111114012888888881881", "The ones ending in 1111 and 1881.", "1".repeat(32)];
    expect(redacted(texts, { kinds: ["card_number"] })).toEqual([
      "[card number]",
      "The ones ending in [card number] and [card number].",
      "1".repeat(32),
    ]);
  });

  it("finds digits that were pressed", () => {
    expect(redacted("DTMF: 4111111111111111", { kinds: ["card_number"] })).toEqual(["DTMF: [card number]"]);
  });
});

describe("telephone numbers", () => {
  it.each([
    ["+49 30 901820", "en"],
    ["(212) 555-2368", "en-US"],
    ["two one two, five five five, two three six eight", "en-US"],
    ["030 901820", "de"],
    ["plus four four two oh seven nine four six oh nine five eight", "en-GB"],
  ])("finds %s", (number, language) => {
    const [text = ""] = redacted(`Call ${number} please`, { kinds: ["phone_number"], language });
    expect(text).toMatch(/^Call (?:plus )?\(?\[phone number\] please$/);
  });

  it("finds a number that no space divides from letters", () => {
    expect(redacted("เบอร์0812345678ครับ", { kinds: ["phone_number"], language: "th-TH" })).toEqual([
      "เบอร์[phone number]ครับ",
    ]);
    expect(redacted("call plus49 30 901820now", { kinds: ["phone_number"] })).toEqual(["call plus[phone number]now"]);
  });

  it("leaves a year and a price alone", () => {
    const text = "In 2024 it cost 1,299 dollars.";
    expect(redacted(text, { kinds: ["phone_number"] })).toEqual([text]);
  });
});

describe("email", () => {
  it.each([
    ["jane.doe+bakery@mail.example.com", "en"],
    ["jane dot doe at example dot com", "en"],
    ["j a n e at mail dot example dot co dot uk", "en"],
    ["jane at example.com", "en"],
    ["jane.doe at mail.24seven.co.uk", "en"],
    ["jana arroba ejemplo.es", "es"],
    ["jana punkt doe ät beispiel punkt de", "de"],
    ["jana arroba ejemplo punto es", "es"],
    ["jörg@bücher.example", "de"],
    ["anna maria lopez1985b at web24shop dot b2b dot example", "en"],
  ])("finds %s", (address, language) => {
    expect(redacted(`It is ${address}.`, { kinds: ["email"], language })).toEqual(["It is [email]."]);
  });

  it("leaves other uses of at and dot alone", () => {
    for (const text of [
      "Meet me at the station, and dot the i.",
      "Meet me at 3 p.m. or at 5.30.",
      "She is at home. Then call her at noon.",
    ])
      expect(redacted(text, { kinds: ["email"] })).toEqual([text]);
  });
});

describe("national ids", () => {
  it.each([
    ["078-05-1120", "en"],
    ["AB 12 34 56 C", "en-GB"],
    ["AB123456C", "en-GB"],
    ["X1234567L", "es"],
    ["86 095 742 719", "de"],
    ["12345678Z", "es"],
    ["RSSMRA85T10A562S", "it"],
    ["111222333", "nl"],
    ["44051401359", "pl"],
    ["529.982.247-25", "pt-BR"],
    ["2 55 08 14 168 025 38", "fr"],
    ["811228-9874", "sv"],
  ])("finds %s", (id, language) => {
    expect(redacted(`It is: ${id}!`, { kinds: ["national_id"], language })).toEqual(["It is: [national id]!"]);
  });
});

describe("values of variables", () => {
  it("finds a value whole, and each word of a name", () => {
    const values = ["Maria Schmidt", "12 Harbour Lane", "A-1749"];
    const texts = ["I am maria.", "agent: Hello Ms. Schmidt of 12, Harbour Lane.", "My order is a 1749 from the lane."];
    expect(redacted(texts, { kinds: ["variables"], values })).toEqual([
      "I am [variable].",
      "agent: Hello Ms. [variable] of [variable].",
      "My order is [variable] from the lane.",
    ]);
  });

  it("finds a value of letters and digits however it is divided", () => {
    expect(redacted("It is a1749 or a 1749, not id1749b.", { kinds: ["variables"], values: ["A1749"] })).toEqual([
      "It is [variable] or [variable], not id1749b.",
    ]);
    expect(redacted("It is id1749b", { kinds: ["variables"], values: ["1749"] })).toEqual(["It is id[variable]b"]);
  });

  it("ignores values that are too short to mean anything", () => {
    expect(redacted("I am at a bar", { kinds: ["variables"], values: ["a", "at", ""] })).toEqual(["I am at a bar"]);
  });

  it("finds a number of a variable as it is spoken", () => {
    expect(redacted("It is one seven four nine", { kinds: ["variables"], values: ["1749"] })).toEqual([
      "It is [variable]",
    ]);
  });
});

describe("limits", () => {
  it("redacts a text that matches everywhere, with one label", () => {
    const value = "again";
    const [text = ""] = redacted("again ".repeat(5_000), { kinds: ["variables"], values: [value] });
    expect(text).toBe("[variable] ");
  });

  it.each([
    ["digits", "4 ".repeat(20_000)],
    ["one long digit group", "4".repeat(100_000)],
    ["at signs", "@".repeat(100_000)],
    ["addresses", "a@b.".repeat(25_000)],
    ["spoken addresses", "a at b dot ".repeat(10_000)],
    ["letters", "a".repeat(100_000)],
    ["no words", "!".repeat(100_000)],
  ])("takes time that grows with the length: %s", (_, text) => {
    const begunMs = performance.now();
    redacted(text);
    const half = performance.now() - begunMs;
    const againMs = performance.now();
    redacted(text + text);
    // Twice the text takes about twice the time; four times would be quadratic, and the first run also compiles.
    expect(performance.now() - againMs).toBeLessThan(8 * half + 500);
  });

  it("keeps names such as __proto__ and constructor as they are", () => {
    const text = "constructor __proto__ toString";
    expect(redacted(text, { language: "constructor" })).toEqual([text]);
  });
});

describe("a conversation in two languages", () => {
  const languages = ["en-US", "de-DE"];
  const spoken = "vier eins eins eins eins eins eins eins eins eins eins eins eins eins eins eins";

  it("has what each of them finds, also in one text", () => {
    expect(redacted(spoken)).toEqual([spoken]);
    expect(redacted(spoken, { languages })).toEqual(["[card number]"]);
    const card = "four one one one one one one one one one one one one one one one";
    expect(redacted(`Call me at 0171 2345678 tomorrow. My card says ${card}`, { languages })).toEqual([
      "Call me at [phone number] tomorrow. My card says [card number]",
    ]);
  });

  it("redacts in one language the end of a number that was said in the other", () => {
    expect(redacted([spoken, "it ends with one one one one"], { languages })).toEqual([
      "[card number]",
      "it ends with [card number]",
    ]);
  });
});

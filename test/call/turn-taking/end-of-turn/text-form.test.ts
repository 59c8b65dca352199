import { expect, test } from "vitest";
import { textFormOf } from "../../../../src/call/turn-taking/end-of-turn/text-form.ts";
import { WORD_LISTS } from "../../../../src/call/turn-taking/end-of-turn/word-lists.ts";

test.for([
  ["en", "I would like to"],
  ["en", "my number is"],
  ["en", "It's for two people, and"],
  ["de", "ich hätte gern einen termin für"],
  ["de", "meine nummer ist"],
  ["es", "quisiera hablar con el"],
  ["fr", "je voudrais parler à la"],
  ["fr", "c'est pour l'"],
  ["it", "vorrei prenotare un tavolo per"],
  ["it", "la mia email è"],
  ["nl", "ik wil graag een"],
  ["pt", "eu queria falar com"],
  ["ru", "я бы хотел заказать столик на"],
])("more must follow, in %s: %s", ([language, text]) => {
  expect(textFormOf(text as string, language as string).isTrailing).toBe(true);
});

test.for([
  ["en", "I would like a table by the window"],
  ["de", "ich hätte gern einen termin morgen"],
  ["es", "quisiera hablar con alguien"],
  ["fr", "je voudrais annuler ma commande"],
  ["it", "vorrei prenotare un tavolo"],
  ["nl", "ik wil graag een afspraak maken"],
  ["pt", "eu queria cancelar o pedido"],
  ["ru", "я бы хотел отменить заказ"],
])("nothing must follow, in %s: %s", ([language, text]) => {
  expect(textFormOf(text as string, language as string)).toMatchObject({
    isTrailing: false,
    isHesitation: false,
    digits: 0,
  });
});

test.for([
  ["en", "what time do you open tomorrow"],
  ["de", "wann haben sie morgen geöffnet"],
  ["es", "cuándo abren ustedes mañana"],
  ["fr", "combien coûte une chambre"],
  ["it", "quanto costa una camera"],
  ["nl", "wanneer bent u morgen open"],
  ["pt", "quanto custa um quarto"],
  ["ru", "сколько стоит номер"],
])("a question is known by its words, in %s: %s", ([language, text]) => {
  expect(textFormOf(text as string, language as string).isQuestion).toBe(true);
});

test.for([
  ["en", "my number is 0 1 7 2", 4],
  ["en", "my number is zero one seven two", 4],
  ["en", "it's 0172", 4],
  ["de", "null eins sieben zwo", 4],
  ["es", "cero uno siete", 3],
  ["fr", "zéro six douze", 3],
  ["it", "zero tre nove", 3],
  ["nl", "nul zes een", 3],
  ["pt", "zero nove meia", 3],
  ["ru", "ноль один семь", 3],
  ["en", "I have two dogs", 0],
] as const)("the digits at the end of a text count, in %s: %s", ([language, text, digits]) => {
  expect(textFormOf(text, language).digits).toBe(digits);
});

test.for([
  ["en", "B. R. O.", 3],
  ["en", "bee ar oh", 0],
  ["it", "bi erre o", 3],
  ["ru", "ей би си", 3],
  ["fr", "double vé a", 3],
  ["de", "m ü l l", 4],
] as const)("letters that are spelled count, in %s: %s", ([language, text, letters]) => {
  expect(textFormOf(text, language).letters).toBe(letters);
});

test.for([
  ["en", "Yes, please.", true],
  ["en", "yes I would like that", false],
  ["de", "nein danke", true],
  ["es", "sí gracias", true],
  ["ru", "да", true],
] as const)("an answer is complete by itself, in %s: %s", ([language, text, isAnswer]) => {
  expect(textFormOf(text, language)).toMatchObject({ isAnswer, beginsWithAnswer: true });
});

test("marks count where the STT writes them", () => {
  expect(textFormOf("Hello.", "en").mark).toBe("sentence");
  expect(textFormOf("Hello?", "en").mark).toBe("question");
  expect(textFormOf("Hello,", "en").mark).toBe("clause");
  expect(textFormOf("hello", "en").mark).toBe("none");
});

test("a language without lists, an empty text and a very long one have a form", () => {
  expect(textFormOf("tere tulemast", "et")).toMatchObject({ words: 2, isTrailing: false });
  expect(textFormOf("  ", "en").words).toBe(0);
  expect(textFormOf("word ".repeat(10_000), "en").words).toBe(40);
});

test("each list is of plain words: in lower case, each once", () => {
  for (const [language, lists] of Object.entries(WORD_LISTS)) {
    for (const [name, words] of Object.entries(lists)) {
      const all = (words as string).split(" ").filter((word) => word !== "");
      expect(all, `${language} ${name}`).toEqual(all.map((word) => word.toLowerCase()));
      expect(new Set(all).size, `${language} ${name} has a word twice`).toBe(all.length);
    }
  }
});

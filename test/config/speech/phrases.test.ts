import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config/config.ts";
import { readPhrasesFile } from "../../../src/config/speech/phrases.ts";
import {
  PHRASE_CHARS_MAX,
  PHRASES_FILE_BYTES_MAX,
  PHRASES_FILE_PROBLEMS_MAX,
} from "../../../src/core/limits/agents/phrases.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

function fileOf(content: string): string {
  const path = join(temporaryDirectory(), "phrases.json");
  writeFileSync(path, content);
  return path;
}

/** What is read of a file, and what is wrong with it. */
function read(content: unknown): { overrides: object; problems: string[] } {
  const problems: string[] = [];
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return { overrides: readPhrasesFile(fileOf(text), problems), problems };
}

describe("the file of an operator's phrases", () => {
  test("adds languages and replaces single phrases, under canonical language tags", () => {
    const { overrides, problems } = read({ "zh-tw": { filler: " 請稍等。 " }, sw: { goodbye: "Kwaheri." }, en: {} });
    expect(problems).toEqual([]);
    expect(overrides).toEqual({ "zh-TW": { filler: "請稍等。" }, sw: { goodbye: "Kwaheri." }, en: {} });
  });

  test("all problems are reported together, each with its path and value", () => {
    const { problems } = read({
      de: { hello: "Hallo", filler: 7, apology: "", goodbye: "x".repeat(PHRASE_CHARS_MAX + 1), inactivity: "a\nb" },
      "no/tag": {},
      sw: ["Kwaheri."],
      "zh-Hant-TW": {},
      german: {},
      "pt-br": {},
      "pt-BR": {},
    });
    expect(problems).toEqual([
      "PHRASES_FILE /de/hello must be one of inactivity, apology, filler, goodbye, limit",
      "PHRASES_FILE /de/filler must be a line of 1 to 200 characters, not 7",
      'PHRASES_FILE /de/apology must be a line of 1 to 200 characters, not ""',
      `PHRASES_FILE /de/goodbye must be a line of 1 to 200 characters, not "${"x".repeat(40)}…"`,
      'PHRASES_FILE /de/inactivity must be a line of 1 to 200 characters, not "a\\nb"',
      "PHRASES_FILE /no~1tag must be a language tag such as de, pt-BR or zh-Hant",
      "PHRASES_FILE /sw must be an object of phrases, not a list",
      "PHRASES_FILE /zh-Hant-TW must be a language tag such as de, pt-BR or zh-Hant: no call can have this language",
      "PHRASES_FILE /german must be a language tag such as de, pt-BR or zh-Hant: no call can have this language",
      "PHRASES_FILE /pt-BR must occur once: it is pt-BR again",
    ]);
  });

  test("with very many problems has the first ones listed and the rest counted", () => {
    const many = Object.fromEntries(Array.from({ length: PHRASES_FILE_PROBLEMS_MAX + 5 }, (_, n) => [`p${n}`, "x"]));
    const { problems } = read({ de: many });
    expect(problems).toHaveLength(PHRASES_FILE_PROBLEMS_MAX + 1);
    expect(problems.at(-1)).toBe("PHRASES_FILE has 5 more problems");
  });

  test.each([
    ["{", /^PHRASES_FILE must name a JSON file: .*phrases\.json does not contain JSON$/],
    ["[]", /^PHRASES_FILE must hold a JSON object of languages, not a list$/],
    ["null", /^PHRASES_FILE must hold a JSON object of languages, not null$/],
    [" ".repeat(PHRASES_FILE_BYTES_MAX + 1), /^PHRASES_FILE must name a file of at most 1048576 bytes: .* has more$/],
  ])("that does not exist gives one line", (content, line) => {
    const { problems } = read(content);
    expect(problems).toEqual([expect.stringMatching(line)]);
  });

  test("that cannot be read gives one line, with the path and the reason", () => {
    const problems: string[] = [];
    const folder = join(temporaryDirectory(), "folder");
    mkdirSync(folder);
    expect(readPhrasesFile("/nowhere/phrases.json", problems)).toEqual({});
    expect(readPhrasesFile(folder, problems)).toEqual({});
    expect(problems).toEqual([
      "PHRASES_FILE must name a file that can be read: /nowhere/phrases.json cannot (ENOENT)",
      `PHRASES_FILE must name a regular file: ${folder} is not one`,
    ]);
  });

  test("that is a pipe or a device does not hold up the start", () => {
    const pipe = join(temporaryDirectory(), "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const path of [pipe, "/dev/zero"]) {
      const problems: string[] = [];
      expect(readPhrasesFile(path, problems)).toEqual({});
      expect(problems).toEqual([`PHRASES_FILE must name a regular file: ${path} is not one`]);
    }
  });

  test("is read with the rest of the configuration, and all problems are reported together", () => {
    const path = fileOf(JSON.stringify({ sw: { filler: "Subiri." } }));
    expect(readConfig({ PHRASES_FILE: path }).phrases).toEqual({ sw: { filler: "Subiri." } });
    expect(readConfig({}).phrases).toEqual({});
    const bad = { PHRASES_FILE: fileOf("[]"), API_PORT: "x" };
    expect(() => readConfig(bad)).toThrow(/API_PORT must be .*\n.*PHRASES_FILE must hold a JSON object/);
    expect(readConfig({ PHRASES_FILE: "/nowhere" }, { checksFiles: false }).phrases).toEqual({});
  });
});

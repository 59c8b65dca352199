import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CATALOGUE, INSTALLED_NAME, MEASURED } from "../../../src/cli/models/catalogue.ts";
import { modelsTable } from "../../../src/cli/models/list.ts";
import { languageCode } from "../../../src/speech/languages.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const page = readFileSync(new URL("../../../docs/local-models.md", import.meta.url), "utf8");

test("every model has its languages by our codes, pinned hashes, figures, and its place in docs/local-models.md", () => {
  for (const { languages, integrity, files } of CATALOGUE) {
    expect(languages.filter((code) => languageCode(code) !== code)).toEqual([]);
    expect(new Set(languages).size).toBe(languages.length);
    expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/);
    for (const { sha256 } of files) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  }
  for (const name of [INSTALLED_NAME, ...CATALOGUE.map((model) => model.name)]) {
    expect(page).toContain(`\`${name}\``);
    for (const percent of Object.values(MEASURED[name]?.wrongWords ?? { none: "no figures" }))
      expect(page).toMatch(new RegExp(`\`${name}\` \\|.*\\| ${percent} \\|`));
  }
});

test("the added models together with the installed one understand more than 50 languages", () => {
  expect(new Set(CATALOGUE.flatMap(({ languages }) => languages)).size).toBeGreaterThan(50);
});

test("the list says which models are there; a folder with other files is not one", () => {
  const folder = temporaryDirectory();
  mkdirSync(join(folder, "whisper-tiny"));
  writeFileSync(join(folder, "whisper-tiny", "model.json"), '{"name": "whisper-tiny"}');
  const lines = modelsTable((name) => join(folder, name)).split("\n");
  expect(lines[0]).toMatch(/^name +languages +size +licence/);
  expect(lines[1]).toMatch(/^moonshine-tiny-en +en +29 MB +MIT .*comes with the service$/);
  expect(lines[2]).toMatch(/^whisper-tiny +99 +42 MB +Apache-2\.0 .*can be added$/);
});

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CATALOGUE } from "../../../../../src/cli/models/catalogue.ts";
import { VariableReader } from "../../../../../src/config/variables/reader.ts";
import { systemClock } from "../../../../../src/core/clock.ts";
import type { ClosableTts, Voice } from "../../../../../src/speech/contracts.ts";
import { listLanguages, primaryLanguages } from "../../../../../src/speech/languages.ts";
import { MANIFEST_FILE } from "../../../../../src/speech/local/model-manifest.ts";
import { STT_REGISTRY, sttServing } from "../../../../../src/speech/stt/registry.ts";
import { createEspeak } from "../../../../../src/speech/tts/providers/espeak/adapter.ts";
import { temporaryDirectory } from "../../../../support/temporary-directory.ts";

// The recommended set-ups are those of a table in docs/languages.md. All of them have eSpeak's voices.

const LANGUAGES_MIN = 50;
const BARE = "nothing set";

const pageOf = (path: string): string => readFileSync(new URL(`../../../../../${path}`, import.meta.url), "utf8");

/** The assignments of variables in a text, `STT=deepgram` or, in YAML, `STT: deepgram`. */
const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/\b([A-Z][A-Z_]+)(?:=|: )"?([^\s"`]+)/g)].map(([, name = "", value = ""]) => [name, value]),
  );

/** The rows of the table: what is set, and how many languages there are by the page. */
const SET_UPS = [
  ...pageOf("docs/languages.md").matchAll(
    /^\| (nothing set.*|`STT=.*|`npm run models.*|\[deploy\/local.*) \| (\d+) \|$/gm,
  ),
].map(([, setUp = "", count = ""]) => ({
  setUp,
  env: setUp.startsWith("[deploy") ? variablesIn(pageOf("deploy/local/compose.yaml")) : variablesIn(setUp),
  count: Number(count),
}));

/** The variables of a local model that a command adds: its folder. */
function modelIn(setUp: string): Record<string, string> {
  const model = CATALOGUE.find(({ name }) => setUp.includes(`models -- add ${name}`));
  if (model === undefined) return {};
  const folder = temporaryDirectory();
  const { name, kind, languages, licence, files } = model;
  const manifest = { name, kind, languages, licence: licence.name, origin: model.package, files };
  writeFileSync(join(folder, MANIFEST_FILE), JSON.stringify(manifest));
  return { LOCAL_STT_MODEL: folder };
}

let tts: ClosableTts;
let voices: readonly Voice[];
beforeAll(async () => {
  tts = createEspeak({ children: 1, clock: systemClock });
  voices = await tts.voices();
});
afterAll(() => tts.close());

test("the page names set-ups with eSpeak's voices: the bare one, those with a key, and the one without a cloud", () => {
  expect(SET_UPS.length).toBeGreaterThanOrEqual(6);
  expect(SET_UPS.filter(({ setUp }) => setUp.startsWith(BARE))).toHaveLength(1);
  for (const { env } of SET_UPS) expect(env.TTS ?? "espeak").toContain("espeak");
});

test.each(SET_UPS)("$setUp has $count languages, and but for the bare one 50 or more", ({ setUp, env, count }) => {
  const reader = new VariableReader({ ...env, ...modelIn(setUp) }, []);
  const stt = env.STT ?? "local";
  const languages = primaryLanguages(listLanguages(voices, sttServing(stt, STT_REGISTRY.configure(reader))));
  expect(languages).toHaveLength(count);
  if (!setUp.startsWith(BARE)) expect(count).toBeGreaterThanOrEqual(LANGUAGES_MIN);
});

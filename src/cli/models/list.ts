import { INSTALLED_MODEL } from "../../speech/local/model-manifest.ts";
import { table } from "../terminal.ts";
import { isComplete, megabytes } from "./add.ts";
import { CATALOGUE, type Licence, MEASURED, sizeOf } from "./catalogue.ts";

/** The bytes of the installed model's files. */
const INSTALLED_BYTES = 28_180_947;
const COLUMNS = ["name", "languages", "size", "licence", "wrong words, %", "CPU", "state"];

/** All models, and where they are. `folderOf` is the folder in which a model would be by default. Reads the files of added models. */
export function modelsTable(folderOf: (name: string) => string): string {
  const installed = row({
    name: INSTALLED_MODEL.name,
    languages: INSTALLED_MODEL.languages,
    bytes: INSTALLED_BYTES,
    licence: { name: INSTALLED_MODEL.licence },
    state: "comes with the service",
  });
  const others = CATALOGUE.map((model) => {
    const folder = folderOf(model.name);
    const state = isComplete(model, folder) ? `in ${folder}` : "can be added";
    return row({ ...model, bytes: sizeOf(model), state });
  });
  return `${table([COLUMNS, installed, ...others])}\n\n${EXPLANATION}`;
}

const EXPLANATION = `Wrong words: of recorded telephone prompts through G.711; lower is better. CPU: time of one core by the duration of the speech.
docs/local-models.md says how that was measured, and more of each licence.`;

function row({
  name,
  languages,
  bytes,
  licence,
  state,
}: {
  name: string;
  languages: readonly string[];
  bytes: number;
  licence: Licence;
  state: string;
}): string[] {
  const measured = MEASURED[name];
  return [
    name,
    languages.length === 1 ? (languages[0] ?? "") : String(languages.length),
    megabytes(bytes),
    licence.restriction === undefined ? licence.name : `${licence.name} (--accept-licence)`,
    Object.entries(measured?.wrongWords ?? {})
      .map(([language, percent]) => `${language} ${percent}`)
      .join(", "),
    measured === undefined ? "" : measured.cost.toFixed(2),
    state,
  ];
}

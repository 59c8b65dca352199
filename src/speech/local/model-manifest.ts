import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TrunklineError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { packageFolder } from "../../core/runtime/installed-package.ts";

/** The kinds of models that the engine runs. */
const MODEL_KINDS = ["moonshine", "whisper"] as const;

/** The file of a model folder that says what the folder holds. */
export const MANIFEST_FILE = "model.json";

/** What a model folder holds. Reading it loads no model, so the control process can list languages. */
export interface ModelManifest {
  /** A short name for logs, metrics and records: `moonshine-tiny-en`. */
  readonly name: string;
  readonly kind: (typeof MODEL_KINDS)[number];
  /** Codes as in `GET /languages`. */
  readonly languages: readonly string[];
  /** The licence of the weights, as SPDX names it where it does. */
  readonly licence: string;
  /** Where the weights come from: a package and its version. */
  readonly origin: string;
  /** `path` is relative to the folder. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
}

/** A manifest, and the folder to which its paths are relative. */
export interface LocatedModel {
  readonly folder: string;
  readonly manifest: ModelManifest;
}

const PACKAGE = "@moonshine-ai/moonshine-js";
const PACKAGE_MODEL = "dist/model/tiny/quantized";

/** The weights inside the installed package, which has no manifest of its own. */
export const INSTALLED_MODEL: ModelManifest = {
  name: "moonshine-tiny-en",
  kind: "moonshine",
  languages: ["en"],
  licence: "MIT",
  origin: `${PACKAGE} 0.1.29`,
  files: [
    { path: "encoder_model.onnx", sha256: "c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a" },
    { path: "decoder_model_merged.onnx", sha256: "eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367" },
  ],
};

/**
 * The model in `folder`; undefined is the installed one. Throws `bad_configuration` where the folder has no valid manifest, and where
 * the package is not installed.
 */
export function locateModel(folder: string | undefined): LocatedModel {
  if (folder !== undefined) return { folder, manifest: readManifest(folder) };
  const installed = packageFolder(PACKAGE, import.meta.url);
  if (installed === undefined) throw badModel(`the package ${PACKAGE} is not installed: run npm ci`);
  return { folder: join(installed, PACKAGE_MODEL), manifest: INSTALLED_MODEL };
}

function readManifest(folder: string): ModelManifest {
  const path = join(folder, MANIFEST_FILE);
  const help = "`npm run models -- add NAME` makes such a folder";
  try {
    return manifestIn(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw badModel(`${path} is no valid description of a speech model: ${messageOf(error)}; ${help}`, error);
  }
}

/**
 * Checks a manifest by hand: the supervisor reads it, which loads no library for schemas. Throws an error that names every field that is
 * missing or wrong.
 */
function manifestIn(value: unknown): ModelManifest {
  const manifest = isObject(value) ? value : {};
  const { name, kind, languages, licence, origin, files } = manifest;
  const problems = Object.entries({
    name: isText(name),
    [`kind (${MODEL_KINDS.join(" or ")})`]: MODEL_KINDS.some((known) => known === kind),
    languages: isList(languages, isText),
    licence: isText(licence),
    origin: isText(origin),
    "files (each with path and sha256)": isList(files, isFile),
  }).flatMap(([field, isValid]) => (isValid ? [] : [field]));
  if (problems.length > 0) throw new Error(`missing or wrong: ${problems.join(", ")}`);
  return manifest as unknown as ModelManifest;
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isList = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isItem);
const isFile = (value: unknown): boolean =>
  isObject(value) && isText(value.path) && /^[0-9a-f]{64}$/.test(String(value.sha256));

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A model that cannot be used as it is on the disk. `what` names the file and says what would be right. */
export const badModel = (what: string, cause?: unknown): TrunklineError =>
  new TrunklineError("bad_configuration", "caller", `speech model: ${what}`, { cause });

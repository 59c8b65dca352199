import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { badModel, type LocatedModel } from "../model-manifest.ts";

/**
 * Reads the file `path` of a model and compares it with the hash in its manifest. Throws `bad_configuration`, in one line with the
 * file, where it cannot be read, is not in the manifest, or is not the file that the manifest means: a truncated or exchanged file
 * would load, and understand other words. The buffer belongs to the caller.
 */
export function readModelFile({ folder, manifest }: LocatedModel, path: string): Buffer {
  const file = join(folder, path);
  const expected = manifest.files.find((each) => each.path === path)?.sha256;
  if (expected === undefined) throw badModel(`${file} is not among the files of the model ${manifest.name}`);
  const bytes = read(file, manifest.name);
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found === expected) return bytes;
  const problem = `${file} (${bytes.length} bytes) is not the file of the model ${manifest.name}, or not all of it`;
  throw badModel(`${problem}: its SHA-256 is ${found}, not ${expected}; install the model again`);
}

function read(file: string, model: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw badModel(`the model ${model} cannot be read: ${reason}; install the model again`, error);
  }
}

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the project, with a slash at its end. */
export const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));

/** Folders of installed, built, recorded or measured files. */
const GENERATED = new Set(["node_modules", "dist", "data", "results", "cache"]);

/**
 * The files of the project below `places` (folders, or files), by their paths from the project's folder. Without hidden and generated
 * files. It does not ask git, so it also works in a source archive.
 */
export function projectFiles(places: readonly string[]): string[] {
  return places.flatMap((place) => (statSync(join(PROJECT, place)).isDirectory() ? filesBelow(place) : [place])).sort();
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(PROJECT, folder), { withFileTypes: true }).flatMap(({ name }) => {
    if (GENERATED.has(name) || name.startsWith(".")) return [];
    const path = join(folder, name);
    return projectFiles([path]);
  });
}

/** Whether there is a file or a folder at `path`, from the project's folder. */
export const isInProject = (path: string): boolean => existsSync(join(PROJECT, path));

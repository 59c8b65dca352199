import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, resolve } from "node:path";

/**
 * The FFmpeg program: `program` itself where it is a path, else the first of that name in the folders of `searchPath`, which is written
 * as the variable PATH is. Undefined where it is not there, or may not be run.
 */
export function findFfmpeg({ program, searchPath }: { program: string; searchPath: string }): string | undefined {
  const folders = isAbsolute(program) || program.includes("/") ? [""] : searchPath.split(delimiter);
  return folders.map((folder) => resolve(folder, program)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

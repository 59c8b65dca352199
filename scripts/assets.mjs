import { cpSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { inProject } from "./paths.mjs";

/** Files that the compiled modules read at run time, and the licences that belong to them. */
const ASSET = /\.(?:wasm|f32)$|^LICENSE\./;

/** Copies them from src/ to the same places below `folder`, into which src/ was compiled. */
export function copyAssets(folder) {
  for (const { parentPath, name } of readdirSync(inProject("src"), { recursive: true, withFileTypes: true })) {
    if (!ASSET.test(name)) continue;
    const path = join(parentPath, name);
    cpSync(path, join(folder, relative(inProject("src"), path)));
  }
}

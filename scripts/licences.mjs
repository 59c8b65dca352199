// The licences of the packages that a bundle contains: their texts must go where the bundle goes.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LICENCE_FILE = /^(licen[cs]e|copying|notice)(\.\w+)?$/i;
const RULE = `\n\n${"-".repeat(80)}\n\n`;

/** The folders of the packages to which modules belong, by the paths of the modules. Those of the project are of none. */
export function packageFolders(modulePaths) {
  const folders = modulePaths.flatMap((path) => {
    // A package may be within the folder of another one.
    const [folder] = /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(path.replace(/^\0/, "")) ?? [];
    return folder === undefined ? [] : [folder];
  });
  return [...new Set(folders)].filter((folder) => existsSync(join(folder, "package.json"))).sort();
}

/** What all licences of these packages say, each with the name and the version of its package. Throws for a package without one. */
export const licencesText = (folders) =>
  `Packages in this bundle, with their licences.${RULE}${folders.map(licenceOf).join(RULE)}\n`;

function licenceOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file));
  if (files.length === 0) throw new Error(`the package ${name} has no licence file: a bundle may not contain it`);
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
  return [`${name} ${version}`, ...texts].join("\n\n");
}

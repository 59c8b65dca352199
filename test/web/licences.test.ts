import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
// @ts-expect-error: a script without types.
import { licencesText, packageFolders } from "../../scripts/licences.mjs";
import { temporaryDirectory } from "../support/temporary-directory.ts";

/** A folder of packages; `licence` is a file's name, and null for a package without one. */
function packagesWith(packages: Readonly<Record<string, string | null>>): string {
  const project = temporaryDirectory();
  for (const [name, licence] of Object.entries(packages)) {
    const folder = join(project, "node_modules", name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ name: name.split("node_modules/").at(-1), version: "1.2.3" }),
    );
    if (licence !== null) writeFileSync(join(folder, licence), `The licence of ${name}.\n`);
  }
  return project;
}

test("the licences of a bundle are those of the packages whose modules it has, each once", () => {
  const nested = "@ui/kit/node_modules/hooks";
  const project = packagesWith({ "@ui/kit": "LICENSE.md", [nested]: "licence", other: "LICENSE" });
  const module = (path: string): string => join(project, "node_modules", path);
  const folders = packageFolders([
    ...[module("@ui/kit/dist/a.js"), `\0${module("@ui/kit/dist/b.js")}?commonjs`, module(`${nested}/index.js`)],
    ...[join(project, "web/app.tsx"), "\0vite/preload-helper.js"],
  ]);
  const text = licencesText(folders);
  expect(folders).toEqual([module("@ui/kit"), module(nested)]);
  expect(text).toContain("@ui/kit 1.2.3\n\nThe licence of @ui/kit.");
  expect(text).toContain(`hooks 1.2.3\n\nThe licence of ${nested}.`);
  expect(text).not.toContain("other");
});

test("a bundle with a package that has no licence file is not built", () => {
  const project = packagesWith({ nameless: null });
  expect(() => licencesText([join(project, "node_modules/nameless")])).toThrow(
    "the package nameless has no licence file",
  );
});

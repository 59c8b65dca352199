import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const src = fileURLToPath(new URL("../../src/", import.meta.url));

/** The modules that a module loads at run time: type imports are erased. */
function importsOf(path: string): string[] {
  const text = readFileSync(path, "utf8");
  const statements = text.matchAll(/^(?:import|export)\s(?!type\b)(?:[^"';]*?\bfrom\s)?"([^"]+)"/gm);
  return [...statements].map(([, name = ""]) => name);
}

/** All modules of the repository, and packages by name, that the program `entry` loads on its main thread. */
function loadedBy(entry: string): Set<string> {
  const loaded = new Set<string>();
  const visit = (path: string): void => {
    if (loaded.has(path.slice(src.length))) return;
    loaded.add(path.slice(src.length));
    for (const name of importsOf(path)) {
      const file = join(dirname(path), name);
      if (!name.startsWith(".")) loaded.add(name);
      else if (existsSync(file)) visit(file);
    }
  };
  visit(join(src, entry));
  return loaded;
}

test.each([
  "process/worker.ts",
  "process/control.ts",
])("ADV-H2: %s loads no module that compiles a schema, checks a value or chooses tools: only child processes do", (entry) => {
  const loaded = [...loadedBy(entry)];
  expect(loaded).toContain("core/schemas/checker.ts");
  expect(loaded).toContain("speech/reference/tools/chooser-client.ts");
  expect(
    loaded.filter((name) =>
      /^ajv\b|schemas\/compile\.ts$|schema-check\.ts$|choose-tools\.ts$|arguments\/fill\.ts$/.test(name),
    ),
  ).toEqual([]);
});

test.each([
  "core/schemas/checker-process.ts",
  "speech/reference/tools/chooser-process.ts",
])("%s loads them, so the check above can fail", (entry) => {
  expect([...loadedBy(entry)]).toContain("core/schemas/compile.ts");
  expect([...loadedBy(entry)].some((name) => name.startsWith("ajv"))).toBe(true);
});

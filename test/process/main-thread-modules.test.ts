import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const src = fileURLToPath(new URL("../../src/", import.meta.url));

/** What a module loads when it runs: types are gone by then. */
function importsOf(path: string): string[] {
  const text = readFileSync(path, "utf8");
  const statements = text.matchAll(/^(?:import|export)\s(?!type\b)(?:[^"';]*?\bfrom\s)?"([^"]+)"/gm);
  return [...statements].map(([, name = ""]) => name);
}

/** All modules of ours, and packages by their names, that the program `entry` loads on its main thread. */
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
  "worker.ts",
  "control.ts",
])("ADV-H2: %s loads nothing that compiles a schema, checks a value or chooses tools: child processes alone do", (entry) => {
  const loaded = [...loadedBy(entry)];
  expect(loaded).toContain("core/schema-checks.ts");
  expect(loaded).toContain("speech/providers/reference-planner.ts");
  expect(
    loaded.filter((name) => /^ajv\b|schema-check\.ts$|reference-tools\.ts$|reference-arguments\.ts$/.test(name)),
  ).toEqual([]);
});

test.each([
  "core/schema-process.ts",
  "speech/providers/reference-plan-process.ts",
])("%s does: what is looked for above is found where it is", (entry) => {
  expect([...loadedBy(entry)]).toContain("core/schema-check.ts");
  expect([...loadedBy(entry)].some((name) => name.startsWith("ajv"))).toBe(true);
});

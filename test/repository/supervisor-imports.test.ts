import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { PROJECT } from "../support/repository/files.ts";

/** What a process loads that runs the module `entry`: files and packages, without those that are imported when needed. */
function loadedBy(entry: string): { files: Set<string>; packages: Set<string> } {
  const files = new Set([entry]);
  const packages = new Set<string>();
  // A set's iterator also yields what is added meanwhile.
  for (const file of files) {
    const text = readFileSync(join(PROJECT, file), "utf8");
    for (const [, name = ""] of text.matchAll(/^(?:import|export) (?!type\b)(?:[^;"]* from )?"([^"]+)";$/gm)) {
      if (name.startsWith(".")) files.add(join(dirname(file), name));
      else if (!name.startsWith("node:")) packages.add(name);
    }
  }
  return { files, packages };
}

test("the supervisor reads the configuration of every provider without loading an adapter or its libraries", () => {
  const { files, packages } = loadedBy("src/main.ts");
  const providers = [...files].filter((file) => file.startsWith("src/speech/"));
  expect(providers).toContain("src/speech/tts/providers/elevenlabs/descriptor.ts");
  expect(providers.filter((file) => file.endsWith("/adapter.ts"))).toEqual([]);
  expect([...packages].sort()).toEqual(["alawmulaw", "pino"]);
});

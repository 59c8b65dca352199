import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { JOURNAL_VERSION } from "../../../src/record/journal/versions.ts";
import { GOLDEN_CALLS } from "./golden-calls.ts";
import { holdCall } from "./hold-call.ts";
import {
  commandsFingerprint,
  FINGERPRINTS,
  goldenPath,
  messagesFingerprint,
  packed,
  readFingerprints,
  recordsOf,
  writeFingerprints,
} from "./journals.ts";
import { RECORDED_VERSION } from "./recorded-names.ts";

// Records the golden calls that have no journal yet. A journal that there is stays as it is: what it holds is what a refactoring is
// compared with. Only a build that writes journals of the version of the others may record more.

const version: number = JOURNAL_VERSION;
if (version !== RECORDED_VERSION)
  throw new Error("golden journals are of one version, which this build does not write");
const fingerprints = existsSync(FINGERPRINTS) ? readFingerprints() : {};
const directory = mkdtempSync(join(tmpdir(), "trunkline-golden-"));
try {
  for (const { name: call, lines, script } of GOLDEN_CALLS) {
    for (const line of lines) {
      const name = `${line}/${call}`;
      const path = goldenPath(name);
      if (existsSync(path)) continue;
      const { journal, sent } = await holdCall(line, script, directory);
      const commands = recordsOf(journal).flatMap((record) => (record.kind === "command" ? [record] : []));
      fingerprints[name] = { ...commandsFingerprint(commands), ...messagesFingerprint(sent) };
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, packed(journal));
      process.stdout.write(`${name}\n`);
    }
  }
} finally {
  writeFingerprints(fingerprints);
  rmSync(directory, { recursive: true });
}

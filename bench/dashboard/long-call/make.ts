import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { holdCall } from "../../../test/support/golden/hold-call.ts";
import { serve } from "../../rig/child-process.ts";
import { longCall } from "./script.ts";

// A process of its own: a clock that is moved by hand makes every promise of its process slower.

export type MakeQuestions = {
  /** Holds a call of so many minutes in virtual time, through the gateway of this build, and writes its journal to `path`. */
  make: { ask: { path: string; minutes: number }; answer: undefined };
};

serve<MakeQuestions>({
  make: async ({ path, minutes }) => {
    const directory = mkdtempSync(join(tmpdir(), "trunkline-long-call-"));
    try {
      const { journal, bugs } = await holdCall("carrier_a", (scene) => longCall(scene, minutes), directory);
      if (bugs.length > 0) throw new Error(`the long call has reported bugs: ${bugs[0]}`);
      writeFileSync(`${path}.part`, journal);
      renameSync(`${path}.part`, path);
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
});

import type { AdminOutput } from "../../src/cli/admin/output.ts";

/** What a command says, and every line of progress, of which a terminal gets only some. */
export function recordedOutput(): AdminOutput & { said: string[]; progressed: string[] } {
  const said: string[] = [];
  const progressed: string[] = [];
  return {
    said,
    progressed,
    say: (line) => void said.push(line),
    progress: (line) => void progressed.push(line()),
  };
}

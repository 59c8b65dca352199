import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readWav } from "../../src/cli/simulated/wav.ts";
import { Service } from "../support/service.ts";
import { wordsIn } from "../support/telephone.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const run = promisify(execFile);
const root = new URL("../../", import.meta.url);

/** The call takes a quarter of a minute; two programs and their voices have to start before it. */
const TEST_MS_MAX = 90_000;
const SAID = ["Is there rye bread?", "Thank you, goodbye."];
/** From the bakery that the tool creates its calls for. */
const HEARD = [
  "Hartwell Bakery, good morning. How can I help you?",
  "Rye bread is baked on Thursday only.",
  "Thank you for calling. Goodbye!",
].join(" ");

test(
  "the call tool creates a call, and every word arrives both ways in A-law and out of order",
  async () => {
    const service = await Service.start({ env: { CARRIER_B_OUTBOUND_CODEC: "pcma" } });
    const file = join(temporaryDirectory(), "heard.wav");
    const line = ["--wire", "carrier_b", "--codec", "alaw", "--agent-codec", "alaw", "--shuffle", "7"];
    const args = [...line, ...SAID.flatMap((text) => ["--say", text]), "--record", file, "--json"];
    const env = { ...process.env, TRUNKLINE_URL: service.apiUrl, TRUNKLINE_API_KEY: service.apiKey };
    // Rejects with what was written when the exit code is not 0.
    const { stdout } = await run(process.execPath, ["--import", "tsx", "src/cli/call.ts", ...args], { cwd: root, env });
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({
      wire: "carrier_b",
      codecs: { inbound: "alaw", outbound: "alaw" },
      hungUpBy: "other-end",
      closeCode: 1_000,
      violations: {},
      faults: [],
      recordedTo: file,
      service: { status: "ended", endReason: "agent_hangup" },
    });
    const turns: { role: string; text: string }[] = document.service.transcript;
    expect(turns.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(SAID);
    expect(wordsIn(readWav(readFileSync(file)).samples).join(" ")).toBe(HEARD);
  },
  TEST_MS_MAX,
);

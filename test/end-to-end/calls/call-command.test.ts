import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { readWav } from "../../../src/simulator/audio/wav.ts";
import { wordsIn } from "../../callers/telephone.ts";
import { builtProgram } from "../../support/services/build.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const run = promisify(execFile);
const root = new URL("../../../", import.meta.url);

/** The call takes a quarter of a minute; two programs and their voices have to start before it. */
const TEST_MS_MAX = 90_000;
const SAID = ["Is there rye bread?", "Thank you, goodbye."];
/** From the bakery that the tool creates its calls for. */
const HEARD = [
  "Hartwell Bakery, good morning. How can I help you?",
  "Rye bread is baked on Thursday only.",
  "Thank you for calling. Goodbye!",
].join(" ");

let service: Service;
beforeAll(async () => {
  service = await Service.start({ env: { CARRIER_B_OUTBOUND_CODEC: "pcma" } });
});

/** Runs the tool as a program of its own, against the service; it must find nothing wrong. */
async function callTool(args: readonly string[]) {
  const { apiUrl, apiKey } = service;
  const file = join(temporaryDirectory(), "heard.wav");
  const env = { ...process.env, TRUNKLINE_URL: apiUrl, TRUNKLINE_API_KEY: apiKey };
  // Rejects with what was written when the exit code is not 0.
  const { stdout, stderr } = await run(
    process.execPath,
    [builtProgram("cli/call"), ...args, "--record", file, "--json"],
    { cwd: root, env },
  );
  const document = JSON.parse(stdout);
  expect(document).toMatchObject({
    hungUpBy: "other-end",
    closeCode: 1_000,
    violations: {},
    serviceErrors: [],
    faults: [],
    recordedTo: file,
    service: { status: "ended", endReason: "agent_hangup" },
  });
  const turns: { role: string; text: string }[] = document.service.transcript;
  expect(turns.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(SAID);
  const { samples, rateHz } = readWav(readFileSync(file));
  expect(wordsIn(samples, rateHz).join(" ")).toBe(HEARD);
  return { document, stderr };
}

test("the call tool creates a call, and every word arrives both ways in A-law and out of order", {
  retry: ifMachineStalled,
  timeout: TEST_MS_MAX,
}, async () => {
  const line = ["--wire", "carrier_b", "--codec", "alaw", "--agent-codec", "alaw", "--shuffle", "7"];
  const { document } = await callTool([...line, ...SAID.flatMap((text) => ["--say", text])]);
  expect(document).toMatchObject({
    wire: "carrier_b",
    codecs: { inbound: "alaw", outbound: "alaw" },
    ratesHz: { inbound: 8_000, outbound: 8_000 },
  });
});

test("a WebSocket client of the call tool types a text, and every word of the replies arrives", {
  retry: ifMachineStalled,
  timeout: TEST_MS_MAX,
}, async () => {
  const [question = "", goodbye = ""] = SAID;
  const line = ["--wire", "websocket", "--rate", "48000", "--agent-rate", "16000"];
  const { document, stderr } = await callTool([...line, "--type", question, "--say", goodbye]);
  expect(document).toMatchObject({
    wire: "websocket",
    codecs: { inbound: "pcm_s16le", outbound: "pcm_s16le" },
    ratesHz: { inbound: 48_000, outbound: 16_000 },
  });
  expect(stderr).toContain(`understood as: ${goodbye}`);
  expect(stderr).toContain("the service ends the call: agent_hangup");
});

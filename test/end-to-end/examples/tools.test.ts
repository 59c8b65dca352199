import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

const run = promisify(execFile);
const EXAMPLE = fileURLToPath(new URL("../../../examples/tools.mjs", import.meta.url));
// docs/tools.md shows the conversation of the example itself, and end-to-end/docs/pages.test.ts runs it.
const TEST_MS_MAX = 90_000;

let service: Service;
beforeAll(async () => {
  service = await Service.start({ env: { TOOLS_ALLOW_LOOPBACK: "true" } });
});

const example = async (...questions: string[]): Promise<string[]> => {
  const env = { ...process.env, TRUNKLINE_URL: service.apiUrl, TRUNKLINE_API_KEY: service.apiKey };
  const { stdout } = await run(process.execPath, [EXAMPLE, ...questions], { env, timeout: TEST_MS_MAX });
  return stdout.trim().split("\n");
};

test("the agent apologises for a tool that fails", { retry: ifMachineStalled, timeout: TEST_MS_MAX }, async () => {
  expect(await example("Where is my order C-3?")).toEqual([
    "user: Where is my order C-3?",
    "tool server: GET /orders/C-3",
    "agent: I am sorry, that did not work. Is there anything else I can help you with?",
    "ended: caller_hangup",
  ]);
});

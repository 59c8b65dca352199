import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { PhoneDemoDocument } from "../../../src/cli/demo/phone/report.ts";
import type { EmulatedName } from "../../../src/simulator/emulator/emulator.ts";
import { withTables } from "../../repository/tables/markdown.ts";
import { carrierRequestsTable } from "../../support/docs/carrier-requests.ts";
import { builtProgram } from "../../support/services/build.ts";
import { runProgram } from "../../support/services/run-program.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

// With `--update`, this file writes the tables of docs/carriers with the requests that were really sent, instead of comparing them.

/** Two calls take 45 s. */
const TEST_MS_MAX = 150_000;
const pageOf = (carrier: EmulatedName): string =>
  fileURLToPath(new URL(`../../../docs/carriers/${carrier}.md`, import.meta.url));

test.each<EmulatedName>([
  "twilio",
  "telnyx",
  "plivo",
])("the telephone demo with %s: a person is answered and transferred, then called; its requests are those of the carrier's page", {
  retry: ifMachineStalled,
  timeout: TEST_MS_MAX,
}, async (carrier) => {
  const { code, stdout, stderr } = await runProgram([
    builtProgram("cli/demo"),
    "--phone",
    "--json",
    ...["--carrier", carrier],
  ]);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("are connected by the carrier") });
  const document = JSON.parse(stdout) as PhoneDemoDocument;
  const { inbound, outbound } = document;
  expect(inbound).toMatchObject({
    status: "ended",
    endReason: "transferred",
    record: { phone: { direction: "inbound", from: "+12025550142", to: "+12025550187" } },
    transfer: { target: "+12025550147", connected: true },
    recording: { channels: 2, sampleRateHz: 8_000 },
  });
  expect(inbound.turns.map(({ role, text }) => [role, text.split(" ")[0]])).toEqual([
    ["agent", "Hartwell"],
    ["user", "Good"],
    ["agent", "Wedding"],
    ["user", "Please"],
    ["agent", "One"],
  ]);
  expect(outbound).toMatchObject({
    status: "ended",
    endReason: "agent_hangup",
    record: { phone: { direction: "outbound", from: "+12025550187", to: "+12025550142" } },
  });
  expect(outbound.turns.map(({ role }) => role)).toEqual(["agent", "user", "agent"]);
  expect(stdout).not.toMatch(/stream\/(?!\(redacted\))/);
  const page = readFileSync(pageOf(carrier), "utf8");
  const tables = { [`requests-${carrier}`]: carrierRequestsTable(document) };
  const hint = "after a change run `npx vitest run test/end-to-end/telephony/demo.test.ts --update`";
  await expect(withTables(page, tables), hint).toMatchFileSnapshot(pageOf(carrier));
});

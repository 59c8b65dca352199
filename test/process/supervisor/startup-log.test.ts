import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NODE_MAJOR_TESTED_MAX } from "../../../src/core/runtime/node-version.ts";
import { logMediaServer, nextStep, warnOfConnectionResets } from "../../../src/process/supervisor/startup-log.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

test.each([
  ["0\n", 1],
  ["1\n", 0],
  [undefined, 0],
])("tcp_migrate_req of %j gives %d warnings", (setting, warnings) => {
  const path = join(temporaryDirectory(), "tcp_migrate_req");
  if (setting !== undefined) writeFileSync(path, setting);
  const { log, lines } = memoryLog();
  warnOfConnectionResets(log, path);
  expect(lines).toHaveLength(warnings);
});

test("The media server is logged without its folder, and an untested Node version gives a warning", () => {
  const { log, lines } = memoryLog();
  const choice = { mediaServer: "uws", folder: "/somewhere", version: "20.0.0", sharesPort: true } as const;
  logMediaServer(choice, log, `${NODE_MAJOR_TESTED_MAX}.0.0`);
  logMediaServer(choice, log, `${NODE_MAJOR_TESTED_MAX + 1}.0.0`);
  const logged = lines.map((line) => JSON.parse(line));
  expect(logged[0]).toMatchObject({ mediaServer: "uws", sharesPort: true, msg: "media server selected" });
  expect(logged[0].folder).toBeUndefined();
  expect(logged.slice(1).map(({ msg }) => msg)).toEqual([
    "media server selected",
    `Node is newer than the newest tested version, ${NODE_MAJOR_TESTED_MAX}`,
  ]);
});

test("A terminal shows the address of the page, and of a new service the owner link", () => {
  expect(nextStep("http://127.0.0.1:8080", undefined)).toMatch(
    /http:\/\/127\.0\.0\.1:8080\/talk\n.*admin -- owner-link/,
  );
  expect(nextStep("http://127.0.0.1:8080", "http://127.0.0.1:8080/talk#tlo_x")).toMatch(/talk#tlo_x\n.*works once/);
});

import { createServer, type Server } from "node:net";
import { expect, test } from "vitest";
import { DATA_DIR_WAIT_MS_MAX } from "../../../src/core/limits/storage/storage.ts";
import { portOf } from "../../../src/process/control/http/api-port.ts";
import { waitUntilPortIsFree } from "../../../src/process/supervisor/port-check.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const host = "127.0.0.1";

async function takenPort(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return { server, port: portOf(server) };
}

test("The start waits until the workers of the previous service have left the port", async () => {
  const { server, port } = await takenPort();
  const clock = new ManualClock();
  const free = waitUntilPortIsFree({ variable: "MEDIA_PORT", host, port }, clock);
  while (clock.pending === 0) await clock.play(0);
  await new Promise((resolve) => server.close(resolve));
  await clock.drive(free);
});

test("A port that stays in use is reported with the name of its variable after DATA_DIR_WAIT_MS_MAX", async () => {
  const { server, port } = await takenPort();
  const clock = new ManualClock();
  const free = waitUntilPortIsFree({ variable: "MEDIA_PORT", host, port }, clock);
  await expect(clock.drive(free, 100)).rejects.toThrow(
    new RegExp(`^MEDIA_PORT ${port} on 127.0.0.1 cannot be used: .*EADDRINUSE`),
  );
  expect(clock.nowMs()).toBeGreaterThanOrEqual(DATA_DIR_WAIT_MS_MAX);
  server.close();
});

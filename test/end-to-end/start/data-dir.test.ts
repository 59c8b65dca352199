import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { Service, ServiceProcess, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

const inTheWay = join(mkdtempSync(join(tmpdir(), "trunkline-file-")), "data");
writeFileSync(inTheWay, "");

test.for([
  { dataDir: "/proc/nope", why: "ENOENT: no such file or directory, mkdir '/proc/nope'" },
  { dataDir: inTheWay, why: `EEXIST: file already exists, mkdir '${inTheWay}'` },
])("DATA_DIR=$dataDir ends the start within 5 s, with one line that gives the reason", {
  retry: ifMachineStalled,
  timeout: 30_000,
}, async ({ dataDir, why }) => {
  const service = new ServiceProcess({ env: { DATA_DIR: dataDir } });
  let code: number | null | undefined;
  void service.exited.then((exitCode) => {
    code = exitCode;
  });
  await until("the service to end", 5_000, () => code !== undefined);
  expect(code).toBe(1);
  const right = "It must be a folder that this user can write to";
  expect(service.stdout + service.stderr).toBe(
    `DATA_DIR ${JSON.stringify(dataDir)} cannot be used: ${why}. ${right}\n`,
  );
  expect(service.living()).toEqual([]);
});

test("an obstacle inside DATA_DIR ends the start with one line, too", {
  retry: ifMachineStalled,
  timeout: 30_000,
}, async () => {
  for (const [name, why] of [
    ["trunkline.db", "is a folder"],
    ["run", "is no folder"],
  ] as const) {
    const dataDir = mkdtempSync(join(tmpdir(), "trunkline-in-the-way-"));
    if (name === "run") writeFileSync(join(dataDir, name), "");
    else mkdirSync(join(dataDir, name));
    const service = new ServiceProcess({ dataDir });
    expect(await service.exited).toBe(1);
    expect(service.stdout + service.stderr).toMatch(/^DATA_DIR .*\n$/);
    expect(service.stderr).toContain(`cannot be used: ${join(dataDir, name)} ${why}. `);
  }
});

test("cleaning the temporary folder, or removing the socket's folder, costs no call", async () => {
  const temporary = mkdtempSync(join(tmpdir(), "trunkline-swept-"));
  const service = await Service.start({ env: { TMPDIR: temporary, WORKERS: "1" } });
  rmSync(temporary, { recursive: true });
  rmSync(join(service.dataDir, "run"), { recursive: true, force: true });
  // From now on new workers must find the control process.
  await service.killChild("worker");
  const { id, websocketUrl } = await until("a call to be taken", 10_000, () =>
    service.createCall({ connectionType: "websocket" }).catch(() => undefined),
  );
  const client = new WebSocket(websocketUrl);
  await until("the stream to be answered", 10_000, () => client.readyState === WebSocket.OPEN);
  client.send(JSON.stringify({ type: "end" }));
  expect(await service.ended(id)).toMatchObject({ endReason: "caller_hangup" });
  expect(await service.stop()).toBe(0);
}, 60_000);

test("a second service on the same data directory is refused, and the first one does not notice", async () => {
  const first = await Service.start({ env: { WORKERS: "1" } });
  const second = new ServiceProcess({ dataDir: first.dataDir });
  expect(await second.exited).toBe(1);
  const reasons = second.log.filter(({ level }) => level === "fatal").map(({ err }) => (err as Error).message);
  expect(reasons[0]).toContain(`DATA_DIR ${JSON.stringify(first.dataDir)} is in use by another service`);
  await first.createCall();
  // What the killed one left does not disturb.
  await first.process.kill();
  const third = await Service.start({ dataDir: first.dataDir, env: { WORKERS: "1" } });
  await third.createCall();
  await third.stop();
}, 60_000);

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, Server } from "node:net";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { asWorkerId, type WorkerId } from "../../../src/core/ids.ts";
import { LOCK_FILE } from "../../../src/store/data-dir/data-dir.ts";
import { HandoffServer } from "../../../src/store/handoff/control-server.ts";
import {
  earlierWorkersAreGone,
  newSocketPath,
  newWorkerTag,
  workerSocketPath,
} from "../../../src/store/handoff/socket-path.ts";
import type { HandoffClient } from "../../../src/store/handoff/worker-client.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { handoffClient } from "../../support/services/handoff-client.ts";
import { handoffServer } from "../../support/services/handoff-server.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const LOAD = { callCount: 0, callsMax: 1, loopLagMs: 0, acceptsCalls: true };
/** Longer than any address of a Unix socket. */
const LONG_NAME = "d".repeat(200);

/** A server on `path` that reports which workers connected, and the clock of its socket check. */
async function serverAt(path: string) {
  const came: string[] = [];
  const clock = new ManualClock();
  const { log, lines } = memoryLog();
  const server = new HandoffServer(
    handoffServer(path, { clock, log, onWorkerConnected: (workerId) => came.push(workerId) }),
  );
  onTestFinished(() => server.close());
  await server.listen();
  const seen = async (count: number): Promise<string[]> => {
    while (came.length < count) await new Promise((resolve) => setImmediate(resolve));
    return came;
  };
  return { server, clock, lines, seen };
}

function connectWorker(path: string, workerId: WorkerId): HandoffClient {
  const handoff = handoffClient(path, {
    workerId,
    load: () => LOAD,
  });
  onTestFinished(() => handoff.close());
  return handoff;
}

test("each start has a socket of its own below the data directory, for its owner alone", async () => {
  const dataDir = temporaryDirectory();
  const path = newSocketPath(dataDir);
  expect(path.startsWith(`${dataDir}/`)).toBe(true);
  expect(newSocketPath(dataDir)).not.toBe(path);
  const { server } = await serverAt(path);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  server.close();
  expect(readdirSync(dirname(path))).toEqual([]);
});

test("a data directory whose path is longer than the limit of sockets still serves workers", async () => {
  const path = newSocketPath(join(temporaryDirectory(), LONG_NAME));
  const { seen } = await serverAt(path);
  connectWorker(path, asWorkerId("worker"));
  expect(await seen(1)).toEqual(["worker"]);
  expect(statSync(path).isSocket()).toBe(true);
});

test("the sockets of workers that are gone are removed; those of workers that finish their calls stay", async () => {
  const path = newSocketPath(temporaryDirectory());
  const living = workerSocketPath(path, newWorkerTag());
  const gone = workerSocketPath(path, `01234567${(2 ** 31 - 1).toString(16)}`);
  mkdirSync(dirname(path));
  for (const socket of [living, gone]) writeFileSync(socket, "");
  await serverAt(path);
  expect(readdirSync(dirname(path)).sort()).toEqual([path, living].map((one) => basename(one)).sort());
});

test("earlier workers are gone where no service has been, and where sockets are left and no process of theirs lives", async () => {
  const dataDir = temporaryDirectory();
  const path = newSocketPath(dataDir);
  const write = (tag: string): void => writeFileSync(workerSocketPath(path, tag), "");
  expect(earlierWorkersAreGone(dataDir)).toBe(true);
  writeFileSync(join(dataDir, LOCK_FILE), "");
  expect(earlierWorkersAreGone(dataDir)).toBe(false);
  mkdirSync(dirname(path));
  expect(earlierWorkersAreGone(dataDir)).toBe(false);
  write(`01234567${(2 ** 31 - 1).toString(16)}`);
  expect(earlierWorkersAreGone(dataDir)).toBe(true);
  if (process.platform === "linux") {
    // The shell becomes a program that asks for the end of none of its children.
    const parent = spawn("sh", ["-c", "sleep 0.1 & echo $!; exec sleep 60"]);
    onTestFinished(() => void parent.kill());
    const [pid] = await once(parent.stdout, "data");
    const stat = `/proc/${Number(pid)}/stat`;
    while (!readFileSync(stat, "latin1").includes(") Z")) await new Promise((resolve) => setImmediate(resolve));
    write(`01234567${Number(pid).toString(16).padStart(8, "0")}`);
    expect(earlierWorkersAreGone(dataDir)).toBe(true);
  }
  write(newWorkerTag());
  expect(earlierWorkersAreGone(dataDir)).toBe(false);
});

test("the sockets of killed services are removed, and nothing else is", async () => {
  const dataDir = temporaryDirectory();
  const stale = newSocketPath(dataDir);
  mkdirSync(dirname(stale));
  writeFileSync(join(dirname(stale), "notes"), "");
  const killed = createServer();
  await new Promise<void>((resolve) => {
    killed.listen(stale, resolve);
  });
  onTestFinished(() => void killed.close());
  const path = newSocketPath(dataDir);
  await serverAt(path);
  expect(readdirSync(dirname(path)).sort()).toEqual([path.slice(dirname(path).length + 1), "notes"].sort());
});

test.each([
  "data",
  LONG_NAME,
])("a deleted folder is recreated, and workers find the service there, in %.4s", async (name) => {
  const path = newSocketPath(join(temporaryDirectory(), name));
  const { clock, lines, seen } = await serverAt(path);
  connectWorker(path, asWorkerId("before"));
  await seen(1);
  rmSync(dirname(path), { recursive: true });
  // It cannot connect until the socket exists again, and keeps trying.
  connectWorker(path, asWorkerId("after"));
  clock.advance(1_000);
  expect(await seen(2)).toEqual(["before", "after"]);
  expect(lines.map((line) => JSON.parse(String(line)).msg)).toEqual([
    "worker socket was missing and has been recreated",
  ]);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
});

test("an error of the listening socket is logged, and ends neither the process nor the connections", async () => {
  const listen = vi.spyOn(Server.prototype, "listen");
  onTestFinished(() => listen.mockRestore());
  const path = newSocketPath(temporaryDirectory());
  const { lines, seen } = await serverAt(path);
  const [listening] = listen.mock.contexts as Server[];
  const error = Object.assign(new Error("accept EMFILE"), { code: "EMFILE" });
  for (const _ of [1, 2]) listening?.emit("error", error);
  const logged = lines.filter((line) => line.includes("worker connection could not be accepted"));
  expect(logged).toHaveLength(2);
  expect(logged[0]).toContain("accept EMFILE");
  connectWorker(path, asWorkerId("w1"));
  expect(await seen(1)).toEqual(["w1"]);
});

test("in a cluster the name of a worker begins with the tag of its node, and is as long as any other", () => {
  const [tag, other] = [newWorkerTag("ab12"), newWorkerTag("ab12")];
  expect(tag).toMatch(/^ab12[0-9a-f]{12}$/);
  expect(tag).not.toBe(other);
  expect(newWorkerTag()).toMatch(/^[0-9a-f]{16}$/);
});

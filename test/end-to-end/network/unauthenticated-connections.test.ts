import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  DESCRIPTORS_MIN,
  DESCRIPTORS_PER_CALL,
  DESCRIPTORS_PER_REQUEST,
  DESCRIPTORS_RESERVED,
} from "../../../src/core/limits/service/processes.ts";
import { CONNECTIONS_UNACKNOWLEDGED_MAX } from "../../../src/core/limits/streams/connections.ts";
import { ATTACKS } from "../../attack/attacks/attacks.ts";
import { AttackConnections, type Endpoint } from "../../attack/connections.ts";
import { processCpuMs } from "../../attack/resource-usage.ts";
import { runStage } from "../../attack/stage.ts";
import { builtProgram } from "../../support/services/build.ts";
import { beginCalls, hangUpAll, sendFrames } from "../../support/services/live-workers.ts";
import { MEDIA_SERVERS_HERE } from "../../support/services/media-servers.ts";
import { Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

test.each(
  MEDIA_SERVERS_HERE,
)("ADV-H1, ADV-H2, ADV-H3, ADV-L4, ADV-L8, ADV-M1, ADV-M3, ADV-M5, ADV-M6, B5, B6, B9, B18, D1, D2, M4, M5, T9: on %s, live calls lose no frame during all attacks at once (the small form of `npm run attack`)", {
  timeout: 150_000,
  retry: ifMachineStalled,
}, async (mediaServer) => {
  const planned = ATTACKS.filter(({ small }) => small.attackers > 0).map((attack) => ({ attack, size: attack.small }));
  const dataDir = temporaryDirectory();
  const { attacks, control, problems, upgrades, perAttackerBytes } = await runStage(
    {
      program: { path: builtProgram("main"), execArgv: [] },
      dataDir,
      mediaServer,
      calls: CONTROL_CALLS,
      quietMs: 200,
      judgesSpeed: false,
      // In this process: how soon it sees an answer hangs on itself, and is not looked at.
      attacker: (attack, target, size, ready) => attack.run(target, size, ready),
    },
    planned,
  );
  if (problems.length > 0) process.stderr.write(unusualLines(dataDir));
  // As one text: of an array a report of the failure shows only the size.
  expect(problems.join("\n")).toBe("");
  expect(control).toMatchObject({ calls: CONTROL_CALLS, lostIn: 0, lostOut: 0, broken: 0 });
  expect([control.sent > 5_000, control.heard > 500, upgrades.count > 5]).toEqual([true, true, true]);
  expect(attacks.map(({ attackers }) => attackers > 0)).toEqual(planned.map(() => true));
  expect(perAttackerBytes).toBeLessThan(256 * 1_024);
});

const CONTROL_CALLS = 12;

/** What the service said beyond `info`: of a run that failed it is all that is left. */
const unusualLines = (dataDir: string): string =>
  readFileSync(join(dataDir, "service.log"), "utf8")
    .split("\n")
    .filter((line) => !line.includes('"level":"info"'))
    .slice(-UNUSUAL_LINES_MAX)
    .join("\n");
const UNUSUAL_LINES_MAX = 60;

/** With fewer it does not start. */
const DESCRIPTORS = DESCRIPTORS_MIN;
const CONNECTIONS = 1_400;
/** How many of them may wait at each port: src/core/limits/service/processes.ts. */
const AT_MEDIA_MAX = DESCRIPTORS - DESCRIPTORS_RESERVED;
const AT_API_MAX = (DESCRIPTORS - DESCRIPTORS_RESERVED) / DESCRIPTORS_PER_REQUEST;
const LOOKED_AT_MS = 2_000;
const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0;

const doorOf = (url: string): Endpoint => ({ host: new URL(url).hostname, port: Number(new URL(url).port) });

test.skipIf(!hasPrlimit).each(MEDIA_SERVERS_HERE)(
  "D4: on %s, unauthenticated connections beyond the descriptors are closed as they arrive, no process spins, and calls, records and recordings continue (only where prlimit is installed)",
  { timeout: 60_000 },
  async (mediaServer) => {
    const service = await Service.start({ descriptors: DESCRIPTORS, env: { MEDIA_SERVER: mediaServer } });
    expect(
      service.logged("`ulimit -n` allows fewer calls than CALLS_PER_WORKER: each call needs two file descriptors"),
    ).toMatchObject([{ process: "supervisor", callsMax: (DESCRIPTORS - DESCRIPTORS_RESERVED) / DESCRIPTORS_PER_CALL }]);
    const calls = await beginCalls(service, 3);
    sendFrames(calls, 10);
    const [atMedia, atApi] = [
      new AttackConnections(doorOf(service.mediaUrl)),
      new AttackConnections(doorOf(service.apiUrl)),
    ];
    await Promise.all([atMedia.gather(CONNECTIONS), atApi.gather(CONNECTIONS)]);
    const waiting = (crowd: AttackConnections): number => CONNECTIONS - crowd.refused - crowd.closed;
    await until(
      "those beyond to be closed",
      5_000,
      () => waiting(atMedia) <= AT_MEDIA_MAX && waiting(atApi) <= AT_API_MAX,
    );
    expect([waiting(atMedia) > AT_MEDIA_MAX / 2, waiting(atApi) > AT_API_MAX / 2]).toEqual([true, true]);
    expect(service.logged("connection closed: no file descriptor is left").length).toBeGreaterThan(0);

    const processes = [service.pid("worker"), service.pid("control")];
    const before = processes.map(processCpuMs);
    await delay(LOOKED_AT_MS);
    const spentMs = processes.map((pid, index) => processCpuMs(pid) - (before[index] ?? 0));
    for (const ms of spentMs) expect(ms).toBeLessThan(0.2 * LOOKED_AT_MS);
    sendFrames(calls, 10);

    await Promise.all([atMedia.end(0), atApi.end(0)]);
    const later = await beginCalls(service, 3);
    sendFrames(later, 10);
    expect(await hangUpAll(service, [...calls, ...later])).toEqual(
      Array(6).fill({ endReason: "caller_hangup", lost: 0 }),
    );
    for (const { id } of [...calls, ...later]) {
      expect((await service.call(id)).recording).toMatchObject({ complete: true });
    }
    await service.process.kill();
  },
);

test.skipIf(!hasPrlimit)(
  "D4: a worker without descriptors accepts connections again once it has some (only where prlimit is installed)",
  { timeout: 60_000 },
  async () => {
    const service = await Service.start({ env: { MEDIA_SERVER: "ws", WORKERS: "1" } });
    const limitDescriptors = (count: number): void => {
      const args = ["--pid", String(service.pid("worker")), `--nofile=${count}:`];
      expect(spawnSync("prlimit", args).status).toBe(0);
    };
    // Those that it has stay; it gets no other.
    limitDescriptors(3);
    const crowd = new AttackConnections(doorOf(service.mediaUrl));
    const comers = 2 * CONNECTIONS_UNACKNOWLEDGED_MAX;
    await crowd.gather(comers);
    await until("all of them to be closed", 10_000, () => crowd.closed + crowd.refused === comers);
    limitDescriptors(1_024);
    const calls = await beginCalls(service, 1);
    sendFrames(calls, 10);
    expect(await hangUpAll(service, calls)).toEqual([{ endReason: "caller_hangup", lost: 0 }]);
    expect(await service.stop()).toBe(0);
  },
);

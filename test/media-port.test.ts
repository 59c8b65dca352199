import { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { CONNECTIONS_HANDED_MAX, CONNECTIONS_WAITING_MAX } from "../src/core/connection-limits.ts";
import type { ConnectionSource } from "../src/gateway/media-server/connection-source.ts";
import { MediaPort } from "../src/media-port.ts";
import { memoryLog } from "./support/memory-log.ts";
import { scene as supervisorScene } from "./support/supervisor-scene.ts";

/** A port on which a test connects. */
class ScriptedSource implements ConnectionSource {
  readonly isArriving = false;
  isPaused = false;
  connect: (socket: Socket) => void = () => {};

  async listen(_host: string, port: number, onConnection: (socket: Socket) => void): Promise<number> {
    this.connect = onConnection;
    return port;
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
  }

  stop(): void {}
}

/** A worker that keeps what it is handed. */
class Worker {
  readonly handed: Socket[] = [];

  hand(connection: Socket): void {
    this.handed.push(connection);
  }
}

async function scene() {
  const source = new ScriptedSource();
  const { log, lines } = memoryLog();
  const port = new MediaPort(log, source);
  await port.listen("127.0.0.1", 8081);
  const connect = (count: number): Socket[] =>
    Array.from({ length: count }, () => {
      const socket = new Socket();
      source.connect(socket);
      return socket;
    });
  return { source, port, connect, lines, workers: [new Worker(), new Worker()] as const };
}

describe("the media port of the supervisor", () => {
  test("hands connections to the workers in turn, and those that came before there was one to the first", async () => {
    const { port, connect, workers } = await scene();
    const [first, second] = workers;
    const early = connect(1);
    port.setTakes(first, true);
    port.setTakes(second, true);
    const later = connect(4);
    expect(first.handed).toEqual([early[0], later[0], later[2]]);
    expect(second.handed).toEqual([later[1], later[3]]);
  });

  test("hands nothing to a worker that takes no more, and closes the port while none does", async () => {
    const { source, port, connect, workers } = await scene();
    const [first, second] = workers;
    port.setTakes(first, true);
    port.setTakes(second, true);
    port.setTakes(first, false);
    connect(3);
    expect([first.handed.length, second.handed.length, source.isPaused]).toEqual([0, 3, false]);
    port.setTakes(second, false);
    expect(source.isPaused).toBe(true);
    // One that was accepted in that moment waits, and is not kept for long.
    const [late] = connect(1);
    port.setTakes(first, true);
    expect([source.isPaused, first.handed]).toEqual([false, [late]]);
  });

  test("hands a worker that does not answer no more than a few, and others the rest", async () => {
    const { port, connect, workers } = await scene();
    const [stuck, well] = workers;
    port.setTakes(stuck, true);
    port.setTakes(well, true);
    for (let count = 0; count < 10 * CONNECTIONS_HANDED_MAX; count += 1) {
      connect(1);
      while (well.handed.length > 0) {
        well.handed.pop();
        port.taken(well);
      }
    }
    expect(stuck.handed).toHaveLength(CONNECTIONS_HANDED_MAX);
    port.taken(stuck);
    connect(2);
    expect(stuck.handed).toHaveLength(CONNECTIONS_HANDED_MAX + 1);
  });

  test("closes what comes when too many wait, with one line each, and all that wait when the last worker is gone", async () => {
    const { port, connect, workers, lines } = await scene();
    const [only] = workers;
    port.setTakes(only, true);
    const waiting = connect(CONNECTIONS_HANDED_MAX + CONNECTIONS_WAITING_MAX).slice(CONNECTIONS_HANDED_MAX);
    const [tooMany] = connect(1);
    expect([tooMany?.destroyed, waiting.some(({ destroyed }) => destroyed)]).toEqual([true, false]);
    expect(lines).toHaveLength(1);
    port.setTakes(only, false);
    expect(waiting.every(({ destroyed }) => destroyed)).toBe(true);
  });

  test("goes on handing connections to a worker that loses them all on their way, for want of descriptors", async () => {
    const { port, connect } = await scene();
    const { children, up } = supervisorScene(1, { leavesMs: () => undefined }, port);
    await up();
    const [worker] = children.living("worker");
    if (worker === undefined) throw new Error("no worker has started");
    worker.onTold = ({ kind }) => kind === "connection-sent" && worker.says({ kind: "connection-taken" });
    worker.says({ kind: "connections", taken: true });
    connect(3 * CONNECTIONS_HANDED_MAX);
    expect(worker.connections).toHaveLength(3 * CONNECTIONS_HANDED_MAX);
  });
});

import { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import {
  CONNECTIONS_PENDING_MAX,
  CONNECTIONS_UNACKNOWLEDGED_MAX,
} from "../../../src/core/limits/streams/connections.ts";
import type { ConnectionSource } from "../../../src/gateway/server/ws/connection-source.ts";
import { MediaPort } from "../../../src/process/supervisor/media-port.ts";
import { settled } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { scriptedSupervisor as supervisorScene } from "../../support/services/scripted-supervisor.ts";

/** A port on which a test connects. */
class ScriptedSource implements ConnectionSource {
  readonly hasPendingConnections = false;
  isPaused = false;
  connect: (socket: Socket) => void = () => {};

  async listen(_host: string, port: number, onConnection: (socket: Socket) => void): Promise<number> {
    this.connect = onConnection;
    return port;
  }

  /** What opening the port waits for. */
  opened: Promise<void> = Promise.resolve();

  async pause(isPaused: boolean): Promise<void> {
    this.isPaused = isPaused;
    if (!isPaused) await this.opened;
  }

  stop(): void {}
}

/** A worker that keeps what it is handed. */
class Worker {
  readonly handed: Socket[] = [];

  sendConnection(connection: Socket): void {
    this.handed.push(connection);
  }
}

async function scene() {
  const source = new ScriptedSource();
  const { log, lines } = memoryLog();
  const port = new MediaPort(log, source, () => Promise.resolve());
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
  test("hands connections to the workers in turn, and earlier ones to the first worker", async () => {
    const { port, connect, workers } = await scene();
    const [first, second] = workers;
    const early = connect(1);
    void port.setAccepting(first, true);
    void port.setAccepting(second, true);
    const later = connect(4);
    expect(first.handed).toEqual([early[0], later[0], later[2]]);
    expect(second.handed).toEqual([later[1], later[3]]);
  });

  test("hands nothing to a paused worker, and closes the port while all are paused", async () => {
    const { source, port, connect, workers } = await scene();
    const [first, second] = workers;
    void port.setAccepting(first, true);
    void port.setAccepting(second, true);
    void port.setAccepting(first, false);
    connect(3);
    expect([first.handed.length, second.handed.length, source.isPaused]).toEqual([0, 3, false]);
    void port.setAccepting(second, false);
    await settled();
    expect(source.isPaused).toBe(true);
    // One that was accepted in that moment waits, and is not kept for long.
    const [late] = connect(1);
    void port.setAccepting(first, true);
    expect([source.isPaused, first.handed]).toEqual([false, [late]]);
  });

  test("stays open for a worker that accepts again before the last one's pause has taken effect", async () => {
    const { source, port, connect, workers } = await scene();
    const [first, second] = workers;
    void port.setAccepting(second, true);
    // The first worker's message comes after this one, and a client already connects.
    void port.setAccepting(second, false);
    const [early] = connect(1);
    void port.setAccepting(first, true);
    await settled();
    expect([source.isPaused, early?.destroyed, first.handed]).toEqual([false, false, [early]]);
  });

  test("hands only a few connections to a worker that does not acknowledge them, and the rest to others", async () => {
    const { port, connect, workers } = await scene();
    const [stuck, well] = workers;
    void port.setAccepting(stuck, true);
    void port.setAccepting(well, true);
    for (let count = 0; count < 10 * CONNECTIONS_UNACKNOWLEDGED_MAX; count += 1) {
      connect(1);
      while (well.handed.length > 0) {
        well.handed.pop();
        port.onConnectionTaken(well);
      }
    }
    expect(stuck.handed).toHaveLength(CONNECTIONS_UNACKNOWLEDGED_MAX);
    port.onConnectionTaken(stuck);
    connect(2);
    expect(stuck.handed).toHaveLength(CONNECTIONS_UNACKNOWLEDGED_MAX + 1);
  });

  test("closes new connections when too many wait, with one log line each, and all waiting ones when the last worker is gone", async () => {
    const { port, connect, workers, lines } = await scene();
    const [only] = workers;
    void port.setAccepting(only, true);
    const waiting = connect(CONNECTIONS_UNACKNOWLEDGED_MAX + CONNECTIONS_PENDING_MAX).slice(
      CONNECTIONS_UNACKNOWLEDGED_MAX,
    );
    const [tooMany] = connect(1);
    expect([tooMany?.destroyed, waiting.some(({ destroyed }) => destroyed)]).toEqual([true, false]);
    expect(lines).toHaveLength(1);
    void port.setAccepting(only, false);
    await settled();
    expect(waiting.every(({ destroyed }) => destroyed)).toBe(true);
  });

  test("reports to each worker that accepts connections that the port is open, once it is", async () => {
    const { source, port } = await scene();
    const { children, up } = supervisorScene(2, { leavesMs: () => undefined }, port);
    await up();
    const workers = children.living("worker");
    const started: number[] = [];
    for (const [index, worker] of workers.entries()) {
      worker.onMessage = ({ kind }) => kind === "connections-started" && started.push(index);
    }
    let open = (): void => {};
    source.opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    for (const worker of workers) worker.emit({ kind: "connections", accepting: true });
    await new Promise(setImmediate);
    expect(started).toEqual([]);
    open();
    await new Promise(setImmediate);
    expect(started).toEqual([0, 1]);
  });

  test("continues to hand connections to a worker that loses them because it has no descriptors", async () => {
    const { port, connect } = await scene();
    const { children, up } = supervisorScene(1, { leavesMs: () => undefined }, port);
    await up();
    const [worker] = children.living("worker");
    if (worker === undefined) throw new Error("no worker has started");
    worker.onMessage = ({ kind }) => kind === "connection-sent" && worker.emit({ kind: "connection-taken" });
    worker.emit({ kind: "connections", accepting: true });
    connect(3 * CONNECTIONS_UNACKNOWLEDGED_MAX);
    expect(worker.connections).toHaveLength(3 * CONNECTIONS_UNACKNOWLEDGED_MAX);
  });
});

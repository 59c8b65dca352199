import { Socket } from "node:net";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { FromChild } from "../../../src/process/channel/protocol.ts";
import { SupervisorConnections } from "../../../src/process/worker/supervisor-connections.ts";

const sent = vi.hoisted(() => [] as FromChild[]);
vi.mock("../../../src/process/channel/child-side.ts", () => ({
  notifySupervisor: (message: FromChild) => sent.push(message),
}));

describe("connections that the supervisor hands to a worker", () => {
  beforeEach(() => {
    sent.length = 0;
    vi.stubGlobal("process", { ...process, connected: true });
    return () => vi.unstubAllGlobals();
  });

  /** A worker that listens, and what it was given. */
  async function listening() {
    const connections = new SupervisorConnections();
    const given: Socket[] = [];
    const port = connections.listen("127.0.0.1", 8081, (socket) => given.push(socket));
    connections.onConnectionsStarted();
    expect(await port).toBe(8081);
    return { connections, given };
  }

  test("the supervisor is notified when the worker listens, pauses and resumes", async () => {
    const { connections } = await listening();
    void connections.pause(true);
    void connections.pause(false);
    expect(sent).toEqual([true, false, true].map((accepting) => ({ kind: "connections", accepting })));
  });

  test("the worker listens once the supervisor has opened the port, and receives connections before it knows", async () => {
    const connections = new SupervisorConnections();
    const given: Socket[] = [];
    let port: number | undefined;
    const listens = connections
      .listen("127.0.0.1", 8081, (socket) => given.push(socket))
      .then((listeningPort) => {
        port = listeningPort;
      });
    connections.onConnection(new Socket());
    await new Promise(setImmediate);
    expect([given.length, port]).toEqual([1, undefined]);
    connections.onConnectionsStarted();
    await listens;
    expect(port).toBe(8081);
  });

  test("a connection that arrives is given to the server; each is acknowledged, also one that was lost on its way", async () => {
    const { connections, given } = await listening();
    sent.length = 0;
    const socket = new Socket();
    connections.onConnection(socket);
    expect(sent).toEqual([]);
    connections.onConnectionSent();
    connections.onConnection(undefined);
    connections.onConnectionSent();
    connections.onConnectionSent();
    expect([given, sent]).toEqual([[socket], Array(3).fill({ kind: "connection-taken" })]);
  });

  test("one that arrives before the worker listens is closed", () => {
    const socket = new Socket();
    new SupervisorConnections().onConnection(socket);
    expect(socket.destroyed).toBe(true);
  });

  test("connections may arrive until the supervisor has answered every pause, or is gone", async () => {
    const { connections, given } = await listening();
    expect(connections.hasPendingConnections).toBe(false);
    void connections.pause(true);
    void connections.pause(false);
    connections.stop();
    connections.onConnectionsStopped();
    expect(connections.hasPendingConnections).toBe(true);
    connections.onConnection(new Socket());
    expect(given).toHaveLength(1);
    connections.onConnectionsStopped();
    expect(connections.hasPendingConnections).toBe(false);
    connections.onConnectionsStopped();
    expect(connections.hasPendingConnections).toBe(false);
  });

  test("after a stop nothing is sent; without a supervisor nothing arrives", async () => {
    const { connections } = await listening();
    connections.stop();
    sent.length = 0;
    void connections.pause(false);
    connections.stop();
    expect([sent, connections.hasPendingConnections]).toEqual([[], true]);
    vi.stubGlobal("process", { ...process, connected: false });
    expect(connections.hasPendingConnections).toBe(false);
  });
});

import { once } from "node:events";
import { connect, createServer, Server, type Socket } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { chooseMediaServer } from "../../../../src/gateway/server/choice.ts";
import { currentRuntime } from "../../../../src/gateway/server/uws/packages.ts";
import { PortConnections } from "../../../../src/gateway/server/ws/connection-source.ts";
import { memoryLog } from "../../../support/memory-log.ts";

const knowsReusePort = chooseMediaServer("ws", currentRuntime()).sharesPort;

describe("connections of a port", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test("accept errors are logged, once a second, and change nothing: it accepts, pauses and resumes", async () => {
    const listen = vi.spyOn(Server.prototype, "listen");
    const { log, lines } = memoryLog();
    const connections = new PortConnections(log);
    const accepted: Socket[] = [];
    const port = await connections.listen("127.0.0.1", 0, (socket) => accepted.push(socket.on("error", () => {})));
    const [server] = listen.mock.contexts as Server[];
    // As Node reports any failure of accept().
    const fail = () => server?.emit("error", Object.assign(new Error("accept ENOBUFS"), { code: "ENOBUFS" }));
    for (let times = 0; times < 3; times += 1) fail();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { err: { message: "accept ENOBUFS" }, msg: "connection could not be accepted" },
    ]);

    await once(connect(port, "127.0.0.1"), "connect");
    await vi.waitFor(() => expect(accepted).toHaveLength(1));
    accepted[0]?.destroy();
    await connections.pause(true);
    expect(server?.listening).toBe(false);
    await expect(once(connect(port, "127.0.0.1"), "connect")).rejects.toThrow("ECONNREFUSED");
    await connections.pause(false);
    await once(connect(port, "127.0.0.1"), "connect");
    await vi.waitFor(() => expect(accepted).toHaveLength(2));
    accepted[1]?.destroy();
    connections.stop();
  });

  test("a port that is paused while it opens again stays closed, and one that is resumed meanwhile is open", async () => {
    const connections = new PortConnections(memoryLog().log);
    const port = await connections.listen("127.0.0.1", 0, (socket) => socket.on("error", () => {}).destroy());
    await connections.pause(true);
    const opening = connections.pause(false);
    void connections.pause(true);
    await opening;
    await expect(once(connect(port, "127.0.0.1"), "connect")).rejects.toThrow("ECONNREFUSED");

    void connections.pause(false);
    void connections.pause(true);
    await connections.pause(false);
    await once(connect(port, "127.0.0.1"), "connect");
    connections.stop();
  });

  test.skipIf(!knowsReusePort)(
    "several processes may listen on a shared port, and no port is shared by default (only where net knows reusePort)",
    async () => {
      const sources = Array.from({ length: 2 }, () => new PortConnections(memoryLog().log, { sharesPort: true }));
      const accepted = new Set<PortConnections>();
      let port = 0;
      for (const source of sources) {
        port = await source.listen("127.0.0.1", port, (socket) => {
          accepted.add(source);
          socket.on("error", () => {}).destroy();
        });
      }
      await vi.waitFor(async () => {
        await once(connect(port, "127.0.0.1"), "connect");
        expect(accepted.size).toBe(2);
      });
      const alone = new PortConnections(memoryLog().log);
      await expect(alone.listen("127.0.0.1", port, () => {})).rejects.toThrow("EADDRINUSE");
      await sources[0]?.pause(true);
      accepted.clear();
      for (let count = 0; count < 8; count += 1) await once(connect(port, "127.0.0.1"), "connect");
      await vi.waitFor(() => expect([...accepted]).toEqual([sources[1]]));
      await sources[0]?.pause(false);
      await vi.waitFor(async () => {
        await once(connect(port, "127.0.0.1"), "connect");
        expect(accepted.size).toBe(2);
      });
      for (const source of sources) source.stop();
    },
  );

  test("a port that cannot be listened on is an error of listen", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const connections = new PortConnections(memoryLog().log);
    await expect(connections.listen("127.0.0.1", port, () => {})).rejects.toThrow("EADDRINUSE");
    other.close();
  });
});

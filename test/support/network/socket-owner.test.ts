import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { groupAtOtherEnd } from "./socket-owner.ts";

const hasSs = spawnSync("ss", ["-V"]).status === 0;

test.skipIf(!hasSs)(
  "the process group at the other end of a connection is found (only where ss is installed)",
  async () => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const script = `require("node:net").connect(${port}, "127.0.0.1")`;
    const child = spawn(process.execPath, ["-e", script], { detached: true });
    onTestFinished(() => {
      child.kill("SIGKILL");
      server.close();
    });
    const [socket] = (await once(server, "connection")) as [Socket];
    expect(groupAtOtherEnd(socket)).toBe(child.pid);
  },
);

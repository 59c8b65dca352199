import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const TSX = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const PROGRAM = fileURLToPath(new URL("../../support/webrtc/throwing-peers.ts", import.meta.url));

test("a process lives on when every callback of a peer throws, when peers are used after their end, and when they are collected", () => {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, ["--import", TSX, PROGRAM], {
    encoding: "utf8",
    timeout: 60_000,
  });
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: "" });
  // The last line is all that it prints: the library is quiet.
  const result = JSON.parse(stdout);
  expect(result.thrown).toEqual(expect.arrayContaining(["connected", "rtp", "rtcp", "closed", "rtp after close"]));
  expect(result).toMatchObject({ repeated: 1, peers: 0 });
  expect(result.bugs).toBeGreaterThanOrEqual(5);
}, 90_000);

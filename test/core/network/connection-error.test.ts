import { type AddressInfo, createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { connectionErrorCode } from "../../../src/core/network/connection-error.ts";
import { keepAliveRequest } from "../../../src/speech/keep-alive-request.ts";

const servers: { close: () => unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** The error of a request to a server that answers every connection with `bytes`. */
async function errorAt(bytes: string): Promise<unknown> {
  const server = createServer((socket) => socket.on("error", () => {}).once("data", () => socket.end(bytes)));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return await keepAliveRequest(url, { method: "GET", headers: {} }).catch((error: unknown) => error);
}

test.each([
  ["that is no HTTP", "SSH-2.0-OpenSSH_9.9\r\n", "UND_ERR_HTTP_PARSER"],
  ["that switches the protocol", "HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", "ECONNRESET"],
  ["whose head is too long", `HTTP/1.1 200 OK\r\nX-Long: ${"y".repeat(200_000)}\r\n\r\n`, "HPE_HEADER_OVERFLOW"],
  ["without a byte", "", "ECONNRESET"],
])("an answer %s is a failure of the connection with a code", async (_what, bytes, code) => {
  expect(connectionErrorCode(await errorAt(bytes))).toBe(code);
});

test("an error without a code, or with one that is a text, has none that may be logged", () => {
  expect(connectionErrorCode(new Error("the address"))).toBeUndefined();
  expect(connectionErrorCode(Object.assign(new Error("x"), { code: "the caller said 42" }))).toBeUndefined();
  expect(connectionErrorCode("ECONNRESET")).toBeUndefined();
});

import { createServer } from "node:http";
import { expect, test } from "vitest";
import { listenForApi, portOf } from "../../../../src/process/control/http/api-port.ts";

test("An API port that cannot be used is reported with the name of its variable", async () => {
  const api = { listen: () => Promise.reject(new Error("listen EADDRINUSE")) };
  await expect(listenForApi(api, "127.0.0.1", 8080)).rejects.toThrow(
    "API_PORT 8080 on 127.0.0.1 cannot be used: listen EADDRINUSE",
  );
});

test("The port of a listening server is known, that of any other is an error", async () => {
  const server = createServer();
  expect(() => portOf(server)).toThrow("the server does not listen on a port");
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  expect(portOf(server)).toBeGreaterThan(0);
  server.close();
});

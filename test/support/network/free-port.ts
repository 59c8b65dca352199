import { createServer } from "node:net";

/**
 * Below the ports that Linux gives to connections and to servers that ask for any (32768 and more): between the choice
 * and the use of a port, which can be seconds, no other test gets it.
 */
const FIRST_PORT = 20_000;
const PORTS = 12_700;

/** A port of this machine that was free just now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (await isFree(port)) return port;
  }
}

/** Whether nothing listens there, at any address. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}

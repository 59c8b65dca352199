import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** What came back for some bytes. */
export interface Exchange {
  /** All of it, as Latin-1. */
  text: string;
  /** The statuses of all answers in it, in order. */
  statuses: number[];
  /** Whether the other side closed the connection in time. */
  ended: boolean;
}

/** Between two parts, so that they arrive as two. */
const PIECES_APART_MS = 20;

/** The head of an HTTP/1.1 request, with a Host; a header that is undefined is left out. */
export function head(methodAndPath: string, headers: Readonly<Record<string, string | undefined>> = {}): string {
  const lines = Object.entries({ Host: "x", ...headers })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}`);
  return [`${methodAndPath} HTTP/1.1`, ...lines, "", ""].join("\r\n");
}

/** Sends bytes to a port of this machine, part by part, and reads until the other side closes, or the time is over. */
export async function exchange(
  port: number,
  parts: readonly (string | Uint8Array)[],
  withinMs = 1_000,
): Promise<Exchange> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let text = "";
  const closed = new Promise<boolean>((resolve) => {
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
    });
    // A reset closes the connection too.
    socket.on("error", () => {});
    socket.on("close", () => resolve(true));
  });
  for (const [index, part] of parts.entries()) {
    if (index > 0) await delay(PIECES_APART_MS);
    socket.write(typeof part === "string" ? Buffer.from(part, "latin1") : part);
  }
  const over = new AbortController();
  const late = delay(withinMs, false, { signal: over.signal }).catch(() => false);
  const ended = await Promise.race([closed, late]);
  over.abort();
  socket.destroy();
  // A second answer follows the body of the first without a line in between.
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  return { text, statuses, ended };
}

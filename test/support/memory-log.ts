import { Writable } from "node:stream";
import { type Logger, pino } from "pino";

/** A logger that keeps its lines, from `debug` on, one line of JSON each. */
export function memoryLog(): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { log: pino({ level: "debug" }, sink), lines };
}

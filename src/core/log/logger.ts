import { type Logger, pino } from "pino";
import { TrunklineError } from "../errors.ts";
import { standardOutput } from "./output.ts";

export type { Logger } from "pino";

export type LogLevel = "debug" | "info" | "warn" | "error";

/**
 * JSON lines on standard output. Messages are constant texts; what varies is in fields with fixed
 * names (`callId`, `turnId`, `provider`, `code`, `fault`, `durationMs`). Tokens, keys and phone numbers are never logged;
 * words of a call are logged only in the field `pii`, which a collector can drop. Logging never waits for the reader of standard
 * output: see `LogOutput`.
 */
export function createLogger(
  process: "supervisor" | "control" | "renderer" | "transcriber" | "worker" | "speech" | "retrieval" | "test",
  level: LogLevel,
): Logger {
  const msg = "log lines dropped: standard output was not read";
  const droppedLine = (lines: number): string =>
    `${JSON.stringify({ level: "warn", time: Date.now(), process, lines, msg })}\n`;
  const options = { level, base: { process }, formatters: { level: (label: string) => ({ level: label }) } };
  return pino(options, standardOutput(droppedLine));
}

/**
 * The loggable part of any error: the message of a TrunklineError, which contains no secret and no word of a call; of all other
 * errors only the class and the stack without the message, which may contain an API key, a prompt or a caller's words.
 */
export function loggableError(error: unknown): { detail: string; stack?: readonly string[] } {
  if (error instanceof TrunklineError) return { detail: error.message };
  if (!(error instanceof Error)) return { detail: typeof error };
  const { name, message, stack = "" } = error;
  const frames = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : "";
  return { detail: name, stack: frames.split("\n    at ").slice(1) };
}

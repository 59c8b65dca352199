import { type Logger, pino } from "pino";
import { TrunklineError } from "../errors.ts";
import { standardOutput } from "./output.ts";

export type { Logger } from "pino";

export type LogLevel = "debug" | "info" | "warn" | "error";

/**
 * JSON lines on standard output. Messages are constant sentences in the past tense; what varies stands in fields with fixed
 * names (`callId`, `turnId`, `provider`, `code`, `fault`, `durationMs`). Tokens, keys and phone numbers are never logged;
 * words of a call, where a line cannot do without them, only under `pii`, so that a collector can drop that field. Logging never
 * waits for the reader of standard output: see `LogOutput`.
 */
export function createLogger(
  process: "supervisor" | "control" | "renderer" | "worker" | "test",
  level: LogLevel,
): Logger {
  const msg = "log lines dropped: standard output was not read";
  const droppedLine = (lines: number): string =>
    `${JSON.stringify({ level: "warn", time: Date.now(), process, lines, msg })}\n`;
  const options = { level, base: { process }, formatters: { level: (label: string) => ({ level: label }) } };
  return pino(options, standardOutput(droppedLine));
}

/**
 * What may be logged of an error out of somebody else's software: the text of our own errors, which quotes nobody, but of any
 * other only its kind and the places it came by. Its text may hold a key, a prompt or a caller's words.
 */
export function loggableError(error: unknown): { why: string; at?: readonly string[] } {
  if (error instanceof TrunklineError) return { why: error.message };
  if (!(error instanceof Error)) return { why: typeof error };
  const { name, message, stack = "" } = error;
  const behindText = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : "";
  return { why: name, at: behindText.split("\n    at ").slice(1) };
}

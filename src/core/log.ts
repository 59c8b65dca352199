import { type Logger, pino } from "pino";

export type { Logger } from "pino";

export type LogLevel = "debug" | "info" | "warn" | "error";

/**
 * JSON lines on standard output. Messages are constant sentences in the past tense; what varies stands in fields with fixed
 * names (`callId`, `turnId`, `provider`, `code`, `fault`, `durationMs`). Tokens, keys and phone numbers are never logged;
 * words of a call, where a line cannot do without them, only under `pii`, so that a collector can drop that field.
 */
export const createLogger = (process: "supervisor" | "control" | "worker" | "test", level: LogLevel): Logger =>
  pino({ level, base: { process }, formatters: { level: (label) => ({ level: label }) } });

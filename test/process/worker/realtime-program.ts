import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createLogger } from "../../../src/core/log/logger.ts";
import { becomeRealtime } from "../../../src/process/worker/realtime.ts";

// Prints its log, and the state of itself and of a process that it starts (proc(5)).

const isRequired = process.argv[2] === "required";
await becomeRealtime(isRequired, true, createLogger("worker", "info"));
const stat = "/proc/self/stat";
const read = `process.stdout.write(require("node:fs").readFileSync("${stat}"))`;
process.stdout.write(readFileSync(stat));
process.stdout.write(execFileSync(process.execPath, ["-e", read]));

import { describe, expect, test } from "vitest";
import { VariableReader } from "../../src/config/variables/reader.ts";
import { readWorkers } from "../../src/config/workers.ts";

const PROCESSORS = 4;
const realtimeOf = (env: Record<string, string>, webrtcWorkers = 0): string =>
  readWorkers(new VariableReader(env, []), webrtcWorkers, PROCESSORS).workerRealtime;

describe("WORKER_REALTIME", () => {
  test("is auto by default: where the system allows it and a processor is left to everything else", () => {
    expect(realtimeOf({})).toBe("if_allowed");
    expect(realtimeOf({ WORKERS: "4" })).toBe("never");
    expect(realtimeOf({ WORKER_REALTIME: "auto", WORKERS: "5" })).toBe("never");
  });

  test("counts the workers of WebRTC", () => {
    expect(realtimeOf({ WORKERS: "2" }, 1)).toBe("if_allowed");
    expect(realtimeOf({ WORKERS: "2" }, 2)).toBe("never");
  });

  test("says yes or no whatever the number of workers", () => {
    expect(realtimeOf({ WORKER_REALTIME: "true", WORKERS: "4" })).toBe("required");
    expect(realtimeOf({ WORKER_REALTIME: "false", WORKERS: "1" })).toBe("never");
  });
});

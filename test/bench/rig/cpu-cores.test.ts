import { expect, test } from "vitest";
import { coresIn } from "../../../bench/rig/cpu-cores.ts";

test.each([
  ["a list", "0,1", { server: 0, others: 1 }],
  ["a range", "0-3", { server: 0, others: 3 }],
  ["ranges and single cores", "2-5,8,10-11", { server: 2, others: 11 }],
])("the server runs on the first core of %s, and everything else on the last", (_, list, cores) => {
  expect(coresIn(`pid 17's current affinity list: ${list}\n`)).toEqual(cores);
});

test.each([
  ["with one core", "pid 17's current affinity list: 4\n"],
  ["whose cores are unknown", "taskset: failed to get pid 17's affinity: No such process\n"],
])("a process %s is not held on any", (_, output) => {
  expect(coresIn(output)).toBeUndefined();
});

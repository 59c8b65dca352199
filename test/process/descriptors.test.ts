import { expect, test } from "vitest";
import { DESCRIPTORS_MIN } from "../../src/core/limits/service/processes.ts";
import { assertDescriptors } from "../../src/process/descriptors.ts";

test("ADV-L6: too few descriptors are an error of one line that names how many there are, how many are needed and how to get them", () => {
  expect(() => assertDescriptors(DESCRIPTORS_MIN)).not.toThrow();
  expect(() => assertDescriptors(Number.POSITIVE_INFINITY)).not.toThrow();
  const right =
    /^[^\n]*\b1023, and the service needs at least 1024: raise it with `ulimit -n 4096`[^\n]*systemd[^\n]*$/;
  expect(() => assertDescriptors(DESCRIPTORS_MIN - 1)).toThrow(right);
});

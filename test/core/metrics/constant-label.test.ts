import { expect, test } from "vitest";
import { withConstantLabel } from "../../../src/core/metrics/constant-label.ts";

test("every sample gets the label, whatever its own labels hold", () => {
  const exposition = [
    "# HELP calls Calls {by kind} of now.",
    "# TYPE calls gauge",
    "calls 3",
    'calls_total{reason="a {b} c",kind="x"} 4 1700000000',
    'seconds_bucket{le="+Inf"} 1',
    "",
  ].join("\n");
  expect(withConstantLabel(exposition, "node", "one")).toBe(
    [
      "# HELP calls Calls {by kind} of now.",
      "# TYPE calls gauge",
      'calls{node="one"} 3',
      'calls_total{node="one",reason="a {b} c",kind="x"} 4 1700000000',
      'seconds_bucket{node="one",le="+Inf"} 1',
      "",
    ].join("\n"),
  );
});

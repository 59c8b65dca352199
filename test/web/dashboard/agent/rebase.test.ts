import { expect, test } from "vitest";
import { rebased } from "../../../../web/dashboard/pages/agent/model/rebase.ts";
import { definition } from "./definitions.ts";

const base = definition({ context: "Open from eight.", callSettings: { model: "model_a", maxDuration: 300 } });

test("changes of two people to different fields are both kept, also among call settings", () => {
  const mine = { ...base, context: "Open from nine.", callSettings: { model: "model_b", maxDuration: 300 } } as const;
  const theirs = { ...base, name: "Night desk", callSettings: { model: "model_a", maxDuration: 600 } } as const;
  expect(rebased(base, mine, theirs)).toEqual({
    definition: {
      ...base,
      name: "Night desk",
      context: "Open from nine.",
      callSettings: { model: "model_b", maxDuration: 600 },
    },
    conflicts: [],
  });
});

test("where both have changed a field to something else one's own value stands, and the field is named", () => {
  const mine = { ...base, context: "Open from nine.", callSettings: { maxDuration: 300 } } as const;
  const theirs = { ...base, context: "Closed.", callSettings: { model: "model_c", maxDuration: 300 } } as const;
  const { definition: merged, conflicts } = rebased(base, mine, theirs);
  expect(conflicts).toEqual(["context", "callSettings.model"]);
  expect(merged).toMatchObject({ context: "Open from nine.", callSettings: { maxDuration: 300 } });
  expect(merged.callSettings).not.toHaveProperty("model");
});

test("the same change of both is no conflict", () => {
  const both = { ...base, context: "Closed." };
  expect(rebased(base, both, { ...both, name: "Night desk" })).toEqual({
    definition: { ...both, name: "Night desk" },
    conflicts: [],
  });
});

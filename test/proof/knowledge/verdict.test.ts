import { expect, test } from "vitest";
import { type DocumentEvidence, verdictOf } from "./verdict.ts";

const GOOD: DocumentEvidence = {
  id: "doc_1",
  status: "ready",
  failure: undefined,
  expectedFailure: undefined,
  places: 1,
  chunks: 2,
  storedChunks: 2,
  foundIds: ["doc_1"],
  eventIds: ["event_1", "event_1"],
};
const NOTHING = { lost: [], stuck: [], doubled: [], unannounced: [] };

test.each<[string, Partial<DocumentEvidence>, object]>([
  ["one that is ready", {}, NOTHING],
  [
    "one that had to fail",
    {
      ...{ status: "failed", failure: "no_text", expectedFailure: "no_text", places: 0, chunks: 0, storedChunks: 0 },
      foundIds: [],
    },
    NOTHING,
  ],
  ["one that failed", { status: "failed", failure: "abandoned" }, { ...NOTHING, lost: ["doc_1 failed abandoned"] }],
  ["one without its text", { places: 0 }, { ...NOTHING, lost: ["doc_1 ready undefined"] }],
  ["one that no question finds", { foundIds: [] }, { ...NOTHING, lost: ["doc_1 ready undefined"] }],
  ["one that is found twice", { foundIds: ["doc_1", "doc_1"] }, { ...NOTHING, doubled: ["doc_1"] }],
  ["one that is in progress", { status: "processing" }, { ...NOTHING, stuck: ["doc_1 processing"] }],
  ["one with its text twice", { places: 2 }, { ...NOTHING, doubled: ["doc_1"] }],
  ["one with chunks of two attempts", { storedChunks: 3 }, { ...NOTHING, doubled: ["doc_1"] }],
  ["one with two events", { eventIds: ["event_1", "event_2"] }, { ...NOTHING, doubled: ["doc_1"] }],
  ["one without an event", { eventIds: [] }, { ...NOTHING, unannounced: ["doc_1"] }],
])("the verdict of %s", (_, more, expected) => {
  expect(verdictOf([{ ...GOOD, ...more }], ["doc_1"], ["doc_1"])).toEqual(expected);
});

test("a document that the API does not list is lost, and one that it alone knows is doubled", () => {
  expect(verdictOf([GOOD], ["doc_1", "doc_2"], ["doc_1", "doc_3"])).toEqual({
    ...NOTHING,
    lost: ["doc_2 missing"],
    doubled: ["doc_3 not asked for"],
  });
});

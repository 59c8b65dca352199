import { describe, expect, test } from "vitest";
import {
  documentFiltersOf,
  documentStateOf,
  mayProcessAgain,
  placesOf,
  questionOf,
  sharesOfBest,
} from "../../../../web/dashboard/pages/corpus/model.ts";

describe("a document", () => {
  test("that is processed again is still found, which its state says", () => {
    expect(documentStateOf({ status: "processing", isFound: false }).text).toBe("in progress");
    expect(documentStateOf({ status: "processing", isFound: true }).text).toBe("in progress again");
    expect(documentStateOf({ status: "failed", isFound: false })).toEqual({ text: "failed", tone: "bad" });
    expect(documentStateOf({ status: "ready", isFound: true })).toEqual({ text: "ready", tone: "good" });
  });

  test("is processed again where there is something to read, and it is not under way", () => {
    expect(mayProcessAgain({ status: "ready", url: null, hasFile: true })).toBe(true);
    expect(mayProcessAgain({ status: "failed", url: "https://example.com", hasFile: false })).toBe(true);
    expect(mayProcessAgain({ status: "failed", url: null, hasFile: false })).toBe(false);
    expect(mayProcessAgain({ status: "processing", url: null, hasFile: true })).toBe(false);
  });
});

test("the filters are those of the address that the list has", () => {
  expect(documentFiltersOf({ status: "failed", source: "", tab: "documents" })).toEqual({ status: "failed" });
});

test("scores are compared with the best", () => {
  expect(sharesOfBest([8, 4, 0, -1])).toEqual([100, 50, 0, 0]);
  expect(sharesOfBest([-2, -3])).toEqual([0, 0]);
  expect(sharesOfBest([])).toEqual([]);
});

test("a question is in the address; a number of passages that there cannot be is the usual one", () => {
  expect(questionOf({})).toBeUndefined();
  expect(questionOf({ question: "  " })).toBeUndefined();
  expect(questionOf({ question: " how long? ", passages: "3" })).toEqual({ text: "how long?", passagesMax: 3 });
  for (const passages of ["0", "51", "2.5", "many"]) {
    expect(questionOf({ question: "how long?", passages })?.passagesMax).toBe(5);
  }
});

test("passages name their places once each, and none where names are not stored", () => {
  const [prices, catalogue] = [{ documentName: "prices.md" }, { documentName: "catalogue.pdf", page: 12 }];
  expect(placesOf([catalogue, prices, { ...catalogue, page: 13 }, catalogue])).toBe(
    "catalogue.pdf, page 12; prices.md; catalogue.pdf, page 13",
  );
  expect(placesOf([{}, {}])).toBe("");
});

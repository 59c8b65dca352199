import { expect, test } from "vitest";
import { csvOf } from "../../../../web/dashboard/app/csv.ts";
import { callFiltersOf, conditionsOf } from "../../../../web/dashboard/pages/calls/filters.ts";

test("CSV quotes what it must, and disarms what a spreadsheet would take for a formula", () => {
  expect(
    csvOf([
      ["from", "ms"],
      ['=HYPERLINK("https://evil.example")', 1_200],
      ["+15550199", null],
      ['a "quoted", text\nof two lines', undefined],
    ]),
  ).toBe(
    'from,ms\r\n"\'=HYPERLINK(""https://evil.example"")",1200\r\n\'+15550199,\r\n"a ""quoted"", text\nof two lines",\r\n',
  );
});

test("the address has the filters of the list, by their names in the API", () => {
  expect(callFiltersOf({ status: "active", tab: "2", from: "", metadata: "order=A-17&note=a%26b=c" })).toEqual({
    status: "active",
    metadata: { order: "A-17", note: "a&b=c" },
  });
});

test("conditions that are not written well are taken as they are", () => {
  expect([conditionsOf("order"), conditionsOf("%zz=1"), conditionsOf("=1"), conditionsOf("")]).toEqual([
    { order: "" },
    { "%zz": "1" },
    {},
    {},
  ]);
});

import { expect, test } from "vitest";
import { changed } from "../../../web/dashboard/app/changed.ts";
import {
  isoTimeOf,
  listOf,
  localTimeOf,
  numberOf,
  numberOrNull,
  pairsOf,
  textOrNull,
} from "../../../web/dashboard/app/form-values.ts";

test("a list has one entry on each line, or commas between them; empty ones are none", () => {
  expect(listOf(" https://a.example\n\nhttps://b.example , c\n")).toEqual([
    "https://a.example",
    "https://b.example",
    "c",
  ]);
  expect(listOf(" \n,")).toEqual([]);
});

test("what is no number goes as it is, for the service to refuse by its field", () => {
  expect([numberOf(" 20 "), numberOf("1.5"), numberOf("-3")]).toEqual([20, 1.5, -3]);
  expect([numberOf("1e3"), numberOf("many"), numberOf("")]).toEqual(["1e3", "many", ""]);
  expect([numberOrNull(" "), numberOrNull("7"), textOrNull("  "), textOrNull(" x ")]).toEqual([null, 7, null, "x"]);
});

test("variables are read line by line; a value may have an equals sign", () => {
  expect(pairsOf("name = Kim Miller\n\nformula=a=b\nempty=")).toEqual({
    name: "Kim Miller",
    formula: "a=b",
    empty: "",
  });
});

test("a local time leads to the same time in UTC and back, to the minute", () => {
  const iso = "2026-11-28T09:05:00.000Z";
  expect(isoTimeOf(localTimeOf(iso))).toBe(iso);
  expect([localTimeOf(null), localTimeOf("never"), isoTimeOf("")]).toEqual(["", "", null]);
});

test("a change has only what differs", () => {
  const before = { name: "a", scopes: ["read"], limit: null as number | null };
  expect(changed(before, { name: "a", scopes: ["read"], limit: null })).toEqual({});
  expect(changed(before, { name: "b", scopes: ["read", "write"], limit: 5 })).toEqual({
    name: "b",
    scopes: ["read", "write"],
    limit: 5,
  });
});

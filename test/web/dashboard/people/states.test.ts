import { expect, test } from "vitest";
import { lastOwnerOf, type Person, passwordProblemOf } from "../../../../web/dashboard/pages/people/states.ts";

test("the last owner with a password is protected, and one of two is not", () => {
  const owner = (id: string) => ({ id }) as Person;
  expect(lastOwnerOf([owner("user_1")])).toBe("user_1");
  expect(lastOwnerOf([owner("user_1"), owner("user_2")])).toBeUndefined();
  expect(lastOwnerOf([])).toBeUndefined();
});

test("two passwords that differ are a problem once the second one is begun", () => {
  expect(passwordProblemOf({ password: "four quite random words", again: "" })).toBeUndefined();
  expect(passwordProblemOf({ password: "four quite random words", again: "four" })).toBe("The two passwords differ.");
  expect(passwordProblemOf({ password: "x", again: "x" })).toBeUndefined();
});

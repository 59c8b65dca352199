import { expect, test } from "vitest";
import { TrunklineApiError } from "../../../web/client/src/index.ts";
import { problemOf, problemsOf, shownErrorOf } from "../../../web/dashboard/app/errors.ts";

test("an error of the API is shown with what the service said, its code and the request", () => {
  const error = new TrunklineApiError("POST /calls/{id}/end: 409 conflict: the call is not live (req_1)", {
    code: "conflict",
    status: 409,
    requestId: "req_1",
  });
  expect(shownErrorOf(error)).toEqual({
    message: "The call is not live.",
    details: [],
    code: "conflict",
    requestId: "req_1",
  });
});

test("each wrong field has its problem", () => {
  const error = new TrunklineApiError("POST /users: 400 invalid_request: the request is invalid (req_1)", {
    code: "invalid_request",
    details: [{ path: "/email", message: "must be an email address" }],
    requestId: "req_1",
  });
  expect(shownErrorOf(error).details).toEqual([{ field: "email", message: "must be an email address" }]);
  expect([problemOf(error, "email"), problemOf(error, "name"), problemOf(new Error("x"), "email")]).toEqual([
    "must be an email address",
    undefined,
    undefined,
  ]);
});

test("a list has the problems of its entries, by their places", () => {
  const error = new TrunklineApiError("POST /webhooks: 400 invalid_request: the request is invalid (req_1)", {
    code: "invalid_request",
    details: [
      { path: "/origins", message: "must be a list" },
      { path: "/origins/1", message: "must be an origin" },
      { path: "/variables/visitor", message: "must be a string" },
      { path: "/originsOfOthers/0", message: "must be something else" },
    ],
    requestId: "req_1",
  });
  expect(problemsOf(error, "origins")).toBe("must be a list; entry 2 must be an origin");
  expect(problemsOf(error, "variables")).toBe("visitor must be a string");
  expect([problemsOf(error, "name"), problemsOf(new Error("x"), "origins")]).toEqual([undefined, undefined]);
});

test("no answer, and an error of the page itself, are sentences without a code of the API", () => {
  const noAnswer = shownErrorOf(new TrunklineApiError("GET /calls: no answer", { code: "no_answer" }));
  expect(noAnswer.message).toBe("The service does not answer: check that it runs and that this device is connected.");
  expect(shownErrorOf(new TypeError("x is undefined"))).toMatchObject({ message: "X is undefined.", code: undefined });
});

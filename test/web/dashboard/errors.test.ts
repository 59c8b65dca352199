import { expect, test } from "vitest";
import { TrunklineApiError } from "../../../web/client/src/index.ts";
import { problemOf, shownErrorOf } from "../../../web/dashboard/app/errors.ts";

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

test("no answer, and an error of the page itself, are sentences without a code of the API", () => {
  const noAnswer = shownErrorOf(new TrunklineApiError("GET /calls: no answer", { code: "no_answer" }));
  expect(noAnswer.message).toBe("The service does not answer: check that it runs and that this device is connected.");
  expect(shownErrorOf(new TypeError("x is undefined"))).toMatchObject({ message: "X is undefined.", code: undefined });
});

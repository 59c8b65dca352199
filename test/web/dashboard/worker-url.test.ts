import { expect, test } from "vitest";
import { trustedWorkerUrl } from "../../../web/dashboard/app/events/worker-url.ts";

test("the policy of the worker's address is made once, however often the page connects", () => {
  const made: string[] = [];
  const address = trustedWorkerUrl("/assets/worker.js", {
    createPolicy: (name, { createScriptURL }) => {
      if (made.includes(name)) throw new TypeError(`the policy ${name} exists`);
      made.push(name);
      return { createScriptURL };
    },
  });
  expect([address(), address(), made]).toEqual(["/assets/worker.js", "/assets/worker.js", ["trunkline-worker"]]);
});

test("a browser without such policies gets the address itself", () => {
  expect(trustedWorkerUrl("/assets/worker.js", undefined)()).toBe("/assets/worker.js");
});

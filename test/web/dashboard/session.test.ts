import { afterEach, beforeEach, expect, test, vi } from "vitest";

type SessionModule = typeof import("../../../web/dashboard/app/session.ts");

const sessionOf = (id: string) => ({ user: { id }, accountId: "account_1", csrfToken: `token of ${id}` });

/** The other tabs of the browser. */
class OtherTabs {
  static opened: OtherTabs | undefined;
  readonly posted: unknown[] = [];
  onmessage: ((event: unknown) => void) | undefined;

  constructor() {
    OtherTabs.opened = this;
  }

  postMessage(message: unknown): void {
    this.posted.push(message);
  }

  close(): void {}
}

let session: SessionModule;
/** What the service answers, in order; without an answer it is not there. */
let answers: (Response | Promise<Response>)[];

beforeEach(async () => {
  answers = [];
  vi.stubGlobal("fetch", async () => {
    const answer = answers.shift();
    if (answer === undefined) throw new TypeError("no connection");
    return await answer;
  });
  vi.stubGlobal("BroadcastChannel", OtherTabs);
  vi.resetModules();
  session = await import("../../../web/dashboard/app/session.ts");
});
afterEach(() => vi.unstubAllGlobals());

const refusal = () => Response.json({ error: { code: "unauthorized", message: "no" } }, { status: 401 });
const personHere = () => session.currentSession()?.user.id ?? session.sessionState.value.status;

test("only a 401 signs a person out: a service that does not answer does not", async () => {
  answers = [Response.json(sessionOf("user_1"))];
  await session.loadSession();
  await session.loadSession();
  expect(personHere()).toBe("user_1");
  answers = [new Response("busy", { status: 503 }), refusal()];
  await session.loadSession();
  expect(personHere()).toBe("user_1");
  await session.loadSession();
  expect(personHere()).toBe("signed-out");
});

test("a page that was never answered says so", async () => {
  await session.loadSession();
  expect(personHere()).toBe("failed");
});

test("an answer of the session before does not undo a sign-in", async () => {
  let answerLate = (_response: Response): void => {};
  answers = [
    new Promise((resolve) => {
      answerLate = resolve;
    }),
    Response.json(sessionOf("user_2")),
  ];
  const asked = session.loadSession();
  await session.signIn("kim@example.com", "four quite random words");
  answerLate(Response.json(sessionOf("user_1")));
  await asked;
  expect(personHere()).toBe("user_2");
});

test("tabs say when someone signs in or out, and ask who it is when another says so", async () => {
  const leave = session.followOtherTabs();
  answers = [Response.json(sessionOf("user_1")), Response.json(sessionOf("user_2")), new Response(null)];
  await session.signIn("kim@example.com", "four quite random words");
  OtherTabs.opened?.onmessage?.({});
  await vi.waitFor(() => expect(personHere()).toBe("user_2"));
  await session.signOut();
  expect([personHere(), OtherTabs.opened?.posted]).toEqual(["signed-out", ["signed in", "signed out"]]);
  leave();
});

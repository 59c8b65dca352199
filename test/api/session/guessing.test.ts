import { afterEach, beforeEach, expect, test } from "vitest";
import { Attempts } from "../../../src/api/session/attempts.ts";
import { Passwords } from "../../../src/api/session/passwords.ts";
import {
  ATTEMPT_ENTRIES_MAX,
  ATTEMPTS_PER_ADDRESS,
  ATTEMPTS_PER_EMAIL,
  ATTEMPTS_PER_PAIR,
  PASSWORDS_OF_ONE_MAX,
  PASSWORDS_WAITING_MAX,
} from "../../../src/core/limits/accounts/people.ts";
import { BY_SERVICE } from "../../../src/store/accounts/audit-store.ts";
import { Browser, PASSWORD } from "../../support/api/browser.ts";
import { type ApiUnderTest, apiUnderTest } from "../../support/api/harness.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const EMAIL = "kim@example.com";
const WRONG = "a wrong long sentence";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

/** The owner, in the browser in which they accepted. */
async function owner(): Promise<Browser> {
  const user = { accountId: api.accountId, email: EMAIL, name: "Kim", role: "owner" } as const;
  const invited = await api.stores.users.invite(user, BY_SERVICE);
  if (invited === "exists") throw new Error("the owner exists");
  const browser = new Browser(api.app, "203.0.113.1");
  await browser.accept(`#${invited.link.token}`);
  return browser;
}

/** How often each status came. */
async function guess(attacker: Browser, count: number, email = EMAIL): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  for (let attempt = 0; attempt < count; attempt++) {
    const { status } = await attacker.signIn(email, `${WRONG} ${attempt}`);
    statuses[status] = (statuses[status] ?? 0) + 1;
    // 100 a second.
    api.clock.advance(10);
  }
  return statuses;
}

test("A8: guessing at 100/s from one address gets 5 guesses and one a minute, and the owner gets in from another address", async () => {
  await owner();
  const attacker = new Browser(api.app, "192.0.2.66");
  expect(await guess(attacker, 2_000)).toEqual({ 401: ATTEMPTS_PER_PAIR.capacity, 429: 1_995 });
  // With the right password, too, until it is its turn again.
  const refused = await attacker.signIn(EMAIL);
  expect([refused.status, refused.headers["retry-after"]]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  const elsewhere = new Browser(api.app, "198.51.100.5");
  expect((await elsewhere.signIn(EMAIL)).status).toBe(200);
});

test("A8: one address that guesses for many emails is slowed as a whole, and an IPv6 network of 64 bits is one address", async () => {
  await owner();
  let checked = 0;
  for (let index = 0; index < 200; index++) {
    const attacker = new Browser(api.app, `2001:db8:1:2::${index.toString(16)}`);
    if ((await attacker.signIn(`user${index}@example.com`, WRONG)).status === 401) checked += 1;
  }
  expect(checked).toBe(ATTEMPTS_PER_ADDRESS.capacity);
  expect((await new Browser(api.app, "2001:db8:1:3::1").signIn(EMAIL)).status).toBe(200);
});

test("A8: while 200 addresses guess for one email, the owner gets in with a browser that has signed in before, and by a link", async () => {
  const known = await owner();
  await known.request("POST", "sign-out");
  let checked = 0;
  for (let index = 0; index < 200; index++) {
    for (let attempt = 0; attempt < 5; attempt++) {
      const attacker = new Browser(api.app, `198.51.100.${index}`);
      if ((await attacker.signIn(EMAIL, WRONG)).status === 401) checked += 1;
    }
  }
  expect(checked).toBe(ATTEMPTS_PER_EMAIL.capacity);
  expect((await new Browser(api.app, "203.0.113.9").signIn(EMAIL)).status).toBe(429);
  expect((await known.signIn(EMAIL)).status).toBe(200);
  const { users } = await api.stores.users.list(api.accountId, { limit: 1 });
  const id = users[0]?.id ?? ("" as never);
  const made = await api.stores.users.createLink(api.accountId, id, BY_SERVICE);
  expect((await new Browser(api.app, "203.0.113.9").accept(`#${made?.link.token}`)).status).toBe(200);
});

test("A8: a browser that has signed in before is slowed, too, and invented ones have no tokens of their own", async () => {
  const known = await owner();
  expect(await guess(known, 50)).toEqual({ 401: 10, 429: 40 });
  const attacker = new Browser(api.app, "192.0.2.66");
  let checked = 0;
  for (let index = 0; index < 50; index++) {
    attacker.cookies.set("trunkline_device", `tld_${"x".repeat(40)}${String(index).padStart(3, "0")}`);
    if ((await attacker.signIn(EMAIL, WRONG)).status === 401) checked += 1;
  }
  expect(checked).toBe(ATTEMPTS_PER_PAIR.capacity);
});

test("A8: a right password takes nothing of the limits", async () => {
  await owner();
  const browser = new Browser(api.app, "192.0.2.7");
  for (let count = 0; count < 100; count++) {
    browser.cookies.clear();
    expect((await browser.signIn(EMAIL)).status).toBe(200);
  }
});

test("A8: the address of a client is that of its connection, unless a trusted proxy names it", async () => {
  for (const [trustedProxies, isSlowed] of [
    [[], true],
    [["10.0.0.9"], false],
  ] as const) {
    const proxied = await apiUnderTest(undefined, { trustedProxies });
    const statuses = new Set<number>();
    for (let index = 0; index < 40; index++) {
      const client = new Browser(proxied.app, "10.0.0.9");
      const headers = { "x-forwarded-for": `192.0.2.${index}` };
      const body = { email: `user${index}@example.com`, password: WRONG };
      statuses.add((await client.request("POST", "sign-in", body, headers)).status);
    }
    expect(statuses.has(429)).toBe(isSlowed);
    await proxied.close();
  }
});

test("A8: an address is the same however it is written", () => {
  for (const addresses of [
    ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:192.0.2.1"],
    ["2001:db8::1", "2001:0db8:0:0::2", "2001:DB8:0:0:3::", "2001:db8:0:0:a:b:c:d", "2001:db8::1%eth0"],
    ["::1", "::2", "0:0:0:0:1:1:1:1"],
  ]) {
    const attempts = new Attempts(new ManualClock());
    for (let count = 0; count < ATTEMPTS_PER_PAIR.capacity; count++) attempts.begin(EMAIL, addresses[0] ?? "");
    for (const address of addresses) expect(() => attempts.begin(EMAIL, address)).toThrow(/too many attempts/);
    for (const other of ["192.0.2.2", "2001:db8:0:1::1"]) expect(() => attempts.begin(EMAIL, other)).not.toThrow();
  }
});

test("A8: however many emails and addresses guess, a bounded number is remembered", () => {
  const clock = new ManualClock();
  const attempts = new Attempts(clock);
  const begin = (index: number) =>
    attempts.begin(`user${index}@example.com`, `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);
  for (let index = 0; index < ATTEMPT_ENTRIES_MAX; index++) {
    begin(index);
    attempts.beginKnown(`device ${index}`);
  }
  expect(attempts.size).toBe(4 * ATTEMPT_ENTRIES_MAX);
  // Nothing is forgotten for another one, or guessing would begin anew.
  expect(() => begin(ATTEMPT_ENTRIES_MAX)).toThrow(/too many attempts/);
  expect(() => attempts.beginKnown("another device")).toThrow(/too many attempts/);
  clock.advance(ATTEMPTS_PER_PAIR.intervalMs);
  begin(ATTEMPT_ENTRIES_MAX);
  expect(attempts.size).toBeLessThanOrEqual(4 * ATTEMPT_ENTRIES_MAX);
});

test("A8: attempts that were not made leave nothing in memory, so they push no other attempt out", () => {
  const attempts = new Attempts(new ManualClock());
  for (let index = 0; index < 2 * ATTEMPT_ENTRIES_MAX; index++)
    attempts.begin(`user${index}@example.com`, "10.0.0.1").succeeded();
  expect(attempts.size).toBe(0);
});

test("unknown emails, people without a password and wrong passwords get the same answer, each after one hash", async () => {
  await owner();
  await api.stores.users.invite(
    { accountId: api.accountId, email: "new@example.com", name: "N", role: "viewer" },
    BY_SERVICE,
  );
  const hashed: (string | undefined)[] = [];
  const original = Passwords.prototype.matches;
  Passwords.prototype.matches = function (password, hash, hasher) {
    hashed.push(hash);
    return original.call(this, password, hash, hasher);
  };
  try {
    const answers = new Set<string>();
    for (const email of [EMAIL, "new@example.com", "unknown@example.com"]) {
      const { status, text, headers } = await new Browser(api.app, "192.0.2.8").signIn(email, WRONG);
      answers.add(`${status} ${text.replace(String(headers["x-request-id"]), "")} ${Object.keys(headers)}`);
    }
    expect(answers.size).toBe(1);
    expect(hashed).toEqual([expect.stringMatching(/^\$scrypt\$ln=4,r=8,p=1\$/), undefined, undefined]);
  } finally {
    Passwords.prototype.matches = original;
  }
});

const KNOWN = { lane: "known", name: "user_1" } as const;

test("a hash names its parameters, is salted, and is compared by the parameters in its text", async () => {
  const [weak, strong] = [new Passwords({ logN: 4 }), new Passwords({ logN: 5 })];
  const hash = await weak.hash(PASSWORD, KNOWN);
  expect(hash).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$[\w-]{22}\$[\w-]{43}$/);
  expect(await weak.hash(PASSWORD, KNOWN)).not.toBe(hash);
  expect(await strong.matches(PASSWORD, hash, KNOWN)).toBe(true);
  expect(await strong.matches(`${PASSWORD} `, hash, KNOWN)).toBe(false);
  expect(await strong.matches(PASSWORD, undefined, KNOWN)).toBe(false);
  // The same characters in another encoding.
  const composed = await weak.hash("caf\u00e9 caf\u00e9 caf\u00e9", KNOWN);
  expect(await weak.matches("cafe\u0301 cafe\u0301 cafe\u0301", composed, KNOWN)).toBe(true);
});

test("the service hashes with N = 2^17, r = 8, p = 1, and the event loop goes on meanwhile", async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const hash = await new Passwords().hash(PASSWORD, KNOWN);
  clearInterval(timer);
  expect(hash).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$/);
  expect(turns).toBeGreaterThan(1);
});

test("one password a lane is hashed at a time, a bounded number waits, and known people do not wait for guesses", async () => {
  const passwords = new Passwords({ logN: 10 });
  const guesses = Array.from({ length: 100 }, (_, index) =>
    passwords.matches(WRONG, undefined, { lane: "unknown", name: `address ${index}` }),
  );
  const outcomes = Promise.allSettled(guesses);
  // All of them wait or are refused already, and this one does not wait for them.
  const known = passwords.hash(PASSWORD, KNOWN).then(() => KNOWN);
  expect(await Promise.race([known, outcomes.then(() => "guesses")])).toBe(KNOWN);
  const refused = (await outcomes).filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(100 - PASSWORDS_WAITING_MAX - 1);
  expect(refused[0]).toMatchObject({ reason: { code: "overloaded", status: 503 } });
});

test("A8: one person cannot keep the others waiting: of one address, person or browser a few passwords are hashed at once", async () => {
  const passwords = new Passwords({ logN: 10 });
  const ofOne = Array.from({ length: 20 }, () => passwords.hash(PASSWORD, KNOWN));
  const another = passwords.hash(PASSWORD, { lane: "known", name: "user_2" });
  const refused = (await Promise.allSettled(ofOne)).filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(20 - PASSWORDS_OF_ONE_MAX);
  expect(refused[0]).toMatchObject({ reason: { code: "rate_limited", status: 429 } });
  expect(await another).toMatch(/^\$scrypt/);
  expect(await passwords.hash(PASSWORD, KNOWN)).toMatch(/^\$scrypt/);
});

test("L1: neither passwords, emails nor links are in the log, and each outcome is counted", async () => {
  const browser = await owner();
  await browser.signIn(EMAIL, WRONG);
  await browser.signIn(EMAIL);
  const text = api.logged.join("\n");
  expect(text).toContain("sign-in refused");
  for (const secret of [PASSWORD, WRONG, EMAIL, "tll_", "tls_", "tld_", browser.csrfToken])
    expect(text).not.toContain(secret);
  const exposition = await api.metrics.registry.metrics();
  for (const line of [/sign_ins_total\{outcome="signed_in".*\} 1/, /sign_ins_total\{outcome="refused".*\} 1/]) {
    expect(exposition).toMatch(line);
  }
});

import { describe, expect, test } from "vitest";
import { RawCaller } from "../../callers/raw-caller.ts";
import { MEDIA_SERVERS_HERE } from "../../support/services/media-servers.ts";
import { NEW_CALL, Service, until, withStores } from "../../support/services/service.ts";

describe.each(MEDIA_SERVERS_HERE)("with the media server %s", (mediaServer) => {
  interface Answer {
    status: number;
    code: string | undefined;
    retryAfter: string | null;
    websocketUrl: string;
  }

  /** Asks for a call with a key; what came of it. */
  async function create({ apiUrl }: Service, key: string): Promise<Answer> {
    const response = await fetch(`${apiUrl}/api/v1/calls`, {
      method: "POST",
      headers: { "X-API-Key": key, "Content-Type": "application/json" },
      body: JSON.stringify(NEW_CALL),
    });
    const body = (await response.json()) as { error?: { code: string }; websocketUrl?: string };
    const { status, headers } = response;
    return {
      status,
      code: body.error?.code,
      retryAfter: headers.get("retry-after"),
      websocketUrl: body.websocketUrl ?? "",
    };
  }

  const OVERLOADED = { status: 503, code: "overloaded", retryAfter: "5" };
  const RATE_LIMITED = { status: 429, code: "rate_limited", retryAfter: "5" };

  test("two workers of one call each take two calls, also while others are refused, and after the control process was replaced", async () => {
    const service = await Service.start({
      env: { MEDIA_SERVER: mediaServer, WORKERS: "2", CALLS_PER_WORKER: "1", CALLS_PER_API_KEY: "1" },
    });
    const [one, two, three] = await withStores(service.dataDir, async ({ apiKeys }, accountId) => {
      const make = async (name: string) => (await apiKeys.create({ accountId, name })).key;
      return [await make("one"), await make("two"), await make("three")] as const;
    });
    /** A machine that has other things to do makes loops lag, and then nothing is taken for some seconds. */
    const taken = async (key: string): Promise<string> =>
      await until("a call to be taken", 20_000, async () => (await create(service, key)).websocketUrl || undefined);
    const [first, second] = [await taken(one), await taken(two)];
    expect(await create(service, one)).toMatchObject(RATE_LIMITED);
    expect(await create(service, three)).toMatchObject(OVERLOADED);
    const ready = async () => (await service.fetch("GET", "/readyz")).status;
    expect(await ready()).toBe(503);

    await service.killChild("control");
    await until("the control process to be there again", 10_000, async () => {
      return await create(service, three)
        .then(({ code }) => code === "overloaded")
        .catch(() => false);
    });
    expect(await create(service, one)).toMatchObject(RATE_LIMITED);

    // Whichever worker they reach, a token in hand finds a slot; and then no port listens.
    const legs = [await RawCaller.connect(first), await RawCaller.connect(second)];
    expect(legs.map(({ status }) => status)).toEqual([101, 101]);
    expect(await create(service, three)).toMatchObject(OVERLOADED);
    legs[0]?.caller.ws.destroy();
    expect((await RawCaller.connect(await taken(three))).status).toBe(101);
    expect(await create(service, one)).toMatchObject(OVERLOADED);
    // K7: clients that come while the service drains get 503, also from workers that are full and had stopped listening.
    const answered = (): Promise<number | undefined> =>
      RawCaller.connect(second).then(
        ({ status }) => status,
        () => undefined,
      );
    await until("the port to close", 5_000, async () => (await answered()) === undefined);
    service.process.signal("SIGTERM");
    await until("a stream to be refused in words", 5_000, async () => (await answered()) === 503);
    await service.process.kill();
  }, 60_000);
});

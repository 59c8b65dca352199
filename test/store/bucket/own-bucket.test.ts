import { beforeEach, describe, expect, test } from "vitest";
import { unavailable } from "../../../src/core/errors.ts";
import type { Bucket } from "../../../src/store/bucket/bucket.ts";
import { MARKER_KEY, OwnBucket } from "../../../src/store/bucket/own-bucket.ts";
import type { BucketClaimStore } from "../../../src/store/bucket-claim-store.ts";
import { MemoryBucket } from "../../support/bucket/memory-bucket.ts";

/** The claim of a new database. */
class Claims implements BucketClaimStore {
  readonly #databaseId: string;
  isConfirmed = false;

  constructor(databaseId: string) {
    this.#databaseId = databaseId;
  }

  async claim() {
    return { databaseId: this.#databaseId, isConfirmed: this.isConfirmed };
  }

  find() {
    return this.claim();
  }

  async confirm() {
    this.isConfirmed = true;
  }
}

const BYTES = Uint8Array.of(1, 2, 3);

describe("a bucket that belongs to a database", () => {
  let shared: MemoryBucket;
  let claims: Claims;

  beforeEach(() => {
    shared = new MemoryBucket();
    claims = new Claims("first");
  });

  test("an empty bucket becomes that of the database, for all its nodes and after restarts", async () => {
    await new OwnBucket(shared, claims).put("journals/a/live/0", BYTES);
    expect(claims.isConfirmed).toBe(true);
    expect(await new OwnBucket(shared, claims).get("journals/a/live/0")).toEqual(BYTES);
  });

  test("a new database beside a full bucket is refused, and nothing is written", async () => {
    await new OwnBucket(shared, claims).put("journals/a/live/0", BYTES);
    const other = new OwnBucket(shared, new Claims("second"));
    await expect(other.check()).rejects.toMatchObject({ code: "wrong_bucket" });
    await expect(other.put("journals/b/live/0", BYTES)).rejects.toMatchObject({ code: "wrong_bucket" });
    await expect(other.delete(["journals/a/live/0"])).rejects.toMatchObject({ code: "wrong_bucket" });
    await expect(other.list("").next()).rejects.toMatchObject({ code: "wrong_bucket" });
    expect(await shared.bytesOf("journals/b/live/0")).toBeUndefined();
    expect(await shared.bytesOf("journals/a/live/0")).toBe(3);
  });

  test("a full database beside an empty bucket is refused, and the bucket is not marked", async () => {
    await new OwnBucket(shared, claims).check();
    const emptied = new MemoryBucket();
    await expect(new OwnBucket(emptied, claims).check()).rejects.toMatchObject({ code: "wrong_bucket" });
    expect(await emptied.get(MARKER_KEY)).toBeUndefined();
  });

  test("a bucket with journals and without a marker is refused", async () => {
    await shared.put("journals/a/live/0", BYTES);
    await expect(new OwnBucket(shared, claims).check()).rejects.toMatchObject({ code: "wrong_bucket" });
  });

  test("a marker that cannot be read is another's", async () => {
    await shared.put(MARKER_KEY, Buffer.from("not JSON"));
    await expect(new OwnBucket(shared, claims).check()).rejects.toMatchObject({ code: "wrong_bucket" });
  });

  test("a start that died between the claim and the marker is completed by the next", async () => {
    const dying: Pick<Bucket, "put"> = {
      put: async () => {
        throw unavailable("the process died");
      },
    };
    const broken = Object.assign(Object.create(shared) as Bucket, dying, {
      get: shared.get.bind(shared),
      list: shared.list.bind(shared),
    });
    await expect(new OwnBucket(broken, claims).check()).rejects.toMatchObject({ code: "unavailable" });
    await new OwnBucket(shared, claims).check();
    expect(claims.isConfirmed).toBe(true);
  });

  test("a bucket that was away is asked again", async () => {
    let isAway = true;
    const away = Object.assign(Object.create(shared) as Bucket, {
      get: async (key: string) => {
        if (isAway) throw unavailable("the bucket is away");
        return await shared.get(key);
      },
      put: shared.put.bind(shared),
      list: shared.list.bind(shared),
    });
    const own = new OwnBucket(away, claims);
    await expect(own.get("x")).rejects.toMatchObject({ code: "unavailable" });
    isAway = false;
    expect(await own.get("x")).toBeUndefined();
  });
});

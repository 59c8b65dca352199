import { readBucketConfig } from "../../config/environment.ts";
import type { Bucket } from "../../store/bucket/bucket.ts";
import { OwnBucket } from "../../store/bucket/own-bucket.ts";
import { S3Bucket } from "../../store/bucket/s3.ts";
import type { Stores } from "../../store/stores.ts";

/**
 * Opens the bucket of this command's environment; undefined where none is configured. Rejects where the configuration is wrong, where the
 * bucket belongs to another database, and where it does not answer: no command works without what it has.
 */
export async function openBucket({ bucketClaims }: Pick<Stores, "bucketClaims">): Promise<Bucket | undefined> {
  const config = readBucketConfig();
  if (config === undefined) {
    const claim = await bucketClaims.find();
    if (claim?.isConfirmed !== true) return undefined;
    throw new Error(
      "this database has a bucket, and BUCKET_URL is not set: run the command with the service's variables",
    );
  }
  const bucket = new OwnBucket(new S3Bucket(config), bucketClaims);
  await bucket.check();
  return bucket;
}

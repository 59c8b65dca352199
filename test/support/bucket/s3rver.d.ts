/** The part of s3rver, which has no types, that the tests use. */
declare module "@20minutes/s3rver" {
  import type { RequestListener } from "node:http";

  class S3rver {
    constructor(options: {
      directory: string;
      silent: boolean;
      allowMismatchedSignatures?: boolean;
      configureBuckets: readonly { name: string; configs: readonly string[] }[];
    });
    configureBuckets(): Promise<unknown>;
    callback(): RequestListener;
  }
  export = S3rver;
}

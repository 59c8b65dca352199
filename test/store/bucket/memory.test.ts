import { bucketContract } from "../../contract/bucket/bucket.ts";
import { MemoryBucket } from "../../support/bucket/memory-bucket.ts";

bucketContract({ name: "in memory", open: async () => ({ bucket: new MemoryBucket(), close: async () => {} }) });

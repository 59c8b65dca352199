import { MemoryBucket } from "../../../src/store/bucket/memory.ts";
import { bucketContract } from "../../contract/bucket/bucket.ts";

bucketContract({ name: "in memory", open: async () => ({ bucket: new MemoryBucket(), close: async () => {} }) });

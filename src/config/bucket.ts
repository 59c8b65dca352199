import type { BucketSettings } from "../store/bucket/s3.ts";
import type { VariableReader } from "./variables/reader.ts";

const FORMAT = "https://s3.example.com/trunkline";
const CREDENTIALS = ["BUCKET_ACCESS_KEY_ID", "BUCKET_SECRET_ACCESS_KEY"] as const;

/** The S3-compatible bucket of the service, with its secret. */
export interface BucketConfig extends BucketSettings {
  /** How often the journals of live calls are shipped. */
  segmentS: number;
}

/** Reads the variables of the bucket; undefined where BUCKET_URL is not set. No problem shows a credential. */
export function readBucket({ text, integer }: VariableReader, problems: string[]): BucketConfig | undefined {
  const url = text("BUCKET_URL", "").replace(/\/+$/, "");
  const region = text("BUCKET_REGION");
  const segmentS = integer("BUCKET_SEGMENT_S");
  const [accessKeyId, secretAccessKey] = CREDENTIALS.map((name) => text(name, "")) as [string, string];
  if (url === "") {
    const given = CREDENTIALS.filter((name) => text(name, "") !== "");
    if (given.length > 0) problems.push(`BUCKET_URL must be set together with ${given.join(" and ")}`);
    return undefined;
  }
  if (!isBucketUrl(url))
    problems.push(
      `BUCKET_URL must be the address of a bucket of an S3-compatible store, such as ${FORMAT}, without credentials or a query`,
    );
  for (const name of CREDENTIALS)
    if (text(name, "") === "") problems.push(`${name} must be set together with BUCKET_URL`);
  return { url, region, accessKeyId, secretAccessKey, segmentS };
}

/** The bucket is the path, or the first label of a host name with three or more. */
function isBucketUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, hostname, search, hash, username, password } = new URL(text);
  if ((protocol !== "https:" && protocol !== "http:") || `${search}${hash}${username}${password}` !== "") return false;
  const segments = pathname.split("/").filter((segment) => segment !== "");
  if (segments.length === 0) return /^[^.:\d][^.:]*(\.[^.:]+){2,}$/.test(hostname);
  return segments.length === 1;
}

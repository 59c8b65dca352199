import { asNodeName, type NodeName } from "../core/ids.ts";
import { isAddress, redactedAddress } from "./network/addresses.ts";
import type { VariableReader } from "./variables/reader.ts";

/** How this node takes part in a cluster: nodes that share one Postgres database. */
export interface ClusterSettings {
  name: NodeName;
  /** Where streams reach this node alone, without slashes at its end; undefined where all nodes have one address. */
  mediaUrl: string | undefined;
  /** Where the other nodes reach the media port of this one, without slashes at its end; undefined where they cannot. */
  relayUrl: string | undefined;
}

/** What a name may have: it is a label of metrics, and often the name of a host. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Reads NODE_NAME and the addresses of the node; undefined for a service that is alone on its database. */
export function readCluster(
  { text }: Pick<VariableReader, "text">,
  {
    databaseUrl,
    secretsKey,
    hasBucket,
  }: { databaseUrl: string | undefined; secretsKey: string | undefined; hasBucket: boolean },
  problems: string[],
): ClusterSettings | undefined {
  const name = text("NODE_NAME", "").trim();
  const [mediaUrl, relayUrl] = (["NODE_MEDIA_URL", "NODE_RELAY_URL"] as const).map((variable) => {
    const url = text(variable, "").replace(/\/+$/, "");
    if (url === "") return undefined;
    if (!isAddress(url, ["ws:", "wss:"])) {
      problems.push(
        `${variable} must be a ws:// or wss:// address without a query or a password, not ${redactedAddress(url)}`,
      );
    }
    if (name === "") problems.push(`${variable} must be set together with NODE_NAME: it is the address of a node`);
    return url;
  });
  if (name === "") return undefined;
  if (!NAME.test(name)) {
    problems.push(
      "NODE_NAME must have at most 63 letters, digits, dots, hyphens and underscores, the first of them a letter or a digit",
    );
  }
  if (databaseUrl === undefined)
    problems.push("NODE_NAME must be set together with DATABASE_URL: nodes share a Postgres database");
  if (secretsKey === undefined)
    problems.push("NODE_NAME must be set together with SECRETS_KEY: it must be the same at all nodes");
  if (!hasBucket)
    problems.push(
      "NODE_NAME must be set together with BUCKET_URL: another node records the calls of one that is gone from it",
    );
  return { name: asNodeName(name), mediaUrl, relayUrl };
}

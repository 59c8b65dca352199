const FORMAT = "postgres://user:password@host:5432/database";

/** Reads DATABASE_URL; undefined unless set. A problem never shows the value, which holds a password. */
export function readDatabaseUrl(
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): string | undefined {
  const text = env.DATABASE_URL?.trim() ?? "";
  if (text === "") return undefined;
  if (!isDatabaseUrl(text)) problems.push(`DATABASE_URL must be the address of a Postgres database, such as ${FORMAT}`);
  return text;
}

function isDatabaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname } = new URL(text);
  return (protocol === "postgres:" || protocol === "postgresql:") && pathname.length > 1;
}

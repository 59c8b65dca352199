import "../core/runtime/node-version.ts";
import { readStorePlace } from "../config/environment.ts";
import { readAdminCommand } from "./admin/arguments.ts";
import { pacedOutput } from "./admin/output.ts";
import { runCommand } from "./command.ts";

const HELP = `Administers the service, on the machine or in the container where it runs.

  npm run admin -- roll                 replace the media workers one by one, without losing calls or streams
  npm run admin -- drain                take no new calls, and end when the calls have ended, after DRAIN_MS at the latest
  npm run admin -- jobs                 count the background jobs by kind and status; also while the service runs, as all of these
  npm run admin -- jobs list            list them, newest first
  npm run admin -- jobs replay <id>...  attempt dead jobs again; with --kind all dead ones of a kind
  npm run admin -- jobs cancel <id>...  delete jobs that are not done yet
  npm run admin -- prune                delete now what RETENTION would delete within the hour
  npm run admin -- prune --dry-run      show what would be deleted, and delete nothing
  npm run admin -- clean-bucket         delete from the bucket what belongs to no call, transcription or document; after a restore, recover first
  npm run admin -- clean-bucket --dry-run     show what would be deleted
  npm run admin -- export <file>        write everything that the database has to a new file, also while the service runs
  npm run admin -- import <file>        read such a file into an empty database, SQLite or Postgres; the service must not run
  npm run admin -- backup <folder>      copy database, files and keys into a new folder, also while the service runs; not what the bucket has
  npm run admin -- restore <folder>     put such a copy into an empty data directory and database; the service must not run
  npm run admin -- recover              make the records of journals that have none, on this disk and in the bucket; the service must not run, nor any node
  npm run admin -- recover --dry-run    show what would be made
  npm run admin -- owner-link           print a link that opens the page /talk once, within 15 minutes, to try a prompt there
  npm run admin -- media-key <call id>  print the key of an encrypted journal, which npm run replay reads from MEDIA_KEY
  npm run admin -- rotate-secrets-key   seal secrets with a new key from the next start on; earlier keys still open theirs
  npm run admin -- rotate-token-key     sign new stream tokens with a new key; tokens of the previous key stay valid until the next rotation
  npm run admin -- forget-secrets       replace webhook secrets whose key is lost and disable their webhooks; the service must not run
  npm run admin -- forget-secrets --dry-run   show which they are

  --data-dir <path>                     the service's data directory, instead of DATA_DIR
  --status <status>                     with jobs list: only jobs that are pending, running or dead
  --kind <kind>                         with jobs list and jobs replay: only jobs of this kind
  --limit <number>                      with jobs list: at most so many, 50 by default

Commands read DATABASE_URL, prune RETENTION, backup, clean-bucket, prune and recover BUCKET_URL with its credentials, and forget-secrets, media-key and recover SECRETS_KEY, from their own environment: run them with the service's.

The exit code is 0 on success, 1 on failure, 2 for a usage error.
`;

async function run(args: readonly string[]): Promise<number> {
  const { work, dataDir } = readAdminCommand(args);
  const place = readStorePlace();
  await work(
    { ...place, dataDir: dataDir ?? place.dataDir },
    pacedOutput((line) => process.stdout.write(`${line}\n`)),
  );
  return 0;
}

/** An example for the command in the arguments, at any position. */
const example = (args: readonly string[]): string =>
  args.includes("jobs") ? "npm run admin -- jobs list --status dead" : "npm run admin -- roll";

await runCommand({ help: HELP, example, run });

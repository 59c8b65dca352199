import { TOKEN_KEY_POLL_MS } from "../../core/limits/service/admission.ts";
import { openDataDir } from "../../store/data-dir/data-dir.ts";
import { rotateTokenKeys } from "../../store/data-dir/token-keys.ts";
import { rotateSecretsKey } from "../../store/sealing/secrets-key.ts";

type Say = (line: string) => void;

/** Works without a running service, too. Throws when the folder or the file cannot be used. */
export function rotateSecrets(dataDir: string, say: Say): void {
  openDataDir(dataDir);
  const { id } = rotateSecretsKey(dataDir);
  say(
    `secrets key ${id} made: a service that is started from now on seals with it, and seals again what is sealed with earlier keys`,
  );
}

/** Works without a running service, too. Throws when the folder cannot be used. */
export function rotateTokenKey(dataDir: string, say: Say): void {
  openDataDir(dataDir);
  rotateTokenKeys(dataDir);
  say(`token key rotated: a running service signs new tokens with it within ${(2 * TOKEN_KEY_POLL_MS) / 1_000} s`);
}

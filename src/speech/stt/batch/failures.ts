import { providerFailed, TrunklineError } from "../../../core/errors.ts";
import { connectionErrorCode } from "../../../core/network/connection-error.ts";

/**
 * Resolves as `work` does. It rejects with the reason of `signal` after an abort, and with `provider_failed` for a failed connection,
 * whose own text has an address.
 */
export async function withProviderFailures<T>(
  provider: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  try {
    const result = await work();
    signal.throwIfAborted();
    return result;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TrunklineError) throw error;
    const code = connectionErrorCode(error);
    // An error without a code is a defect of ours.
    if (code === undefined) throw error;
    throw providerFailed(provider, `the request failed (${code})`);
  }
}

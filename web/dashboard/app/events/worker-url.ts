/** Makes a value of the types that a content policy trusts; browsers without such policies have none. */
interface TrustedTypes {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (input: string) => string },
  ) => { createScriptURL: (input: string) => unknown };
}

/**
 * Returns what gives the address of a worker. The content policy of the page lets only this policy make it, and lets the page make
 * the policy once.
 */
export function trustedWorkerUrl(
  address: string,
  policies = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes,
): () => string {
  let made: string | undefined;
  const make = (): string => {
    if (policies === undefined) return address;
    const policy = policies.createPolicy("trunkline-worker", { createScriptURL: () => address });
    // The constructor of a worker takes it in place of a text.
    return policy.createScriptURL("") as string;
  };
  return () => {
    made ??= make();
    return made;
  };
}

import type { UserStore } from "../../store/users/user-store.ts";

/**
 * Whether the service has an owner, who has a password. Once true it stays so, as no account loses its last owner: so the
 * pages are served also while the store does not answer.
 */
export class OwnerKnown {
  readonly #users: Pick<UserStore, "ownerExists">;
  #exists = false;

  constructor(users: Pick<UserStore, "ownerExists">) {
    this.#users = users;
  }

  /** Rejects with the store's errors until there is an owner. */
  async exists(): Promise<boolean> {
    this.#exists ||= await this.#users.ownerExists();
    return this.#exists;
  }
}

import { CALLS, SESSION_BASE } from "./addresses.ts";
import { FIRST_PAGE_ROWS } from "./first-page.ts";

/** What the service has the browser ask for with the document of a page, by the page's address: as `src/api/dashboard/routes.ts` has it. */
const EARLY: Readonly<Record<string, string>> = {
  [CALLS]: `${SESSION_BASE}/api/v1/calls?limit=${FIRST_PAGE_ROWS}`,
};

/**
 * Says of the requests of a page which one the browser has sent already, with its document. That one must carry no header, and so no
 * token: otherwise the browser sends it again. It is taken once, by what the page loads first.
 */
export class EarlyRequest {
  #address: string | undefined;

  constructor({ pathname, search }: Pick<Location, "pathname" | "search">) {
    this.#address = search === "" ? EARLY[pathname] : undefined;
  }

  /** Whether it is this request, which is then no longer early. */
  take(address: string, method: string): boolean {
    if (method !== "GET" || address !== this.#address) return false;
    this.#address = undefined;
    return true;
  }
}

import { element, setText } from "../ui/elements.ts";
import { createOwner, type OwnerPage } from "./service.ts";

/** As the service has it: see PASSWORD_CHARS_MIN. */
const PASSWORD_CHARS_MIN = 12;
const HOME = "/";

/** The form that makes the first owner of the service, who is signed in by it and goes on to the dashboard. */
export class OwnerView {
  readonly element: HTMLFormElement;
  readonly #owner: OwnerPage;
  readonly #problem = element("p", { class: "problem", role: "alert" });
  readonly #email = element("input", { id: "owner-email", type: "email", autocomplete: "username", required: true });
  readonly #password = password("owner-password");
  readonly #again = password("owner-again");

  constructor(owner: OwnerPage) {
    this.#owner = owner;
    this.element = element(
      "form",
      { class: "card setup", "aria-labelledby": "owner-title" },
      element("h2", { id: "owner-title" }, "Create the owner"),
      element("p", {}, "The owner signs in to the dashboard, and invites others there. Until then it is closed."),
      field("owner-email", "Email", this.#email),
      field("owner-password", `Password, at least ${PASSWORD_CHARS_MIN} characters`, this.#password),
      field("owner-again", "The same again", this.#again),
      this.#problem,
      element("div", { class: "actions" }, element("button", { class: "primary" }, "Create the owner")),
    );
    this.element.addEventListener("submit", (event) => void this.#submit(event));
  }

  async #submit(event: Event): Promise<void> {
    event.preventDefault();
    if (this.#password.value !== this.#again.value) {
      setText(this.#problem, "The two passwords differ.");
      return;
    }
    setText(this.#problem, "");
    try {
      await createOwner(this.#owner, this.#email.value, this.#password.value);
      location.assign(HOME);
    } catch (error) {
      setText(this.#problem, (error as Error).message);
    }
  }
}

const password = (id: string): HTMLInputElement =>
  element("input", {
    id,
    type: "password",
    autocomplete: "new-password",
    minlength: PASSWORD_CHARS_MIN,
    required: true,
  });

const field = (id: string, label: string, control: HTMLElement): HTMLElement =>
  element("div", { class: "field" }, element("label", { for: id }, label), control);

import { TrunklineCall, TrunklineCallError } from "../sdk/src/index.ts";
import { element } from "../ui/elements.ts";
import { WORKLET_URL } from "../ui/worklet-url.ts";
import { CallView } from "./call-view.ts";
import { OwnerView } from "./owner-view.ts";
import { currentPage, type OwnerPage, openLink, ServiceError } from "./service.ts";
import { SetupView, type Wish } from "./setup-view.ts";

/** What the address says: an owner link, or an agent and a publishable key. */
const given = location.hash.slice(1);
const parameters = new URLSearchParams(location.hash.includes("=") ? given : location.search);
// A link leaves the address at once, so that neither the history nor a picture of the screen has it.
if (given !== "") history.replaceState(null, "", location.pathname);

const main = element("main");
const fault = element("p", { class: "problem", role: "alert" });

async function start(): Promise<void> {
  document
    .querySelector("#page")
    ?.replaceChildren(
      element("header", {}, element("p", { class: "brand" }, "Trunkline"), element("h1", {}, "Talk to an agent")),
      fault,
      main,
    );
  const owner = await openPage();
  const options = { agentId: parameters.get("agent") ?? "", publishableKey: parameters.get("key") ?? "" };
  const setup = new SetupView({ owner, ...options, onWish: (wish) => void call(wish, setup) });
  main.replaceChildren(setup.element);
  if (owner?.hasOwner === false) main.before(new OwnerView(owner).element);
}

async function openPage(): Promise<OwnerPage | undefined> {
  try {
    return given.startsWith("tlo_") ? await openLink(given) : await currentPage();
  } catch (error) {
    fault.textContent = error instanceof Error ? error.message : String(error);
    // A link that was opened twice in this browser has opened the page already.
    return await currentPage().catch(() => undefined);
  }
}

/** Carries a call. One that does not start shows the form again, with the reason. */
async function call({ source, microphone }: Wish, setup: SetupView): Promise<void> {
  fault.textContent = "";
  const started = new TrunklineCall(source, { microphone, workletUrl: WORKLET_URL });
  const again = (): void => main.replaceChildren(setup.element);
  const view = new CallView({ call: started, microphone, onAgain: again });
  main.replaceChildren(view.element);
  try {
    await started.start();
    view.focus();
  } catch (error) {
    if (started.state === "ended") return;
    again();
    setup.showProblem(reasonOf(error));
  }
}

/** What the service said is more exact than what the SDK makes of it. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  if (cause instanceof ServiceError) return cause.message;
  const said = (cause as { message?: unknown } | undefined)?.message;
  const isOfKey = error instanceof TrunklineCallError && error.code === "forbidden" && typeof said === "string";
  return isOfKey ? `${message} The service says: ${said}.` : message;
}

void start();

import { TrunklineAgent } from "./element.ts";

// A page may load the widget twice, as by two of its plugins.
if (customElements.get("trunkline-agent") === undefined) customElements.define("trunkline-agent", TrunklineAgent);

export { TrunklineAgent };

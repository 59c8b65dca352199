import type { TrunklineCall } from "../sdk/src/index.ts";
import type { Device } from "../sdk/src/types.ts";
import { element } from "../ui/elements.ts";

/** Lets the person choose a microphone, and a loudspeaker where the browser lets pages choose. */
export async function fillDevices(details: HTMLDetailsElement, call: TrunklineCall): Promise<void> {
  const { inputs, outputs } = await call.listDevices();
  for (const field of details.querySelectorAll(".field")) field.remove();
  const add = (id: string, label: string, devices: readonly Device[], use: (id: string) => Promise<void>): void => {
    if (devices.length < 2) return;
    const options = devices.map((device, at) =>
      element("option", { value: device.id }, device.label || `${label} ${at + 1}`),
    );
    const select = element("select", { id }, ...options);
    // What does not work is an event `error` of the call, which the page shows.
    select.addEventListener("change", () => void use(select.value).catch(() => {}));
    details.append(element("div", { class: "field" }, element("label", { for: id }, label), select));
  };
  add("microphone", "Microphone", inputs, (id) => call.setInputDevice(id));
  add("loudspeaker", "Loudspeaker", outputs, (id) => call.setOutputDevice(id));
  details.hidden = details.querySelector(".field") === null;
}

import { beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "../../support/network/chromium.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";
import { inDashboard, makePerson, type Person } from "../../support/web/dashboard.ts";
import { press } from "../../support/web/keyboard.ts";

const OTHER_PASSWORD = "another long sentence";

let service: Service;
let owner: Person;
beforeAll(async () => {
  if (!hasChromium) return;
  service = await Service.start();
  owner = await makePerson(service);
});

/** A request of another browser, as its pages send it. */
const post = (path: string, body: object): Promise<Response> =>
  fetch(`${service.apiUrl}/dashboard/session/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

describe.skipIf(!hasChromium)("people and roles", { retry: ifMachineStalled, timeout: 120_000 }, () => {
  test("an owner invites a person, who accepts; gives them another role, and removes them", async () => {
    const faults: Record<string, string[]> = {};
    const { errors } = await inDashboard(service, "people", owner, async (tab) => {
      const people = tab.getByRole("table", { name: "People" });
      await people.getByText("owner@example.com").waitFor();
      await tab.getByText("The account has one owner with a password.").waitFor();
      await press(people.getByRole("button", { name: "Actions of Kim owner" }));
      expect(await tab.getByRole("menuitem").allTextContents()).toEqual(["Change", "Reset the password"]);
      await tab.keyboard.press("Escape");

      await press(tab.getByRole("button", { name: "Invite a person" }));
      await tab.getByLabel("Email").fill("robin@example.com");
      await tab.getByLabel("Name").fill("Robin <b>Miller</b>");
      faults.invite = await accessibilityFaults(tab);
      await tab.keyboard.press("Enter");
      const made = tab.getByRole("dialog", { name: "The link of the invitation" });
      const link = await made.getByRole("textbox").inputValue();
      faults.link = await accessibilityFaults(tab);
      await press(made.getByRole("button", { name: "Done" }));
      await people.getByText(/^.invited$/).waitFor();
      const accepted = await post("accept", { token: link.split("#")[1], password: OTHER_PASSWORD });
      expect(accepted.status).toBe(200);
      const cookie = accepted.headers
        .getSetCookie()
        .map((one) => one.split(";")[0])
        .join("; ");
      const statusOfRobin = async (): Promise<number> =>
        (await fetch(`${service.apiUrl}/dashboard/session/me`, { headers: { cookie } })).status;
      expect(await statusOfRobin()).toBe(200);

      await tab.reload();
      const robin = people.getByRole("row").filter({ hasText: "robin@example.com" });
      await robin.getByText("active").waitFor();
      faults.list = await accessibilityFaults(tab);
      await press(robin.getByRole("button", { name: /^Actions of Robin/ }));
      await press(tab.getByRole("menuitem", { name: "Change" }));
      await tab.getByLabel("Role", { exact: true }).last().selectOption("viewer");
      await press(tab.getByRole("button", { name: "Save" }));
      await robin.getByText("viewer").waitFor();
      await press(robin.getByRole("button", { name: /^Actions of Robin/ }));
      await press(tab.getByRole("menuitem", { name: "Remove" }));
      faults.remove = await accessibilityFaults(tab);
      await press(tab.getByRole("button", { name: "Remove", exact: true }));
      await robin.waitFor({ state: "detached" });
      expect(await statusOfRobin()).toBe(401);
    });
    expect(faults).toEqual({ invite: [], link: [], list: [], remove: [] });
    expect(errors.filter((text) => !text.includes("401"))).toEqual([]);
  });

  test("a person signs out their other sessions and changes their password", async () => {
    const editor = await makePerson(service, "editor");
    const faults: Record<string, string[]> = {};
    await inDashboard(service, "people", editor, async (tab) => {
      await tab.getByText("An owner of the account sees its people here").waitFor();
      const sessions = tab.getByRole("table", { name: "Your sessions" });
      await sessions.getByText("another browser").waitFor();
      faults.account = await accessibilityFaults(tab);
      await press(tab.getByRole("button", { name: "Sign out the others" }));
      await press(tab.getByRole("dialog").getByRole("button", { name: "Sign out the others" }));
      await tab.getByText("Your other sessions have ended.").waitFor();
      await sessions.getByText("another browser").waitFor({ state: "detached" });

      await press(tab.getByRole("button", { name: "Change your password" }));
      await tab.getByLabel("Present password").fill("not the password at all");
      await tab.getByLabel("New password", { exact: true }).fill(OTHER_PASSWORD);
      await tab.getByLabel("New password again").fill("something else");
      await tab.getByText("The two passwords differ.").waitFor();
      faults.password = await accessibilityFaults(tab);
      await tab.getByLabel("New password again").fill(OTHER_PASSWORD);
      await tab.keyboard.press("Enter");
      await tab.getByRole("dialog").getByRole("alert").getByText("unauthorized").waitFor();
      await tab.getByLabel("Present password").fill(editor.password);
      await tab.keyboard.press("Enter");
      await tab.getByText("The password is changed").waitFor();
      const { email } = editor;
      expect((await post("sign-in", { email, password: editor.password })).status).toBe(401);
      expect((await post("sign-in", { email, password: OTHER_PASSWORD })).status).toBe(200);
    });
    expect(faults).toEqual({ account: [], password: [] });
  });

  test("the page fits a telephone", async () => {
    await inDashboard(
      service,
      "people",
      owner,
      async (tab) => {
        await tab.getByRole("table", { name: "People" }).waitFor();
        await tab.getByRole("table", { name: "Your sessions" }).waitFor();
        expect(await tab.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
        expect(await accessibilityFaults(tab)).toEqual([]);
      },
      { viewport: { width: 390, height: 844 } },
    );
  });
});

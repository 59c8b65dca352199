import { readdirSync } from "node:fs";
import type { TelephonyUnderTest } from "./telephony-under-test.ts";

/** The module `telephony-subject.ts` in the folder of a carrier's tests. */
interface SubjectModule {
  telephonySubject: TelephonyUnderTest;
}

const folders = readdirSync(new URL("../../carriers", import.meta.url), { withFileTypes: true });
const modules: readonly SubjectModule[] = await Promise.all(
  folders
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => import(`../../carriers/${name}/telephony-subject.ts`)),
);

/** The telephony of all carriers. */
export const telephonyUnderTest = (): TelephonyUnderTest[] => modules.map(({ telephonySubject }) => telephonySubject);

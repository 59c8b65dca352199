/** Name and version for journals and reports. A test compares it with package.json. */
export const SOFTWARE = "trunkline/0.1.0";

/** The ICU version, which segments words of scripts without spaces: that of another Node may segment differently. */
export const ICU = process.versions.icu ?? "none";

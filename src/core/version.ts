/** Name and version, as journals and reports carry them. A test holds it equal to package.json. */
export const SOFTWARE = "trunkline/0.1.0";

/** Which ICU tells words of scripts without blanks apart: another one, of another Node, may do so otherwise. */
export const ICU = process.versions.icu ?? "none";

/** Name and version, as journals and reports carry them. A test holds it equal to package.json. */
export const SOFTWARE = "trunkline/0.1.0";

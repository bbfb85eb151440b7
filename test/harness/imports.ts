/** Finds the modules that a source or a compiled module names. */

/** `import … from`, `export … from`, `import()`, `require()`, and `import` alone. */
const NAMED =
  /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|\brequire\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g

/** Returns the names of the modules as they are written, each as often as it is named. */
export const importsOf = (text: string): string[] =>
  [...text.matchAll(NAMED)].flatMap((match) => match.slice(1).filter((name): name is string => name !== undefined))

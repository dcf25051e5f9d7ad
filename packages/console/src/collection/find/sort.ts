/** `['-year', 'title']`, as the address has it, as the sort of a query: `{year: -1, title: 1}`. */
export function sortObject(names: readonly string[]): Readonly<Record<string, 1 | -1>> {
  return Object.fromEntries(names.map(name => (name.startsWith('-') ? [name.slice(1), -1] : [name, 1])));
}

/** The sort of a query as the address has it. */
export function sortNames(sort: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(sort).map(([name, direction]) => (direction === -1 ? `-${name}` : name));
}

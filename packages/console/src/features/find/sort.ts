/** The sort of a query, `{year: -1, title: 1}`, as the address has it: `['-year', 'title']`. */
export function sortNames(sort: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(sort).map(([name, direction]) => (direction === -1 ? `-${name}` : name));
}

/** Schema that holds an organization's records, audit log and counters; made by `create_org_schema`. */
export function orgSchema(orgId: string): string {
  return `org_${compact(orgId)}`;
}

/** Qualified name of a collection's table. Ids only: the user's text never becomes a name. */
export function collectionTable(orgId: string, collectionId: string): string {
  return `${orgSchema(orgId)}.c_${compact(collectionId)}`;
}

function compact(id: string): string {
  const hex = id.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(hex)) throw new Error('expects a uuid');
  return hex;
}

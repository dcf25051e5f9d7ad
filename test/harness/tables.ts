/** The schema in the database that has the tables of an organization, for checks of data that no client can read. */
export function schemaOf(orgId: string): string {
  return `org_${withoutDashes(orgId)}`;
}

/** The table with the records of a collection, qualified with its schema. */
export function tableOf(orgId: string, collectionId: string): string {
  return `${schemaOf(orgId)}.c_${withoutDashes(collectionId)}`;
}

/** The table with the versions of the records of a collection, qualified with its schema. */
export function versionsOf(orgId: string, collectionId: string): string {
  return `${schemaOf(orgId)}.h_${withoutDashes(collectionId)}`;
}

function withoutDashes(id: string): string {
  return id.replaceAll('-', '');
}

/** What runs SQL inside the caller's transaction; TypeORM's EntityManager and QueryRunner are such. */
export interface Queryable {
  // biome-ignore lint/suspicious/noExplicitAny: rows are whatever the statement selects
  query(text: string, values?: any[]): Promise<any>;
}

import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Home,
  insert,
  newHome,
  newTypedCollection,
  type TestCollection,
} from '../../harness/collection.js';

/** A collection with one record, which wrong requests must not change. */
export interface Books {
  readonly app: TestApp;
  readonly home: Home;
  readonly books: TestCollection;
  /** The id of the record. */
  readonly id: string;
}

/** Makes the collection on the shared app, in an organization of its own. */
export async function booksWith(record: object): Promise<Books> {
  const app = await startApp();
  const home = await newHome(app);
  const books = await newTypedCollection(app, home);
  const [id] = (await insert(app, books, record)) as [string];
  return { app, home, books, id };
}

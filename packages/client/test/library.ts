import { type Client, type ClientOptions, createClient, type NetworkError } from '@typed-collections/client';
import { startApp, type TestApp } from '../../../test/harness/app.js';
import { newCollection, newHome, type TestCollection } from '../../../test/harness/collection.js';
import { newKey } from '../../../test/scenarios/orgs/org.js';

/** The schema of the tests, as `tcol types` would write it. */
interface Library {
  books: {
    columns: {
      title: { type: 'text'; nullable: false };
      year: { type: 'integer'; nullable: true };
      tags: { type: 'array'; nullable: true };
      isbn: { type: 'text'; nullable: true };
    };
    flexible: { shelf: { type: 'integer'; nullable: true } };
  };
}

export interface TestLibrary {
  readonly app: TestApp;
  readonly key: string;
  /** The collection `books`, empty. */
  readonly collection: TestCollection;
  readonly client: Client<Library>;
  readonly books: ReturnType<Client<Library>['collection']>;
  /** Another client of the same organization. */
  connect(options?: ClientOptions): Client<Library>;
}

/** An organization with an empty collection `books`, and a client with a key. */
export async function newLibrary(app?: TestApp): Promise<TestLibrary> {
  const service = app ?? (await startApp());
  const home = await newHome(service);
  const collection = await newCollection(service, home, {
    name: 'books',
    properties: {
      title: { type: 'text', nullable: false },
      year: { type: 'integer' },
      tags: { type: 'array' },
      isbn: { type: 'text' },
    },
    uniques: [{ properties: ['isbn'] }],
    settings: { max_records: 1_000_000 },
  });
  const { apiKey: key } = await newKey(service, home.org);
  const connect = (options: ClientOptions = {}) =>
    createClient<Library>({ url: service.url, key, ...options });
  const client = connect();
  return { app: service, key, collection, client, books: client.collection('books'), connect };
}

/** The error that a promise is rejected with. Fails if it is not rejected. */
export async function failureOf(promise: PromiseLike<unknown>): Promise<NetworkError> {
  try {
    await promise;
  } catch (error) {
    return error as NetworkError;
  }
  throw new Error('expected a failure');
}

/** Books with the years from 1 on. */
export function booksOf(count: number) {
  return Array.from({ length: count }, (_, index) => ({ title: `Book ${index + 1}`, year: index + 1 }));
}

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { failureOf, newLibrary } from './library.js';

/** Parts of `$push` and `$addToSet`. */
const MODIFIERS = ['$each', '$position', '$slice', '$sort'];

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** The operators that the interfaces in a file have. */
const operatorsIn = (source: string): string[] => [
  ...new Set([...source.matchAll(/^ {2}(\$\w+)\?:/gm)].map(([, name]) => name as string)),
];

it('the types of filters have exactly the operators of the service', async () => {
  const { client } = await newLibrary();
  const books = client.collection('books').loose();
  const { message } = await failureOf(books.find({ title: { $unknown: 1 } as object }).first());
  // The message lists all operators.
  const known = (message.match(/\$\w+/g) ?? []).filter(name => name !== '$unknown');
  // $options is a part of $regex; $not stands in a type that all conditions share.
  const typed = [...operatorsIn(read('src/types/filter.ts')), '$not'].filter(name => name !== '$options');
  expect(new Set(typed)).toEqual(new Set(known));
});

it('the types of updates have exactly the operators of the service', async () => {
  const { client } = await newLibrary();
  const books = client.collection('books').loose();
  const { ids } = await books.insert({ title: 'Emma' });
  const typed = operatorsIn(read('src/types/update.ts')).filter(name => !MODIFIERS.includes(name));
  const use = (name: string) =>
    books.update(ids[0] as string, { [name]: {} } as { $set: Record<string, never> });
  for (const name of typed) expect(await use(name), name).toMatchObject({ matched_count: 1 });
  // docs/filters.md shows every operator that the service knows, and some that it refuses.
  const page = read('../../docs/filters.md').split('\n## Updates\n')[1] as string;
  const shown = new Set([...page.matchAll(/`\{"(\$\w+)": /g)].map(([, name]) => name as string));
  for (const name of shown) {
    if (!typed.includes(name)) expect(await failureOf(use(name)), name).toMatchObject({ status: 400 });
  }
  expect(typed.filter(name => !page.includes(`"${name}": `))).toEqual([]);
});

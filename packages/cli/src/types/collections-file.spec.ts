import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { collectionsFile, type DescribedCollection } from './collections-file.js';

const books: DescribedCollection = {
  collection_id: '019a3c1e-7f00-7000-8000-000000000001',
  name: 'books',
  schema: {
    year: { type: 'integer', nullable: true },
    title: { type: 'text', nullable: false },
    details: { type: 'json', nullable: true },
  },
};
const loans: DescribedCollection = {
  collection_id: '019a3c1e-7f00-7000-8000-000000000002',
  name: 'book-loans',
  schema: {},
};

/** The messages of the compiler about a file and a program that imports it as `./collections.js`. */
function problems(file: string, program = ''): string[] {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const files = new Map([
    [`${folder}collections.ts`, file],
    [`${folder}program.ts`, program],
  ]);
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.asynciterable.d.ts', 'lib.dom.iterable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: ['typed-collections-source'],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = path => files.has(path) || fileExists(path);
  host.readFile = path => files.get(path) ?? readFile(path);
  host.getSourceFile = (path, language) => {
    const text = host.readFile(path);
    return text === undefined ? undefined : ts.createSourceFile(path, text, language);
  };
  const compiled = ts.createProgram([...files.keys()], options, host);
  const own = [...files.keys()].map(path => compiled.getSourceFile(path) as ts.SourceFile);
  return own
    .flatMap(source => [
      ...compiled.getSyntacticDiagnostics(source),
      ...compiled.getSemanticDiagnostics(source),
    ])
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('the file of column descriptors', () => {
  it('lists collections and columns by name', () => {
    expect(collectionsFile([books, loans])).toBe(`// Written by \`tcol types\`. Do not edit.

export interface Collections {
  'book-loans': {
    columns: Record<never, never>;
  };
  books: {
    columns: {
      details: { type: 'json'; nullable: true };
      title: { type: 'text'; nullable: false };
      year: { type: 'integer'; nullable: true };
    };
  };
}
`);
  });

  it('does not depend on the order of its input', () => {
    const reversed = { ...books, schema: Object.fromEntries(Object.entries(books.schema).reverse()) };
    expect(collectionsFile([loans, reversed])).toBe(collectionsFile([books, loans]));
  });

  it('has ids and flexible fields if they are asked for', () => {
    const file = collectionsFile([books, loans], {
      ids: true,
      flexible: { books: { city: 'text', 'first edition': 'boolean', year: 'text' } },
    });
    expect(file).toContain(`    flexible: {
      city: { type: 'text'; nullable: true };
      'first edition': { type: 'boolean'; nullable: true };
    };
`);
    expect(file).toContain(`export const ids = {
  'book-loans': '019a3c1e-7f00-7000-8000-000000000002',
  books: '019a3c1e-7f00-7000-8000-000000000001',
} as const;
`);
  });

  it('has the id in the place of a name that several collections have', () => {
    const file = collectionsFile([books, { ...books, collection_id: loans.collection_id }], { ids: true });
    expect(file).toContain(`  '${books.collection_id}': {`);
    expect(file).toContain(`  '${loans.collection_id}': {`);
    expect(file).not.toMatch(/^ {2}books:/m);
  });

  it('refuses flexible fields of a collection that is not in the list', () => {
    expect(() => collectionsFile([books], { flexible: { boks: { city: 'text' } } })).toThrow(
      "There is no collection named 'boks'.",
    );
  });

  it('reads a column of an unknown type as json', () => {
    const schema = { place: { type: "point' }; evil: {", nullable: true } };
    expect(collectionsFile([{ ...books, schema }])).toContain("place: { type: 'json'; nullable: true };");
  });

  it('compiles, and a client with it knows the columns', () => {
    const file = collectionsFile([books, loans], { ids: true, flexible: { books: { city: 'text' } } });
    const program = (use: string) => `import { createClient } from '@typed-collections/client';
      import { type Collections, ids } from './collections.js';
      const books = createClient<Collections>({ url: 'http://localhost', ids }).collection('books');
      ${use}`;
    const good = `books.insert({ title: 'Emma', city: 'London' });
      books.find({ year: { $gt: 1900 } }).first().then(book => book?.title.length);
      const id: '${books.collection_id}' = ids.books; id;`;
    expect(problems(file, program(good))).toEqual([]);
    expect(problems(file, program('books.find({ yaer: 1 });'))).toEqual([
      expect.stringContaining("'yaer' does not exist"),
    ]);
  });

  it('keeps hostile names as they are', () => {
    const names = [
      "it's",
      'say "x"',
      'a\nb',
      '*/ evil: {',
      `\`\${evil}`,
      '\\',
      '\u2028',
      '\ud800',
      'ü😀',
      '__proto__',
      'constructor',
      'class',
      '1',
      '',
      '//',
    ];
    const schema = Object.fromEntries(names.map(name => [name, { type: 'text', nullable: true }]));
    const collections = names.map((name, index) => ({ collection_id: `id ${index}'`, name, schema }));
    const file = collectionsFile(collections, { ids: true });
    const all = names.map(name => JSON.stringify(name)).join(' | ');
    const program = `import { type Collections, ids } from './collections.js';
      type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
      const collections: Same<keyof Collections, ${all}> = true;
      const columns: Same<keyof Collections['class']['columns'], ${all}> = true;
      export { collections, columns, ids };`;
    expect(problems(file, program)).toEqual([]);
    expect(file).toMatch(/^[\n -~]*$/);
    const { outputText } = ts.transpileModule(file, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
    const exported: { ids?: object } = {};
    new Function('exports', outputText)(exported);
    expect(Object.entries(exported.ids ?? {}).sort()).toEqual(
      collections.map(({ name, collection_id }) => [name, collection_id]).sort(),
    );
  });
});

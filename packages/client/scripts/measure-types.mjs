// What the types of records cost the compiler: `node packages/client/scripts/measure-types.mjs [collections] [columns] [uses]`.
// `uses` counts the groups of seven calls for each collection. Times are CPU time.
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const TYPES = ['text', 'integer', 'double', 'boolean', 'date', 'datetime', 'json', 'array'];
const VALUES = {
  text: "'x'",
  integer: '1',
  double: '1.5',
  boolean: 'true',
  date: "'2026-01-31'",
  datetime: "'x'",
  json: '{}',
};
const FOLDER = fileURLToPath(new URL('../src/', import.meta.url));
const DESCRIPTORS = `${FOLDER}measured-collections.ts`;
const PROGRAM = `${FOLDER}measured-program.ts`;

const OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  target: ts.ScriptTarget.ES2022,
  lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'].map(name => `lib.${name}.d.ts`),
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
};

const range = count => Array.from({ length: count }, (_, index) => index);
/** Each collection has names of its own, so that the compiler cannot reuse the types of another. */
const nameOf = (collection, column) => `c${collection}_${TYPES[column % 8]}_${column}`;
const isNullable = column => column % 5 !== 0;

function descriptors(collections, columns) {
  const rows = range(collections).map(collection => {
    const of = column => `{ type: '${TYPES[column % 8]}'; nullable: ${isNullable(column)} }`;
    return `c${collection}: { columns: { ${range(columns)
      .map(column => `${nameOf(collection, column)}: ${of(column)}`)
      .join('; ')} } };`;
  });
  return `export interface Collections {\n${rows.join('\n')}\n}\n`;
}

/** One group of calls for a collection: each method that has types of its own. */
function calls(collection, columns) {
  const named = column => nameOf(collection, column);
  const required = range(columns).filter(column => !isNullable(column));
  const record = required
    .map(column => `${named(column)}: ${VALUES[TYPES[column % 8]] ?? "['x']"}`)
    .join(', ');
  return `async () => {
  const c = client.collection('c${collection}');
  for await (const row of c.find({ ${named(0)}: { $regex: 'x' }, $or: [{ ${named(7)}: 'a' }, { '${named(6)}.a': 1 }] }, { sort: { ${named(4)}: -1 } })) row.${named(0)}.length;
  for await (const row of c.find({ ${named(3)}: true }, { fields: ['${named(0)}', '${named(5)}'] })) row.${named(5)}.length;
  await c.insert({ ${record} });
  await c.update('x', { $inc: { ${named(1)}: 1 }, $set: { '${named(6)}.x': 1 }, $push: { ${named(7)}: 'a' } });
  await c.update('x', { ${named(1)}: 2 });
  const [result] = await c.aggregate({ group_by: '${named(8)}', steps: [{ type: 'sum', input_field: '${named(1)}', output_field: 'total' }], sort: { total: -1 } });
  result?.total.toFixed();
  (await c.distinct('${named(4)}'))[0]?.length;
}`;
}

/** Compiles a program with so many collections. Zero collections: the client alone. */
export function measure({ collections, columns, uses }) {
  const body = range(collections).flatMap(collection => range(uses).map(() => calls(collection, columns)));
  const head = `import { createClient } from './index.js';\nimport type { Collections } from './measured-collections.js';\n`;
  const program = `${head}const client = createClient<Collections>();\nexport const uses = [\n${body.join(',\n')}\n];\n`;
  const files = new Map([
    [DESCRIPTORS, descriptors(collections, columns)],
    [PROGRAM, program],
  ]);
  const { result, ms } = timed(() => compiled(files));
  const { diagnostics, instantiations, types } = result;
  return { diagnostics, instantiations, types, compileMs: ms, ...(uses > 0 && completion(files)) };
}

function compiled(files) {
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, readFile } = host;
  host.fileExists = path => files.has(path) || fileExists(path);
  host.readFile = path => files.get(path) ?? readFile(path);
  host.getSourceFile = (path, language) => {
    const text = host.readFile(path);
    return text === undefined ? undefined : ts.createSourceFile(path, text, language);
  };
  const program = ts.createProgram([PROGRAM], OPTIONS, host);
  const diagnostics = ts.getPreEmitDiagnostics(program, program.getSourceFile(PROGRAM));
  return {
    diagnostics: diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
    instantiations: program.getInstantiationCount(),
    types: program.getTypeCount(),
  };
}

/** How long an editor waits for the names in a filter: at first, and after the next key. */
function completion(files) {
  const texts = new Map(files);
  let version = 0;
  const service = ts.createLanguageService({
    getCompilationSettings: () => OPTIONS,
    getScriptFileNames: () => [PROGRAM],
    getScriptVersion: path => (path === PROGRAM ? String(version) : '0'),
    getScriptSnapshot: path => {
      const text = texts.get(path) ?? ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => FOLDER,
    getDefaultLibFileName: options => ts.getDefaultLibFilePath(options),
    fileExists: path => texts.has(path) || ts.sys.fileExists(path),
    readFile: path => texts.get(path) ?? ts.sys.readFile(path),
    directoryExists: ts.sys.directoryExists,
  });
  const ask = () => {
    version += 1;
    const text = `${files.get(PROGRAM)}client.collection('c0').find({ `;
    texts.set(PROGRAM, `${text}});`);
    return service.getCompletionsAtPosition(PROGRAM, text.length, {})?.entries.length ?? 0;
  };
  const first = timed(ask);
  const next = timed(ask);
  return { names: first.result, firstCompletionMs: first.ms, nextCompletionMs: next.ms };
}

function timed(work) {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return { result, ms: Math.round((user + system) / 1000) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [collections = 50, columns = 30, uses = 1] = process.argv.slice(2).map(Number);
  const print = (name, figures) => process.stdout.write(`${name}: ${JSON.stringify(figures)}\n`);
  print('the client alone', measure({ collections: 0, columns, uses: 0 }));
  print(`${collections} collections of ${columns} columns`, measure({ collections, columns, uses }));
}

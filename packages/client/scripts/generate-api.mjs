// Writes the types and the table of the operations in src/api from docs/openapi.json:
// `node packages/client/scripts/generate-api.mjs`. Descriptions are left out, so that a change of wording changes nothing.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import openapiTS from 'openapi-typescript';
import ts from 'typescript';

/** Operations on records, which `Collection` has methods for. */
const BY_HAND = new Set([
  'aggregateRecords',
  'askCollection',
  'batchRecords',
  'bulkInsertRecords',
  'countRecords',
  'countRecordsByBody',
  'deleteRecord',
  'deleteRecords',
  'distinctValues',
  'distinctValuesByBody',
  'exportRecords',
  'exportRecordsByBody',
  'getRecord',
  'importRecords',
  'insertRecords',
  'listChanges',
  'listChangesByBody',
  'queryRecords',
  'restoreRecords',
  'searchRecords',
  'undoWrites',
  'updateRecord',
  'updateRecords',
  'upsertRecord',
]);

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];
const WORDING = new Set(['description', 'example', 'examples', 'title', 'default', 'deprecated']);
const HEADER =
  '// Written by packages/client/scripts/generate-api.mjs from docs/openapi.json. Do not edit.\n\n';

/** The generated files by name. Throws if an operation does not fit the rules of the client. */
export async function generateApi(document) {
  const schemaOf = schema =>
    schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)];
  const operations = operationsOf(document)
    .map(operation => described(operation, schemaOf))
    .filter(operation => operation !== undefined)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  return {
    'operations.ts': formatted(
      'operations.ts',
      HEADER + (await typesOf(operations, document.components.schemas)),
    ),
    'table.ts': formatted('table.ts', HEADER + tableOf(operations)),
  };
}

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter(method => item[method] !== undefined).map(method => ({ ...item[method], method, path })),
  );
}

/**
 * What the client needs of an operation. Undefined for one that has methods of its own, or that is not for programs:
 * redirects, pages and the Model Context Protocol.
 */
function described(
  { operationId: name, tags: [tag] = [], method, path, parameters = [], requestBody, responses },
  schemaOf,
) {
  const outputs = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const isForPrograms = outputs.some(
    ([, { content }]) => content === undefined || content['application/json'],
  );
  if (BY_HAND.has(name) || !isForPrograms || path.endsWith('/mcp')) return undefined;
  if (tag === undefined) throw new Error(`${name}: it has no tag`);

  const body = requestBody?.content['application/json']?.schema;
  const fields = body && fieldsOf(body, schemaOf);
  if (requestBody !== undefined && (fields?.properties === undefined || fields.additionalProperties))
    throw new Error(`${name}: its body is not an object of known fields`);
  const named = parameters.filter(parameter => parameter.in !== 'header');
  const names = new Set(named.map(parameter => parameter.name));
  if (sendsBody(method) && named.some(parameter => parameter.in === 'query'))
    throw new Error(
      `${name}: it has a query and may have a body, so that the place of an argument is not clear`,
    );
  const twice = (fields?.required ?? []).find(field => names.has(field));
  if (twice !== undefined)
    throw new Error(`${name}: ${twice} is a parameter and a required field of the body`);

  const has = header => parameters.some(parameter => parameter.name === header);
  return {
    name,
    group: camelCase(tag),
    method: method.toUpperCase(),
    path,
    input: {
      type: 'object',
      properties: {
        ...Object.fromEntries(named.map(parameter => [parameter.name, parameterSchema(parameter)])),
        ...Object.fromEntries(
          Object.entries(fields?.properties ?? {}).filter(([field]) => !names.has(field)),
        ),
      },
      required: [
        ...named.filter(parameter => parameter.required).map(parameter => parameter.name),
        ...(fields?.required ?? []),
      ],
    },
    output: outputSchema(outputs),
    isOnce: has('Idempotency-Key'),
    isGuarded: has('If-Match'),
    isBare: sendsBody(method) && requestBody === undefined,
  };
}

/** The schema of a body. Of several alternatives, all fields; those that each of them requires are required. */
function fieldsOf(body, schemaOf) {
  const alternatives = (body.oneOf ?? [body]).map(schemaOf);
  if (alternatives.length === 1) return alternatives[0];
  return {
    properties: Object.assign({}, ...alternatives.map(({ properties }) => properties)),
    required: alternatives
      .map(({ required = [] }) => required)
      .reduce((common, required) => common.filter(name => required.includes(name))),
    additionalProperties: alternatives.some(({ additionalProperties }) => additionalProperties),
  };
}

/** `API Keys` becomes `apiKeys`. */
function camelCase(tag) {
  const words = tag.toLowerCase().split(/[^a-z0-9]+/);
  return words.map((word, n) => (n === 0 ? word : word[0].toUpperCase() + word.slice(1))).join('');
}

/** The operations of each tag, in the order of their names. */
function grouped(operations) {
  const groups = [...new Set(operations.map(({ group }) => group))].sort();
  return groups.map(group => [group, operations.filter(operation => operation.group === group)]);
}

const sendsBody = method => method !== 'get' && method !== 'delete';

/** A parameter without a type is text. */
function parameterSchema({ content, schema = content?.['application/json'].schema ?? {} }) {
  const isTyped = ['$ref', 'type', 'enum', 'oneOf', 'anyOf', 'allOf'].some(key => key in schema);
  return isTyped ? schema : { type: 'string' };
}

/** `null` for an answer without a body. */
function outputSchema(outputs) {
  const schemas = outputs.map(([, { content }]) => content?.['application/json']?.schema ?? { type: 'null' });
  const distinct = [...new Map(schemas.map(schema => [JSON.stringify(schema), schema])).values()];
  return distinct.length === 1 ? distinct[0] : { anyOf: distinct };
}

async function typesOf(operations, schemas) {
  const root = objectOf(
    grouped(operations).map(([group, members]) => [
      group,
      objectOf(members.map(operation => [operation.name, operationSchema(operation)])),
    ]),
  );
  const reached = reachable(root, schemas);
  const plain = mapped({ ...reached, Operations: root }, schema => withoutWording(schema));
  const nodes = await openapiTS(
    { openapi: '3.1.0', info: { title: '', version: '' }, paths: {}, components: { schemas: plain } },
    { silent: true, defaultNonNullable: false },
  );
  const members = membersOf(nodes);
  const isOperations = member => member.name.text === 'Operations';
  const interfaces = [
    interfaceOf(
      'Schemas',
      members.filter(member => !isOperations(member)),
    ),
    interfaceOf('Operations', members.find(isOperations).type.members),
  ];
  return print(interfaces).replace(/components\["schemas"\]\["(\w+)"\]/g, "Schemas['$1']");
}

function operationSchema({ input, output, isOnce, isGuarded }) {
  return objectOf(
    Object.entries({
      ...(Object.keys(input.properties).length > 0 && { input }),
      output,
      ...(isOnce && { once: { const: true } }),
      ...(isGuarded && { guarded: { const: true } }),
    }),
  );
}

/** The schema of an object that has all of these properties. */
function objectOf(properties) {
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: properties.map(([name]) => name),
  };
}

/** The schemas that a schema refers to, directly or not, by name. */
function reachable(root, schemas) {
  const names = new Set();
  const visit = schema => {
    for (const [, name] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (names.has(name)) continue;
      names.add(name);
      visit(schemas[name]);
    }
  };
  visit(root);
  return Object.fromEntries([...names].sort().map(name => [name, schemas[name]]));
}

/** Leaves out texts for people and defaults. A property may have the name of such a keyword. */
function withoutWording(schema) {
  if (Array.isArray(schema)) return schema.map(withoutWording);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => !WORDING.has(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => [
      keyword,
      keyword === 'properties' ? mapped(value, withoutWording) : withoutWording(value),
    ]),
  );
}

function mapped(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

/** The members of `components.schemas`. */
function membersOf(nodes) {
  const components = nodes.find(node => ts.isInterfaceDeclaration(node) && node.name.text === 'components');
  return components.members.find(member => member.name.text === 'schemas').type.members;
}

function interfaceOf(name, members) {
  return ts.factory.createInterfaceDeclaration(
    [ts.factory.createModifier(ts.SyntaxKind.ExportKeyword)],
    name,
    undefined,
    undefined,
    members,
  );
}

function print(nodes) {
  const file = ts.createSourceFile('operations.ts', '', ts.ScriptTarget.ESNext);
  const printer = ts.createPrinter({ removeComments: true });
  return nodes.map(node => printer.printNode(ts.EmitHint.Unspecified, node, file)).join('\n\n');
}

function tableOf(operations) {
  const groups = grouped(operations).map(([group, members]) => {
    const rows = members.map(({ name, method, path, isOnce, isBare }) => {
      const marks = [isOnce && 'once', isBare && 'bare'].filter(mark => mark !== false);
      return `    ${name}: '${[method, path, ...marks].join(' ')}',\n`;
    });
    return `  ${group}: {\n${rows.join('')}  },\n`;
  });
  return `/**
 * Method and path of each operation. \`once\`: the service does it once for each idempotency key. \`bare\`: it takes no
 * body.
 */
export const TABLE = {\n${groups.join('')}} as const;\n`;
}

function formatted(name, text) {
  const require = createRequire(import.meta.url);
  const biome = require.resolve('@biomejs/biome/bin/biome');
  const file = fileURLToPath(new URL(`../src/api/${name}`, import.meta.url));
  return execFileSync(process.execPath, [biome, 'format', `--stdin-file-path=${file}`], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    input: text,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = new URL('../../../', import.meta.url);
  const files = await generateApi(JSON.parse(readFileSync(new URL('docs/openapi.json', root), 'utf8')));
  for (const [name, text] of Object.entries(files))
    writeFileSync(new URL(`packages/client/src/api/${name}`, root), text);
}

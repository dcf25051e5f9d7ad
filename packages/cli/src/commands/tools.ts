import { readFile, writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { jsonArgument, listArgument } from '../arguments.js';
import { collect, examples, oneOf, type Run } from '../command.js';
import { SHELLS, type Shell, scriptFor } from '../completion.js';
import type { Context } from '../context.js';
import { CliError, EXIT, type ExitCode, misuse } from '../exit.js';
import { collectionsFile } from '../types/collections-file.js';
import { allCollections } from './collections.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Where the usual clients keep their configuration. */
const FILES: Readonly<Record<string, string>> = {
  claude: 'Run it as: claude mcp add-json typed-collections <the object below "typed-collections">',
  cursor: 'Put it into .cursor/mcp.json',
  vscode: 'Put it into .vscode/mcp.json',
  generic: 'Put it into the configuration of your MCP client',
};

/** What developers use: types, the plain API, MCP, completion. */
export function addToolCommands(program: Command, run: Run): void {
  program
    .command('types')
    .description('write the columns of your collections as TypeScript, for the client')
    .option('--collections <names>', 'only these, for example books,loans')
    .option('--flexible <fields>', 'fields that are not columns, for example books.city:text', collect, [])
    .option('--ids', 'also write the ids, which differ between environments')
    .option('--check', 'write nothing; exit code 1 if the file of --out is out of date')
    .addHelpText(...examples('tcol types --out collections.ts', 'tcol types --out collections.ts --check'))
    .action(run(types));
  program
    .command('api')
    .addArgument(oneOf('<method>', METHODS))
    .argument('<path>', 'for example /v2/me')
    .argument('[body]', 'JSON, @file or - for stdin')
    .description('send any request of the API')
    .addHelpText(
      ...examples('tcol api GET /v2/me', `tcol api POST /v1/collections/books/data/query '{"limit":1}'`),
    )
    .action(run(api));
  program
    .command('mcp')
    .argument('[collection]', 'the address of one collection; by default that of all')
    .description('print a configuration for MCP clients')
    .addOption(
      new Option('--client <name>', 'of which client').choices(Object.keys(FILES)).default('generic'),
    )
    .addHelpText(...examples('tcol mcp', 'tcol mcp books --client vscode'))
    .action(run(mcp));
  program
    .command('completion')
    .addArgument(oneOf('<shell>', SHELLS))
    .description('print a script that completes commands and options')
    .addHelpText(...examples('tcol completion bash', 'tcol completion zsh'))
    .action(
      run((context: Context, _options: object, shell: Shell) =>
        context.output.raw([scriptFor(shell, program)]),
      ),
    );
}

interface TypesFlags {
  readonly collections?: string;
  readonly flexible: readonly string[];
  readonly ids?: boolean;
  readonly check?: boolean;
}

async function types(context: Context, flags: TypesFlags): Promise<ExitCode> {
  const wanted = flags.collections === undefined ? undefined : listArgument(flags.collections);
  const all = await allCollections(context);
  const missing = wanted?.filter(name => !all.some(each => each.name === name)) ?? [];
  if (missing.length > 0) throw misuse(`There is no collection "${missing.join('", "')}".`);
  const found = wanted === undefined ? all : all.filter(({ name }) => wanted.includes(name));
  const flexible = flexibleOf(flags.flexible);
  const unknown = Object.keys(flexible).find(name => !found.some(each => each.name === name));
  if (unknown !== undefined) throw misuse(`--flexible: there is no collection named "${unknown}".`);
  const text = collectionsFile(found, { ids: flags.ids ?? false, flexible } as never);
  const { out } = context.options;
  if (!flags.check) {
    if (out === undefined) await context.output.raw([text]);
    else await writeFile(out, text);
    return EXIT.done;
  }
  if (out === undefined) throw misuse('--check goes with --out.');
  const present = await readFile(out, 'utf8').catch(() => undefined);
  if (present === text) return EXIT.done;
  throw new CliError(
    `${out} is ${present === undefined ? 'missing' : 'out of date'}.`,
    EXIT.refused,
    `Run: tcol types --out ${out}`,
  );
}

/** `books.city:text` */
function flexibleOf(fields: readonly string[]): Record<string, Record<string, string>> {
  const byCollection: Record<string, Record<string, string>> = {};
  for (const text of fields) {
    const [, collection, field, type] = /^([^.]+)\.(.+):(\w+)$/.exec(text) ?? [];
    if (collection === undefined || field === undefined || type === undefined)
      throw misuse(`--flexible: "${text}" is not collection.field:type.`);
    byCollection[collection] = { ...byCollection[collection], [field]: type };
  }
  return byCollection;
}

async function api(
  context: Context,
  _options: object,
  method: string,
  path: string,
  text?: string,
): Promise<void> {
  if (!path.startsWith('/') || path.startsWith('//'))
    throw misuse(`"${path}" is not a path.`, 'Example: /v2/me');
  const body = text === undefined ? undefined : await jsonArgument(context, 'body', text);
  const answer = await context.transport.request<unknown>({ method, path, body });
  if (answer !== undefined) await context.output.value(answer);
}

async function mcp(
  context: Context,
  { client }: { readonly client: string },
  collection?: string,
): Promise<void> {
  const { url } = await context.connection();
  const path =
    collection === undefined ? '/v1/mcp' : `/v1/collections/${await idOf(context, collection)}/mcp`;
  const server = { type: 'http', url: `${url}${path}` };
  const content = { [client === 'vscode' ? 'servers' : 'mcpServers']: { 'typed-collections': server } };
  await context.output.raw([`${JSON.stringify(content, null, 2)}\n`]);
  context.say(
    `${FILES[client]}. The client asks you to sign in; to use a key instead, add "headers": {"x-platform-api-key": "…"}.`,
  );
}

/** MCP addresses take ids only: tokens are bound to them. */
async function idOf(context: Context, collection: string): Promise<string> {
  return (await context.api.collections.getCollection({ collection_id: collection })).collection_id;
}

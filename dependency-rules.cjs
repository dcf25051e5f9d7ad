// The floors of docs/architecture.md, checked by dependency-cruiser. A folder imports only from lower floors, never from
// a folder on its own floor. There are no circular imports and no unused files.

/** The highest floor first. Folders in one line share a floor. Only the highest floor imports every feature. */
const FLOORS = [
  [
    'src/main',
    'src/cli',
    'src/app/start',
    'src/app/app.module',
    'src/app/bootstrap',
    'src/app/setup',
    'src/app/shutdown',
    'src/app/welcome',
    'src/app/failure',
  ],
  ['src/app/metrics', 'src/app/tracing'],
  ['src/app/jobs'],
  ['src/features/mcp', 'src/features/auth', 'src/features/gateway', 'src/features/console'],
  ['src/features/ai', 'src/features/explain', 'src/features/history'],
  [
    'src/features/records',
    'src/features/changes',
    'src/features/transfer',
    'src/features/analytics',
    'src/features/sharing',
    'src/features/api-keys',
    'src/features/charts',
    'src/features/views',
    'src/features/advice',
    'src/features/runtime',
  ],
  ['src/features/collections', 'src/features/workspaces'],
  ['src/features/orgs'],
  ['src/features/identity'],
  ['src/engine/storage'],
  ['src/engine/rules'],
  ['src/engine/filter'],
  ['src/engine/columns'],
  ['src/platform/audit', 'src/platform/idempotency', 'src/platform/mail'],
  ['src/platform/database', 'src/platform/http', 'src/platform/outbound'],
  ['src/platform/config'],
  ['src/base/sql'],
  ['src/base/kernel'],
];

/** `src/cli` covers src/cli/… and src/cli.ts, not src/client/. */
const covers = rooms => `^(${rooms.join('|')})[./]`;

/** The rules of floors that are under one folder. The highest floor may import all others, and itself. */
function rulesOf(floors, root) {
  const nameOf = room => room.slice(root.length).replaceAll('/', '-');
  const upward = floors.slice(1).map((rooms, index) => ({
    name: `no-import-upward-from-${rooms.map(nameOf).join('-')}`,
    comment:
      'Everything above a floor may use it. A floor that imported its users could not be understood without them.',
    severity: 'error',
    from: { path: covers(rooms) },
    to: { path: covers(floors.slice(0, index + 1).flat()) },
  }));
  const sideways = floors.slice(1).flatMap(rooms =>
    rooms.map(room => ({
      name: `no-import-sideways-from-${nameOf(room)}`,
      comment:
        'Features on one floor do not import each other: code that two of them need belongs on a lower floor.',
      severity: 'error',
      from: { path: covers([room]) },
      to: { path: covers(rooms.filter(other => other !== room)) },
    })),
  );
  const everyFolder = {
    name: 'every-folder-has-a-floor',
    comment: 'No rule checks a folder that is on no floor: add it to a floor above.',
    severity: 'error',
    from: { path: `^${root}`, pathNot: covers(floors.flat()) },
    to: {},
  };
  return [...upward, ...sideways.filter(rule => rule.to.path !== covers([])), everyFolder];
}

/** The floors of the console, with the same rules: `values` are pure, `records` are the grid and what changes records. */
const CONSOLE_FLOORS = [
  ['main', 'app'],
  ['features/rules'],
  [
    'features/activity',
    'features/charts',
    'features/find',
    'features/import',
    'features/palette',
    'features/trash',
    'features/workspaces',
  ],
  ['features/access', 'features/account', 'features/collections', 'features/organization', 'features/schema'],
  ['records'],
  ['ui'],
  ['values'],
  ['api'],
  ['i18n'],
].map(rooms => rooms.map(room => `packages/console/src/${room}`));

/** The packages that package.json of the console names, and Node's and vitest's for its unit tests. */
const CONSOLE_PACKAGES = Object.keys(require('./packages/console/package.json').devDependencies)
  .concat('vitest', '@types/node')
  .map(name => `^node_modules/${name}/`);

module.exports = {
  forbidden: [
    ...rulesOf(FLOORS, 'src/'),
    ...rulesOf(CONSOLE_FLOORS, 'packages/console/src/'),
    {
      name: 'pure-floors-know-no-framework',
      comment:
        'kernel, sql, columns, filter and rules are plain TypeScript: testable and movable without Nest or a database.',
      severity: 'error',
      from: { path: '^src/(base|engine/columns|engine/filter|engine/rules)/' },
      to: { path: '^node_modules/(@nestjs|typeorm|pg)/' },
    },
    {
      name: 'migrations-are-run-by-database',
      comment: 'A migration never changes, so only the list of all migrations imports it.',
      severity: 'error',
      from: { path: '^(src|test)/', pathNot: '^src/platform/database/' },
      to: { path: '^migrations/' },
    },
    {
      name: 'migrations-import-no-code-of-the-service',
      comment: 'The code of the service changes. A migration that used it would do something else later.',
      severity: 'error',
      from: { path: '^migrations/' },
      to: { path: '^src/' },
    },
    {
      name: 'tracing-is-loaded-on-demand',
      comment:
        'OpenTelemetry takes memory and time to start, so it is imported dynamically, only if tracing is on.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/app/tracing/' },
      to: {
        path: '^src/app/tracing/|^node_modules/@opentelemetry/',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'webauthn-is-loaded-on-demand',
      comment:
        'The library takes memory and time to start, so it is imported dynamically, with the first ceremony.',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        path: '^node_modules/@simplewebauthn/',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'packages-and-service-stay-apart',
      comment: 'The packages use the service over HTTP only, and the service does not import its clients.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { path: '^(src|migrations|test)/' },
    },
    {
      name: 'the-service-imports-no-package',
      comment: 'The service does not depend on its clients. It uses the package that reads questions.',
      severity: 'error',
      from: { path: '^(src|migrations)/' },
      to: { path: '^packages/', pathNot: '^packages/plain-questions/' },
    },
    {
      name: 'plain-questions-stands-alone',
      comment: 'The package that reads questions knows no service, no framework and no database.',
      severity: 'error',
      from: { path: '^packages/plain-questions/(src|corpus)/', pathNot: String.raw`\.spec\.ts$` },
      to: {
        pathNot: '^packages/plain-questions/|^node_modules/(chrono-node|mingo)/',
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'the-client-has-no-dependencies',
      comment: 'The client runs in browsers, Node, Deno, Bun and Workers: web standards only.',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: String.raw`\.spec\.ts$` },
      to: { pathNot: '^packages/client/src/' },
    },
    {
      name: 'the-console-uses-the-client',
      comment: 'The console reaches the service through the client, and no other package of this repository.',
      severity: 'error',
      from: { path: '^packages/console/src/' },
      to: { pathNot: '^(packages/console/src|packages/client/src|node_modules)/' },
    },
    {
      name: 'the-console-declares-its-packages',
      comment: 'A package that the console does not declare may be missing after the next install.',
      severity: 'error',
      from: { path: '^packages/console/src/', pathNot: String.raw`\.spec\.ts$` },
      to: { path: '^node_modules/', pathNot: CONSOLE_PACKAGES },
    },
    {
      name: 'examples-use-published-packages',
      comment: 'An example must run outside of this repository too.',
      severity: 'error',
      from: { path: '^examples/' },
      to: { pathNot: '^(examples|packages/client/src|node_modules)/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'tests-stay-outside',
      comment: 'The service must not import code of the tests.',
      severity: 'error',
      from: { path: '^src/', pathNot: String.raw`\.spec\.ts$` },
      to: { path: String.raw`^test/|\.spec\.ts$` },
    },
    {
      name: 'no-cycles',
      comment: 'Files that import each other cannot be understood one at a time.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that imports nothing and that no file imports is unused.',
      severity: 'error',
      from: { orphan: true, pathNot: String.raw`\.spec\.ts$|\.d\.ts$` },
      to: {},
    },
    {
      name: 'only-declared-packages',
      comment:
        'An undeclared package may be missing after the next install; a development package is missing in production.',
      severity: 'error',
      from: { path: '^(src|migrations)/', pathNot: String.raw`\.spec\.ts$` },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
    {
      name: 'no-unresolvable',
      comment: 'The imported file or package does not exist. Programs that use a build import it from dist.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '(^|/)dist/' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    // Type imports count too: a file that uses a type depends on the folder of the type.
    tsPreCompilationDeps: true,
    doNotFollow: { path: '^node_modules/' },
    // The program of a package starts its build. The public files of the console are served as they are. The runtimes
    // of tests are not part of the program.
    exclude: { path: '^packages/[^/]+/(?:dist|bin|public|test/runtimes/node_modules)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['typed-collections-source', 'import', 'node', 'default', 'types'],
    },
  },
};

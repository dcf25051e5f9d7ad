// The floors of docs/architecture.md, checked by dependency-cruiser. Import only from lower floors; features on one
// floor are strangers; nobody imports in a circle; nothing lies about unused.

/** Highest first. What shares a line shares a floor. Only the files named last know every feature. */
const FLOORS = [
  ['src/main', 'src/app', 'src/cli'],
  ['src/metrics', 'src/tracing'],
  ['src/jobs'],
  ['src/mcp', 'src/auth', 'src/gateway'],
  ['src/ai'],
  [
    'src/records',
    'src/changes',
    'src/transfer',
    'src/analytics',
    'src/sharing',
    'src/api-keys',
    'src/charts',
    'src/runtime',
  ],
  ['src/collections', 'src/workspaces'],
  ['src/orgs'],
  ['src/identity'],
  ['src/storage', 'src/audit', 'src/idempotency'],
  ['src/filter', 'src/database', 'src/http', 'src/outbound'],
  ['src/config', 'src/columns'],
  ['src/kernel'],
];

/** `src/auth` covers src/auth/…; `src/app` covers src/app.module.ts and src/app.setup.ts, not src/application/. */
const covers = rooms => `^(${rooms.join('|')})[./]`;

const upward = FLOORS.slice(1).map((rooms, index) => ({
  name: `no-import-upward-from-${rooms.map(room => room.slice('src/'.length)).join('-')}`,
  comment:
    'A lower floor is used by everything above it; were it to know its users, nothing could be read alone.',
  severity: 'error',
  from: { path: covers(rooms) },
  to: { path: covers(FLOORS.slice(0, index + 1).flat()) },
}));

/** The top is one room: main, app and the commands make up one program together. */
const sideways = FLOORS.slice(1).flatMap(rooms =>
  rooms.map(room => ({
    name: `strangers-of-${room.slice('src/'.length)}`,
    comment: 'Features on one floor are strangers: what two of them need belongs on a floor below.',
    severity: 'error',
    from: { path: covers([room]) },
    to: { path: covers(rooms.filter(other => other !== room)) || '^$' },
  })),
);

module.exports = {
  forbidden: [
    ...upward,
    ...sideways.filter(rule => rule.to.path !== covers([])),
    {
      name: 'every-folder-has-a-floor',
      comment: 'A folder that no floor names is checked by no rule: give it a line above.',
      severity: 'error',
      from: { path: '^src/', pathNot: covers(FLOORS.flat()) },
      to: {},
    },
    {
      name: 'pure-floors-know-no-framework',
      comment:
        'kernel, columns and filter are plain TypeScript: testable and movable without Nest or a database.',
      severity: 'error',
      from: { path: '^src/(kernel|columns|filter)/' },
      to: { path: '^node_modules/(@nestjs|typeorm)/' },
    },
    {
      name: 'migrations-are-run-by-database',
      comment: 'A migration is history: only the list of all of them knows it.',
      severity: 'error',
      from: { path: '^(src|test)/', pathNot: '^src/database/' },
      to: { path: '^migrations/' },
    },
    {
      name: 'migrations-know-nobody',
      comment: 'A migration that used the code of today would do something else tomorrow.',
      severity: 'error',
      from: { path: '^migrations/' },
      to: { path: '^src/' },
    },
    {
      name: 'tracing-is-loaded-on-demand',
      comment:
        'OpenTelemetry takes memory and time to start: only who wants traces pays, by a dynamic import.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/tracing/' },
      to: {
        path: '^src/tracing/|^node_modules/@opentelemetry/',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'tests-stay-outside',
      comment: 'What ships must not need what only tests have.',
      severity: 'error',
      from: { path: '^src/', pathNot: String.raw`\.spec\.ts$` },
      to: { path: String.raw`^test/|\.spec\.ts$` },
    },
    {
      name: 'no-cycles',
      comment: 'Files that import each other are one file that is hard to read.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nothing imports and that imports nothing is forgotten.',
      severity: 'error',
      from: { orphan: true, pathNot: String.raw`\.spec\.ts$|\.d\.ts$` },
      to: {},
    },
    {
      name: 'only-declared-packages',
      comment:
        'A package that is there by luck goes with the next install; a development one is not there in production.',
      severity: 'error',
      from: { path: '^(src|migrations)/', pathNot: String.raw`\.spec\.ts$` },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
    {
      name: 'no-unresolvable',
      comment: 'An import that leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    // Imports of types count: knowing a type is knowing the room it comes from.
    tsPreCompilationDeps: true,
    doNotFollow: { path: '^node_modules/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFixture } from './fixture.mjs';
import { startService } from './service.mjs';
import { conformanceTool } from './tool.mjs';

/**
 * Runs the official conformance tool once per protocol version against the fixture. Then runs it against the
 * service itself, with the scenarios that need no tools, resources or prompts of the conformance tool. With the
 * argument `--sample` it runs one scenario against each. docs/mcp.md lists the scenarios that do not apply. A
 * listed scenario that passes is an error, so that the list stays correct.
 */
const SAMPLE = process.argv.includes('--sample');

const RUNS = SAMPLE
  ? [{ version: '2025-11-25', selection: ['--scenario', 'tools-list', '--spec-version', '2025-11-25'] }]
  : [
      { version: '2026-07-28', selection: ['--requirements', '2026-07-28'] },
      { version: '2025-11-25', selection: ['--requirements', '2025-11-25'] },
      { version: '2025-06-18', selection: ['--suite', 'active', '--spec-version', '2025-06-18'] },
    ];

/** The scenarios that run against the service itself. */
const OF_THE_SERVICE = SAMPLE
  ? { '2025-11-25': ['ping'] }
  : {
      '2026-07-28': [
        ...['tools-list', 'resources-list', 'prompts-list', 'completion-complete', 'caching'],
        ...['http-header-validation', 'sep-2164-resource-not-found', 'dns-rebinding-protection'],
      ],
      '2025-11-25': [
        ...[
          'server-initialize',
          'ping',
          'tools-list',
          'resources-list',
          'prompts-list',
          'completion-complete',
        ],
        'dns-rebinding-protection',
      ],
      '2025-06-18': [
        'server-initialize',
        'ping',
        'tools-list',
        'resources-list',
        'prompts-list',
        'completion-complete',
      ],
    };

/** Rows `| scenario | versions | why |` of the page. */
async function excused(version) {
  const page = await readFile(new URL('../../../docs/mcp.md', import.meta.url), 'utf8');
  return [...page.matchAll(/^\| `([\w:/-]+)` \| ([\d, -]+) \|/gm)]
    .filter(([, , versions]) => versions.split(', ').includes(version))
    .map(([, scenario]) => scenario);
}

function conformance(args, directory) {
  const [node, tool] = conformanceTool();
  const run = spawn(node, [tool, 'server', ...args], { cwd: directory, stdio: 'inherit' });
  return new Promise((resolve, reject) => run.on('error', reject).on('close', resolve));
}

const directory = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
const fixture = await startFixture();
let failed = 0;
for (const { version, selection } of RUNS) {
  const baseline = join(directory, `${version}.yml`);
  const scenarios = (await excused(version)).map(scenario => `  - ${scenario}\n`).join('');
  await writeFile(baseline, `server:\n${scenarios}`);
  const code = await conformance(
    ['--url', fixture.url, ...selection, '--expected-failures', baseline],
    directory,
  );
  if (code !== 0) failed++;
}
await fixture.stop();
const service = await startService();
for (const [version, scenarios] of Object.entries(OF_THE_SERVICE)) {
  for (const scenario of scenarios) {
    const args = ['--url', service.url, '--scenario', scenario, '--spec-version', version];
    if ((await conformance(args, directory)) !== 0) failed++;
  }
}
await service.stop();
await rm(directory, { recursive: true });
process.exitCode = failed === 0 ? 0 : 1;

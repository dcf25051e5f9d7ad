import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly strategy: { readonly matrix: { readonly part: readonly string[] } };
        readonly steps: readonly Step[];
      }
    >
  >;
}

const FOLDER = '.github/workflows';
const workflows = readdirSync(FOLDER).map(
  file => [file, load(readFileSync(join(FOLDER, file), 'utf8')) as Workflow] as const,
);

describe.each(workflows)('the workflow %s', (_, { permissions, jobs }) => {
  it('may read the code and do nothing else', () => {
    expect(permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(jobs)) expect(job).not.toHaveProperty('permissions');
  });

  it('names each action by commit, because a tag can be moved', () => {
    const actions = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    expect(actions.length).toBeGreaterThan(0);
    for (const action of actions) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
  });
});

it('the workflow of CI runs every part of .ci/run, which refuses a part that it does not know', () => {
  const { status, stderr } = spawnSync('bash', ['.ci/run', 'unknown'], { encoding: 'utf8' });
  expect(status).toBe(2);
  const parts = stderr.split(': ')[1]?.trim().split(' ');
  const { run } = Object.fromEntries(workflows)['ci.yml']?.jobs ?? {};
  expect(run?.strategy.matrix.part).toEqual(parts);
  expect(run?.steps.map(step => step.run)).toContainEqual(
    expect.stringMatching(/^\.ci\/run \$\{\{ matrix\.part \}\}$/),
  );
});

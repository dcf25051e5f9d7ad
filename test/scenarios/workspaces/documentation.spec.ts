import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { examplesOf, run } from '../../conformance/examples.js';
import { startApp } from '../../harness/app.js';
import { newMember, newOrg } from '../orgs/org.js';

it('has commands in docs/workspaces.md that all do what the page says', async () => {
  const app = await startApp();
  const org = await newOrg(app);
  const member = await newMember(app, org);
  const [{ email }] = await app.sql('SELECT email FROM users WHERE id = $1', [member.userId]);
  const examples = examplesOf(await readFile('docs/workspaces.md', 'utf8'));
  const environment = { URL: app.url, TOKEN: org.owner.token, EMAIL: email };
  const { printed, values } = await run(examples, environment, ['USER_ID', 'WORKSPACE_KEY']);
  expect(printed.length).toBe(7);
  for (const [index, { commands }] of examples.entries()) {
    expect(printed[index], commands).not.toContain('"error"');
    expect(printed[index]?.trim(), commands).not.toBe('');
  }
  expect(values[0]).toBe(member.userId);
  expect(values[1]).toMatch(/^wak_[\w-]{43}$/);
});

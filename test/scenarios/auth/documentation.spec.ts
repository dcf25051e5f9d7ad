import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { Bootstrap } from '../../../src/app/bootstrap.js';
import { examplesOf, filledIn, run } from '../../conformance/examples.js';
import { startApp } from '../../harness/app.js';
import { newOrg } from '../orgs/org.js';

it('docs/authentication.md contains only commands that do what the page states', async () => {
  const app = await startApp();
  const org = await newOrg(app);
  const page = await readFile('docs/authentication.md', 'utf8');
  const examples = examplesOf(page.replaceAll('http://localhost:3000', app.url));
  const SIGN_IN = await app.nest.get(Bootstrap).signInUrl(org.owner.userId);
  const environment = { URL: app.url, ORG: org.slug, SIGN_IN };
  const { printed, values } = await run(examples, environment, ['JWT', 'TOKEN', 'KEY', 'SECRET']);
  for (const [n, { commands, json, text }] of examples.entries()) {
    const real = (printed[n] as string).trim();
    if (json !== undefined) expect(JSON.parse(real), commands).toEqual(filledIn(json, JSON.parse(real)));
    else if (text !== undefined) expect(real, commands).toBe(text);
    else expect(real, commands).not.toContain('"error"');
  }
  expect(values.map(value => value.slice(0, 3))).toEqual(['eyJ', 'at:', 'iak', 'sas']);
});

it('docs/authentication.md lists every event of signing in', async () => {
  const page = await readFile('docs/authentication.md', 'utf8');
  const app = await startApp();
  const resources = ['users', 'sessions', 'accesstokens', 'websessions', 'signingkeys', 'secrets'];
  const rows = await app.sql('SELECT DISTINCT type FROM audit_events');
  const types: string[] = rows.map(row => row.type).filter(type => resources.includes(type.split('.')[0]));
  expect(types.length).toBeGreaterThan(0);
  for (const type of types) expect(page).toContain(`\`${type}\``);
});

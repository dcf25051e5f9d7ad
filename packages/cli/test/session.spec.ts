import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../../test/harness/app.js';
import { emptyDirectory } from '../../../test/harness/empty-directory.js';
import { type Person, signIn } from '../../../test/scenarios/auth/person.js';
import { Browser } from '../../../test/scenarios/oidc/browser.js';
import { newOrg } from '../../../test/scenarios/orgs/org.js';
import { rowsOf, tcol } from './tcol.js';
import { build, CTRL_C, Terminal } from './terminal.js';

let app: TestApp;
let somebody: Person;
let directory: string;
const env = (more: Record<string, string> = {}) => ({ TC_CONFIG_DIR: directory, ...more });
const profiles = () => JSON.parse(readFileSync(join(directory, 'profiles.json'), 'utf8')).profiles;

beforeAll(async () => {
  build();
  app = await startOwnApp({ database: 'own' });
  const org = await newOrg(app);
  somebody = await signIn(app, org.owner.userId, { activeOrgSlug: org.slug });
  directory = emptyDirectory();
});
afterAll(() => app.close());

/** Signs in with the browser of `somebody`, who allows the access. */
async function signedIn(...args: string[]): Promise<Terminal> {
  const terminal = new Terminal(['login', '--url', app.url, '--no-browser', ...args], env());
  const [address] = await terminal.until(/http:\S+\/oidc\/auth\?\S+/);
  const browser = Browser.of(app, somebody);
  const consent = await browser.get(address);
  const back = await browser.press(consent, 'Allow');
  const page = await fetch(back.url);
  expect(await page.text()).toContain('You are signed in.');
  return terminal;
}

describe('tcol login', () => {
  it('signs in through a browser, and keeps the tokens in a file of the person alone', async () => {
    const terminal = await signedIn();
    expect(await terminal.exitCode()).toBe(0);
    expect(terminal.shown).toContain(`Signed in to ${app.url} as profile "default".`);
    expect(statSync(join(directory, 'profiles.json')).mode & 0o777).toBe(0o600);
    const [me] = rowsOf(await tcol(['whoami'], { env: env() }));
    expect(me).toMatchObject({ id: somebody.userId, profile: 'default', service: app.url });
  });

  it('shows no token, and no code of the sign-in', async () => {
    const terminal = await signedIn('--profile', 'silent');
    await terminal.exitCode();
    const { credential } = profiles().silent;
    expect(credential.type).toBe('oauth');
    expect(terminal.shown).not.toContain(credential.accessToken);
    expect(terminal.shown).not.toContain(credential.refreshToken);
  });

  it('ignores answers that do not belong to its own request', async () => {
    const terminal = new Terminal(['login', '--url', app.url, '--no-browser', '--profile', 'x'], env());
    const [address] = await terminal.until(/http:\S+\/oidc\/auth\?\S+/);
    const redirect = new URL(address).searchParams.get('redirect_uri') as string;
    expect((await fetch(`${redirect}?code=stolen&state=guessed`)).status).toBe(404);
    expect((await fetch(`${redirect}favicon.ico`)).status).toBe(404);
    terminal.type(CTRL_C);
    expect(await terminal.exitCode()).toBe(130);
    expect(profiles().x).toBeUndefined();
  });

  it('says that the person did not allow the access', async () => {
    const terminal = new Terminal(['login', '--url', app.url, '--no-browser', '--profile', 'x'], env());
    const [address] = await terminal.until(/http:\S+\/oidc\/auth\?\S+/);
    const browser = Browser.of(app, somebody);
    const back = await browser.press(await browser.get(address), 'Do not allow');
    await fetch(back.url);
    expect(await terminal.exitCode()).toBe(1);
    expect(terminal.shown).toContain('The service refused the sign-in');
    expect(profiles().x).toBeUndefined();
  });

  it('signs in with a code that is entered on another machine', async () => {
    const terminal = new Terminal(['login', '--url', app.url, '--device', '--profile', 'device'], env());
    const [, code = ''] = await terminal.until(/enter the code ([A-Z]{4}-[A-Z]{4})/);
    const browser = Browser.of(app, somebody);
    const confirm = await browser.press(await browser.get(`${app.url}/oidc/device`), 'Continue', {
      user_code: code,
    });
    await browser.press(await browser.press(confirm, 'Continue'), 'Allow');
    expect(await terminal.exitCode()).toBe(0);
    expect(profiles().device.credential.type).toBe('oauth');
  });

  it('takes the device flow in an SSH session without a display', async () => {
    const terminal = new Terminal(['login', '--url', app.url], env({ SSH_CONNECTION: '1 2 3 4' }));
    await terminal.until(/enter the code [A-Z]{4}-[A-Z]{4}/);
    terminal.type(CTRL_C);
    expect(await terminal.exitCode()).toBe(130);
  });

  it('takes a pasted key without showing it', async () => {
    const key = app.bootstrap.orgApiKey;
    const terminal = new Terminal(['login', '--url', app.url, '--with-key', '--profile', 'key'], env());
    await terminal.until(/API key/);
    terminal.type(`${key}\r`);
    expect(await terminal.exitCode()).toBe(0);
    expect(terminal.shown).not.toContain(key);
    expect(profiles().key.credential).toEqual({ type: 'key', key });
  });

  it('takes a token from a pipe', async () => {
    const outcome = await tcol(['login', '--url', app.url, '--paste', '--profile', 'piped'], {
      env: env(),
      input: `${somebody.token}\n`,
    });
    expect(outcome).toMatchObject({ code: 0, stdout: '' });
    expect(profiles().piped.credential).toEqual({ type: 'token', token: somebody.token });
  });

  it('says that an address is not a service, and that nothing listens there', async () => {
    const nothing = await tcol(['login', '--url', 'http://127.0.0.1:9', '--no-browser'], { env: env() });
    expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be reached') });
    const wrong = await tcol(['login', '--url', 'not an address'], { env: env() });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('is not an address') });
  });
});

describe('a stored sign-in', () => {
  /** Makes the access token of a profile end now. */
  function expire(name: string): void {
    const file = join(directory, 'profiles.json');
    const content = JSON.parse(readFileSync(file, 'utf8'));
    content.profiles[name].credential.expiresAt = 0;
    writeFileSync(file, JSON.stringify(content));
  }

  it('is renewed once, even by two programs at the same time', async () => {
    await (await signedIn('--profile', 'shared')).exitCode();
    expire('shared');
    const { refreshToken } = profiles().shared.credential;
    const runs = ['1', '2', '3'].map(
      () => new Terminal(['whoami', '--profile', 'shared', '-o', 'ndjson'], env()),
    );
    expect(await Promise.all(runs.map(run => run.exitCode()))).toEqual([0, 0, 0]);
    expect(profiles().shared.credential.refreshToken).not.toBe(refreshToken);
    // A refresh token that was used twice would have ended the sign-in.
    expect((await tcol(['whoami', '--profile', 'shared'], { env: env() })).code).toBe(0);
  });

  it('says what to do when it has ended', async () => {
    await (await signedIn('--profile', 'ended')).exitCode();
    await app.request('DELETE', '/v2/user/sessions', { token: somebody.token });
    expire('ended');
    const outcome = await tcol(['whoami', '--profile', 'ended'], { env: env() });
    expect(outcome).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Run: tcol login'),
    });
  });

  it('ends on the service with tcol logout', async () => {
    await (await signedIn('--profile', 'leaving')).exitCode();
    const { accessToken: token } = profiles().leaving.credential;
    expect((await tcol(['logout', '--profile', 'leaving'], { env: env() })).code).toBe(0);
    expect(profiles().leaving).toBeUndefined();
    expect((await app.request('GET', '/v2/me', { token })).status).toBe(401);
  });

  it('is sent to no other service than its own', async () => {
    await (await signedIn('--profile', 'own')).exitCode();
    const outcome = await tcol(['whoami', '--profile', 'own', '--url', 'http://127.0.0.1:9'], { env: env() });
    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('You are not signed in to http://127.0.0.1:9.'),
    });
  });
});

describe('the environment', () => {
  it('TC_URL with TC_KEY or TC_TOKEN wins over the profile and asks nothing', async () => {
    const given = env({ TC_URL: app.url, TC_KEY: app.bootstrap.orgApiKey });
    const [me] = rowsOf(await tcol(['whoami'], { env: given }));
    expect(me.principal.type).toBe('key');
    expect(me.profile).toBeUndefined();
  });

  it('says how to sign in when there is neither', async () => {
    const outcome = await tcol(['whoami'], { env: { TC_CONFIG_DIR: emptyDirectory() } });
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('Run: tcol login') });
  });

  it('lists profiles and changes the one in use', async () => {
    const names = rowsOf(await tcol(['profiles'], { env: env() })).map(({ name }) => name);
    expect(names).toContain('default');
    expect((await tcol(['profiles', 'use', 'default'], { env: env() })).code).toBe(0);
    const used = rowsOf(await tcol(['profiles'], { env: env() })).filter(({ in_use }) => in_use);
    expect(used).toMatchObject([{ name: 'default' }]);
    const wrong = await tcol(['profiles', 'use', 'nobody'], { env: env() });
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no profile "nobody".'),
    });
  });

  it('says whether the service is ready', async () => {
    expect(rowsOf(await tcol(['status', '--url', app.url], { env: env() }))).toMatchObject([{ ready: true }]);
    expect(await tcol(['status', '--url', 'http://127.0.0.1:9'], { env: env() })).toMatchObject({ code: 1 });
  });

  it('prints a one-time link that signs a browser in', async () => {
    const outcome = await tcol(['open', '/docs', '--no-browser'], {
      env: env({ TC_URL: app.url, TC_TOKEN: (await signIn(app, somebody.userId)).token }),
    });
    const link = outcome.stdout.trim();
    const answer = await fetch(link, { redirect: 'manual' });
    expect(answer.headers.get('set-cookie')).toContain('access-token=');
  });
});

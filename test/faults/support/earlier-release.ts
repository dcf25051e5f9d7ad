import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const run = promisify(execFile);

/** The release before the first one with a tag: version 1.0.0. */
const FIRST_RELEASE = 'f923d04e';

/**
 * 1.0.0 uses this package. The present version does not depend on it. The stub calls the same functions in the same order.
 */
const PASSPORT_JWT = `class Strategy {
  constructor(options, verify) { Object.assign(this, { name: 'jwt', options, verify }); }
  authenticate(request) {
    const token = this.options.jwtFromRequest(request);
    if (!token) return this.fail(new Error('no token'));
    this.options.secretOrKeyProvider(request, token, (_, key) => Strategy.JwtVerifier(token, key, this.options, (error, payload) =>
      error ? this.fail(error) : this.verify(payload, (wrong, user, info) =>
        wrong ? this.error(wrong) : user ? this.success(user, info) : this.fail(info))));
  }
}
module.exports = { Strategy };
`;

/**
 * The commit of the release before this one: the last tag before this commit, and without tags version 1.0.0. `RELEASE_BEFORE`
 * names another one. Undefined in a clone without the history.
 */
export async function earlierRelease(): Promise<string | undefined> {
  const tag = await git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^');
  const release = process.env.RELEASE_BEFORE ?? tag ?? FIRST_RELEASE;
  return git('rev-parse', '--verify', '--quiet', `${release}^{commit}`);
}

function git(...args: string[]): Promise<string | undefined> {
  return run('git', args).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

/** Builds the release before this version with the present packages. Returns its program, and removes it after the test. */
export async function buildEarlierRelease(commit: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'typed-collections-earlier-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const archive = join(directory, 'source.tar');
  await run('git', ['archive', '--output', archive, commit, 'src', 'migrations', 'package.json', '.swcrc']);
  await run('tar', ['--extract', '--file', archive], { cwd: directory });
  const packages = resolve('node_modules');
  await symlink(packages, join(directory, 'node_modules'));
  const swc = join(packages, '.bin', 'swc');
  await run(swc, ['src', 'migrations', '-d', 'dist', '--config-file', '.swcrc'], { cwd: directory });
  const stub = join(directory, 'dist', 'node_modules', 'passport-jwt');
  await mkdir(stub, { recursive: true });
  await writeFile(join(stub, 'index.js'), PASSPORT_JWT);
  await writeFile(join(stub, 'package.json'), JSON.stringify({ name: 'passport-jwt', main: 'index.js' }));
  return join(directory, 'dist', 'src', 'main.js');
}

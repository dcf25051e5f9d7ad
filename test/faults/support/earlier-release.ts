import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const run = promisify(execFile);

/** The commit of the release before this version, 1.0.0. From 1.1.0 on it is the tag of the last release. */
const COMMIT = 'f923d04e';

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

/** False in a clone without the history, where the release before cannot be built. */
export async function hasEarlierRelease(): Promise<boolean> {
  return run('git', ['cat-file', '-e', `${COMMIT}^{commit}`]).then(
    () => true,
    () => false,
  );
}

/** Builds the release before this version with the present packages. Returns its program, and removes it after the test. */
export async function buildEarlierRelease(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'typed-collections-earlier-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const archive = join(directory, 'source.tar');
  await run('git', ['archive', '--output', archive, COMMIT, 'src', 'migrations', 'package.json', '.swcrc']);
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

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serviceCommand } from '../../scripts/run-service.mjs';
import { SETTINGS } from '../../src/platform/config/settings.js';
import { startOwnApp } from '../harness/app.js';
import type { Manifest } from './kustomize.js';

const known = new Set(Object.values(SETTINGS).flatMap(group => Object.keys(group)));
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The instructions of the Dockerfile, stage by stage, without comments and with long lines joined. */
const stages = readFileSync('Dockerfile', 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split(/^(?=FROM )/m)
  .map(stage => stage.trim().split('\n').filter(Boolean))
  .filter(stage => stage[0]?.startsWith('FROM '));

const of = (instruction: string, stage: readonly string[] | undefined) =>
  (stage ?? []).flatMap(line =>
    line.startsWith(`${instruction} `) ? line.slice(instruction.length + 1) : [],
  );

/** From where to where a stage copies files of the repository. */
const copies = (stage: readonly string[] | undefined) =>
  of('COPY', stage)
    .filter(copy => !copy.startsWith('--from'))
    .map(copy => {
      const words = copy.split(' ');
      return { sources: words.slice(0, -1), target: words.at(-1) as string };
    });

const last = stages.at(-1);

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'image-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Copies what a stage copies, without what .dockerignore excludes. */
function copyInto(folder: string, stage: readonly string[] | undefined): void {
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
  const letIn = ignored.filter(line => line.startsWith('!')).map(line => resolve(line.slice(1)));
  expect(ignored).toContain('*');
  for (const { sources, target } of copies(stage)) {
    for (const source of sources) {
      expect(letIn).toContain(resolve(source));
      const isFolder = target.endsWith('/');
      cpSync(
        source,
        isFolder ? join(folder, target, source.split('/').at(-1) as string) : join(folder, target),
        {
          recursive: true,
          filter: path => !/\.spec\.ts$|(^|\/)node_modules$|^dist$|^packages\/[^/]+\/dist$/.test(path),
        },
      );
    }
  }
}

/** Links the installed packages. Those of this repository are the ones that were copied. */
function linkPackages(folder: string): void {
  const own = '@typed-collections';
  mkdirSync(join(folder, 'node_modules', own), { recursive: true });
  for (const name of readdirSync('node_modules').filter(each => each !== own))
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name));
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules', own, name));
}

describe('the Dockerfile', () => {
  it('copies everything that the build needs, and the build makes everything that the image copies', () => {
    const folder = emptyFolder();
    copyInto(folder, stages[0]);
    linkPackages(folder);
    // The console is built by the tests of its files, and takes as long as all others together.
    const command = of('RUN', stages[0])
      .flatMap(commands => commands.split(' && '))
      .filter(each => each.startsWith('npx ') && !each.endsWith(' packages/console'))
      .join(' && ');
    const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    const started = JSON.parse(of('CMD', last).at(-1) as string).at(-1);
    for (const file of [started, scripts.cli.split(' ').at(-1)])
      expect(existsSync(join(folder, file))).toBe(true);
  });

  it('has the package.json of every workspace, which npm compares with the lock file', () => {
    const copied = copies(stages[0]).flatMap(({ sources }) => sources);
    for (const workspace of readdirSync('packages'))
      expect(copied).toContain(`packages/${workspace}/package.json`);
  });

  it('starts the service as npm start does, as a user who is not root', () => {
    expect(JSON.parse(of('CMD', last).at(-1) as string).join(' ')).toBe(scripts.start);
    // A number, so that Kubernetes can tell.
    expect(of('USER', last)).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
  });

  it('sets only settings that exist, and one of the C library', () => {
    const names = of('ENV', last).flatMap(rest => rest.split(' ').map(pair => pair.split('=')[0] as string));
    expect(names.filter(name => !known.has(name))).toEqual(['MALLOC_ARENA_MAX']);
  });

  it('has a health check that passes at a running service, and fails where nothing listens', async () => {
    const [, json] = (of('HEALTHCHECK', last)[0] as string).split(/ CMD (?=\[)/);
    const [command, ...rest] = JSON.parse(json as string) as [string, ...string[]];
    expect(command).toBe('node');
    const statusAt = async (port: string) => {
      const check = spawn(process.execPath, rest, { env: { PORT: port }, stdio: 'ignore' });
      return (await once(check, 'exit'))[0];
    };
    const app = await startOwnApp({ database: 'own' });
    const { port } = new URL(app.url);
    expect(await statusAt(port)).toBe(0);
    await app.close();
    expect(await statusAt(port)).toBe(1);
  });

  it('has a command that runs the command line with its arguments', () => {
    const folder = emptyFolder();
    for (const { sources, target } of copies(last)) {
      if (!target.startsWith('/')) continue;
      for (const source of sources) {
        mkdirSync(join(folder, dirname(target)), { recursive: true });
        cpSync(source, join(folder, target, source.split('/').at(-1) as string));
      }
    }
    const node = join(folder, 'node');
    writeFileSync(node, '#!/bin/sh\necho "$TYPED_COLLECTIONS_COMMAND" "$@"\n');
    chmodSync(node, 0o755);
    const command = join(folder, 'usr/local/bin/typed-collections');
    const printed = execFileSync(command, ['keys', 'list'], {
      env: { PATH: `${folder}:/bin:/usr/bin` },
      encoding: 'utf8',
    });
    expect(printed.trim()).toBe(`typed-collections /app/${scripts.cli.split(' ').at(-1)} keys list`);
    // npm run cli, npm run migrate: nothing to build in the image.
    const replaced = scripts.precli.match(/scripts\/\S+/)?.[0] as string;
    const { sources } = copies(last).find(({ target }) => target === './scripts/') ?? { sources: [] };
    expect(sources.map(source => `scripts/${source.split('/').at(-1)}`)).toContain(replaced);
  });
});

it('the benchmark and the page for systemd start the service with the flags of npm start', () => {
  const flagsOf = (command: string) => command.match(/--[\w-]+(?:=\d+)?/g);
  const page = readFileSync('docs/how-to/start-in-production.md', 'utf8');
  for (const command of [serviceCommand().join(' '), page.match(/^ExecStart=(.*)$/m)?.[1] ?? ''])
    expect(flagsOf(command)).toEqual(flagsOf(scripts.start));
});

describe('the Compose file', () => {
  const { services, volumes } = load(readFileSync('docker-compose.yml', 'utf8')) as Manifest;

  it('sets only settings that exist, and takes each secret from the environment', () => {
    const { environment } = services.service;
    expect(Object.keys(environment).filter(name => !known.has(name))).toEqual([]);
    const secrets = { ...environment, ...services.postgres.environment };
    for (const name of ['SECRETS_MASTER_KEYS', 'METRICS_TOKEN', 'POSTGRES_PASSWORD'])
      expect(secrets[name]).toMatch(new RegExp(`^\\$\\{${name}:\\?`));
  });

  it('starts the service only after the database is ready', () => {
    expect(services.service.depends_on.postgres.condition).toBe('service_healthy');
    expect(services.postgres.healthcheck.test).toContain('pg_isready');
  });

  it('has volumes for the database and for backups, because the rest of the file system is read-only', () => {
    const used = Object.values<Manifest>(services).flatMap(service => service.volumes ?? []);
    expect(used.map(volume => volume.split(':')[0]).sort()).toEqual(Object.keys(volumes).sort());
    expect(services.service.read_only).toBe(true);
    const [, made] = (of('RUN', last)[0] as string).match(/ (\/\S+)$/) ?? [];
    expect(services.service.volumes).toEqual([`backups:${made}`]);
  });
});

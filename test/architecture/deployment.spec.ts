import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/platform/config/settings.js';

const KUBERNETES = 'deploy/kubernetes';
const known = new Set(Object.values(SETTINGS).flatMap(group => Object.keys(group)));

// biome-ignore lint/suspicious/noExplicitAny: the parsed files have any shape
type Document = any;
const read = (file: string): Document[] => loadAll(readFileSync(file, 'utf8'));
const manifests = readdirSync(KUBERNETES).map(file => ({ file, documents: read(join(KUBERNETES, file)) }));
const ofKind = (kind: string): Document =>
  manifests.flatMap(({ documents }) => documents).find(document => document.kind === kind);
const { scripts, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const dockerfile = readFileSync('Dockerfile', 'utf8');
const lines = (instruction: string) =>
  [...dockerfile.matchAll(new RegExp(`^${instruction} (.*)$`, 'gm'))].map(([, rest]) => rest as string);

describe('the Dockerfile', () => {
  const copied = lines('COPY').filter(rest => !rest.startsWith('--from'));

  it('copies only files that exist and that .dockerignore does not exclude', () => {
    const sources = copied.flatMap(rest => rest.split(' ').slice(0, -1));
    expect(sources.length).toBeGreaterThan(0);
    const letIn = readFileSync('.dockerignore', 'utf8')
      .match(/^!.+$/gm)
      ?.map(line => line.slice(1));
    for (const source of sources) {
      const path = source.replace(/^\.\/(?=.)/, '');
      expect(existsSync(path), path).toBe(true);
      expect(letIn).toContain(path);
    }
    expect(readFileSync('.dockerignore', 'utf8')).toMatch(/^\*$/m);
  });

  it('installs the workspaces for the build, and without the others the packages of the service', () => {
    const manifests = readdirSync('packages').map(name => `packages/${name}/package.json`);
    const copiedManifests = copied.flatMap(rest => rest.match(/^packages\/\S+package\.json/) ?? []);
    expect([...new Set(copiedManifests)].sort()).toEqual(manifests.sort());
    expect(lines('RUN').filter(command => command.startsWith('npm '))).toEqual([
      'npm ci',
      'npm ci --omit=dev --omit=optional --ignore-scripts --workspace=packages/plain-questions --include-workspace-root',
    ]);
  });

  it('has the command typed-collections, which runs what the bundle of the commands is', () => {
    const command = 'deploy/image/typed-collections';
    expect(statSync(command).mode & 0o111).toBe(0o111);
    expect(readFileSync(command, 'utf8')).toContain(`/app/${scripts.cli.split(' ')[1]} "$@"`);
    expect(copied).toContain(`${command} /usr/local/bin/`);
    // The script that runs before these in a clone is replaced.
    expect(scripts.precli).toMatch(/^node scripts\/build-if-needed.mjs/);
    expect(copied).toContain('deploy/image/build-if-needed.mjs ./scripts/');
  });

  it('does not run as root or with an embedded PostgreSQL, and uses the flags of npm start', () => {
    expect(dockerfile).toContain('npm ci --omit=dev --omit=optional');
    expect(lines('USER')).toEqual(['1000:1000']);
    expect(JSON.parse(lines('CMD').at(-1) as string).join(' ')).toBe(scripts.start);
  });

  it('sets only settings that exist, and one of the C library', () => {
    const names = lines('ENV').flatMap(rest => rest.split(' ').map(pair => pair.split('=')[0] as string));
    expect(names.filter(name => !known.has(name))).toEqual(['MALLOC_ARENA_MAX']);
  });
});

describe('the Compose file', () => {
  const [{ services }] = read('docker-compose.yml') as [Document];

  it('sets only settings that exist, and contains no secret', () => {
    const { environment } = services.service;
    expect(Object.keys(environment).filter(name => !known.has(name))).toEqual([]);
    expect(environment.SECRETS_MASTER_KEYS).toMatch(/^\$\{SECRETS_MASTER_KEYS:\?/);
    expect(environment.METRICS_TOKEN).toMatch(/^\$\{METRICS_TOKEN:\?/);
    expect(services.postgres.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
  });

  it('starts the service only after the database is ready', () => {
    expect(services.service.depends_on.postgres.condition).toBe('service_healthy');
    expect(services.postgres.healthcheck.test).toContain('pg_isready');
  });

  it('has a volume for backups, and room for the locks of a backup of some thousand organizations', () => {
    expect(services.service.volumes).toContain('backups:/backups');
    expect(services.postgres.command.join(' ')).toMatch(/max_locks_per_transaction=\d{4}/);
  });
});

describe('the Kubernetes manifests', () => {
  const { spec } = ofKind('Deployment');
  const pod = spec.template.spec;
  const config: Record<string, string> = ofKind('ConfigMap').data;

  it('set only settings that exist, and contain no secret', () => {
    const secret: Record<string, string> = ofKind('Secret').stringData;
    for (const name of [...Object.keys(config), ...Object.keys(secret)]) expect(known).toContain(name);
    expect(new Set(Object.values(secret))).toEqual(new Set(['']));
    expect(Object.values(config).every(value => typeof value === 'string')).toBe(true);
  });

  it('select the pods that the deployment creates', () => {
    const { labels } = spec.template.metadata;
    const selectors = [
      spec.selector.matchLabels,
      ofKind('Service').spec.selector,
      ofKind('PodDisruptionBudget').spec.selector.matchLabels,
      pod.topologySpreadConstraints[0].labelSelector.matchLabels,
    ];
    for (const selector of selectors) expect(labels).toMatchObject(selector);
    const jobLabels = ofKind('Job').spec.template.metadata.labels;
    expect(jobLabels).not.toMatchObject(ofKind('Service').spec.selector);
  });

  it('keep two pods of which one is always available, and migrate before the pods start', () => {
    expect(spec.replicas).toBe(2);
    expect(ofKind('PodDisruptionBudget').spec.minAvailable).toBe(1);
    expect(config.MIGRATE_ON_START).toBe('false');
    const [migrate] = ofKind('Job').spec.template.spec.containers;
    expect(migrate.command).toEqual(['typed-collections', 'migrate']);
    expect(migrate.image).toBe(pod.containers[0].image);
  });

  it('write backups by the command of the image to a volume', () => {
    const job = ofKind('CronJob').spec.jobTemplate.spec.template.spec;
    const [backup] = job.containers;
    expect(backup.command.at(-1)).toMatch(/^typed-collections backup "\/backups\//);
    expect(backup.volumeMounts[0].mountPath).toBe('/backups');
    expect(job.volumes[0].persistentVolumeClaim.claimName).toBe(
      ofKind('PersistentVolumeClaim').metadata.name,
    );
  });

  it('run the image of this version, and trust no proxy', () => {
    const text = readdirSync(KUBERNETES)
      .map(file => readFileSync(join(KUBERNETES, file), 'utf8'))
      .join();
    const images = [...text.matchAll(/image: (\S+)/g)].map(([, image]) => image);
    expect(new Set(images)).toEqual(new Set([`registry.example.com/typed-collections:${version}`]));
    expect(config.TRUSTED_PROXIES).toBe('');
  });

  it('give a pod enough time to stop', () => {
    const asked = Number(config.SHUTDOWN_DELAY_SECONDS) + Number(config.SHUTDOWN_GRACE_SECONDS);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(asked + 30);
  });

  it.each(['startupProbe', 'livenessProbe', 'readinessProbe'])(
    'ask at the port that is opened: %s',
    probe => {
      const [container] = pod.containers;
      const { path, port } = container[probe].httpGet;
      expect(path).toBe(probe === 'readinessProbe' ? '/health/ready' : '/health/live');
      expect(container.ports.map(({ name }: { name: string }) => name)).toContain(port);
    },
  );
});

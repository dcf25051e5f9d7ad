import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SETTINGS } from '../../src/platform/config/settings.js';
import { startOwnApp } from '../harness/app.js';
import { typeErrors } from './kubernetes-types.js';
import { build, keyOf, type Manifest, read } from './kustomize.js';

const PRODUCTION = 'deploy/kubernetes/overlays/production';
const SECRET = 'deploy/kubernetes/secret.example.yaml';
const known = new Set(Object.values(SETTINGS).flatMap(group => Object.keys(group)));
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The overlay with every component, also those that its file only mentions. */
function everything(): string {
  const copy = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  cpSync('deploy', copy, { recursive: true });
  const folder = join(copy, PRODUCTION.slice('deploy/'.length));
  const file = join(folder, 'kustomization.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('# - ../../../monitoring', '- ../../../monitoring'));
  return folder;
}

const manifests = build(PRODUCTION);
const ofKind = (kind: string): Manifest => manifests.find(manifest => manifest.kind === kind);
const service = ofKind('Deployment');
const pod = service.spec.template.spec;
const [container] = pod.containers;
const config: Record<string, string> = ofKind('ConfigMap').data;
/** The templates of pods, by what makes the pods. */
const pods: readonly [string, Manifest][] = [
  ['Deployment', service.spec.template],
  ['Job', ofKind('Job').spec.template],
  ['CronJob', ofKind('CronJob').spec.jobTemplate.spec.template],
];

const kubectl = (folder: string) => spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
const hasKubectl = kubectl(PRODUCTION).error === undefined;

describe('the overlay for production', () => {
  it('and all components have only objects that fit the types of the Kubernetes API, unlike wrong ones', () => {
    const all = build(everything());
    expect(all.map(({ kind }) => kind)).toContain('ServiceMonitor');
    const { spec } = service;
    const wrong = [{ ...spec, replica: 2 }, { ...spec, replicas: 'two' }, { replicas: 2 }];
    expect(typeErrors([...all, ...read(SECRET), ...wrong.map(each => ({ ...service, spec: each }))])).toEqual(
      [
        expect.stringContaining('\'"replica"\' does not exist'),
        expect.stringContaining("'string' is not assignable to type 'number'"),
        expect.stringContaining('missing the following properties'),
      ],
    );
  });

  it.skipIf(!hasKubectl)('is what kubectl makes of it, with all components', () => {
    const folder = everything();
    const { stdout, stderr, status } = kubectl(folder);
    expect([status, stderr]).toEqual([0, '']);
    const sorted = (all: readonly Manifest[]) =>
      Object.fromEntries(all.map(manifest => [keyOf(manifest), manifest]));
    expect(sorted(build(folder))).toEqual(sorted(loadAll(stdout) as Manifest[]));
  });

  it('sets only settings that exist, and contains no secret', () => {
    const secret: Record<string, string> = read(SECRET)[0].stringData;
    for (const name of [...Object.keys(config), ...Object.keys(secret)]) expect(known).toContain(name);
    expect(new Set(Object.values(secret))).toEqual(new Set(['']));
    expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
  });

  it('trusts no proxy until an operator names one', () => {
    expect(config.TRUSTED_PROXIES).toBe('');
  });

  it('names only objects that it has, and the secrets that an operator creates', () => {
    const names = (kind: string) =>
      manifests.filter(each => each.kind === kind).map(({ metadata }) => metadata.name);
    for (const [, { spec }] of pods) {
      for (const { configMapRef, secretRef } of spec.containers[0].envFrom) {
        if (configMapRef) expect(names('ConfigMap')).toContain(configMapRef.name);
        if (secretRef) expect(secretRef.name).toBe(read(SECRET)[0].metadata.name);
      }
      for (const { persistentVolumeClaim } of spec.volumes ?? [])
        expect(names('PersistentVolumeClaim')).toContain(persistentVolumeClaim.claimName);
    }
    const [{ backend }] = ofKind('Ingress').spec.rules[0].http.paths;
    expect(names('Service')).toContain(backend.service.name);
    expect(ofKind('Service').spec.ports.map(({ name }: Manifest) => name)).toContain(
      backend.service.port.name,
    );
  });

  it('sends requests only to the pods of the service, and protects these from being evicted together', () => {
    const selectors: Manifest[] = [
      service.spec.selector.matchLabels,
      ofKind('Service').spec.selector,
      ofKind('PodDisruptionBudget').spec.selector.matchLabels,
      pod.topologySpreadConstraints[0].labelSelector.matchLabels,
    ];
    for (const selector of selectors) {
      expect(service.spec.template.metadata.labels).toMatchObject(selector);
      for (const [, { metadata }] of pods.slice(1)) expect(metadata.labels).not.toMatchObject(selector);
    }
    expect(ofKind('PodDisruptionBudget').spec.minAvailable).toBeLessThan(service.spec.replicas);
  });

  it('guards all pods by the network policy, which lets requests in at the port of the service', () => {
    const { podSelector, ingress } = ofKind('NetworkPolicy').spec;
    for (const [, { metadata }] of pods) expect(metadata.labels).toMatchObject(podSelector.matchLabels);
    expect(ingress[0].ports).toEqual([{ port: container.ports[0].name }]);
    expect(ofKind('Service').spec.ports[0].targetPort).toBe(container.ports[0].name);
  });

  it.each(pods)('runs the image of this version: %s', (_, { spec }) => {
    expect(spec.containers[0].image).toBe(`registry.example.com/typed-collections:${version}`);
  });

  it('has a job for each version, because a job cannot be changed, and deletes it later', () => {
    const { metadata, spec } = ofKind('Job');
    expect(metadata.name).toBe(`typed-collections-migrate-${version.replaceAll('.', '-')}`);
    expect(spec.ttlSecondsAfterFinished).toBeGreaterThan(0);
    expect(config.MIGRATE_ON_START).toBe('false');
  });

  it('gives a pod enough time to stop', () => {
    const asked = Number(config.SHUTDOWN_DELAY_SECONDS) + Number(config.SHUTDOWN_GRACE_SECONDS);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(asked + 30);
  });
});

describe('the probes', () => {
  const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;
  let statuses: Record<string, number>;

  beforeAll(async () => {
    const app = await startOwnApp({ database: 'own' });
    try {
      statuses = {};
      for (const probe of probes)
        statuses[probe] = (await app.request('GET', container[probe].httpGet.path)).status;
    } finally {
      await app.close();
    }
  });

  it.each(probes)('get 200 of a running service: %s', probe => {
    expect(statuses[probe]).toBe(200);
    expect(container.ports.map(({ name }: Manifest) => name)).toContain(container[probe].httpGet.port);
  });
});

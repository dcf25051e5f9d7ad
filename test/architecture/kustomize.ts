import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';

/** An object of Kubernetes. */
// biome-ignore lint/suspicious/noExplicitAny: the parsed files have any shape
export type Manifest = any;

interface Kustomization {
  readonly apiVersion: string;
  readonly kind: 'Kustomization' | 'Component';
  readonly namespace?: string;
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly patches?: readonly { readonly path: string }[];
  readonly configMapGenerator?: readonly {
    readonly name: string;
    readonly files: readonly string[];
    readonly options: {
      readonly disableNameSuffixHash: true;
      readonly labels: Readonly<Record<string, string>>;
    };
  }[];
  readonly images?: readonly { readonly name: string; readonly newName?: string; readonly newTag?: string }[];
}

const KNOWN = ['apiVersion', 'kind', 'namespace', 'resources', 'components', 'patches', 'images'];

/**
 * What `kubectl apply -k` would apply, for the part of Kustomize that deploy/ uses. A test compares it with kubectl, where
 * that is installed.
 */
export function build(folder: string, before: readonly Manifest[] = []): Manifest[] {
  const kustomization = load(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as Kustomization;
  const unknown = Object.keys(kustomization).filter(key => ![...KNOWN, 'configMapGenerator'].includes(key));
  if (unknown.length > 0) throw new Error(`${folder}: this test does not know ${unknown}`);
  let manifests = [...before];
  for (const resource of kustomization.resources ?? []) {
    const path = join(folder, resource);
    manifests.push(...(statSync(path).isDirectory() ? build(path) : read(path)));
  }
  for (const { name, files, options } of kustomization.configMapGenerator ?? []) {
    const data = Object.fromEntries(
      files.map(file => {
        const [key, source] = file.split('=') as [string, string];
        return [key, readFileSync(join(folder, source), 'utf8')];
      }),
    );
    const metadata = { name, labels: options.labels };
    manifests.push({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  }
  for (const component of kustomization.components ?? [])
    manifests = build(join(folder, component), manifests);
  for (const { path } of kustomization.patches ?? []) {
    for (const patch of read(join(folder, path))) {
      const target = manifests.find(manifest => keyOf(manifest) === keyOf(patch));
      if (target === undefined) throw new Error(`${path}: there is no ${keyOf(patch)} to patch`);
      merge(target, patch);
    }
  }
  for (const manifest of manifests) {
    if (kustomization.namespace) manifest.metadata.namespace = kustomization.namespace;
    for (const image of kustomization.images ?? []) rename(manifest, image);
  }
  const keys = manifests.map(keyOf);
  const repeated = keys.filter((key, at) => keys.indexOf(key) !== at);
  if (repeated.length > 0) throw new Error(`${folder}: ${repeated} twice`);
  return manifests;
}

export const read = (file: string): Manifest[] => loadAll(readFileSync(file, 'utf8')) as Manifest[];

export const keyOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

/** A strategic merge. A list would need the merge keys of its type. */
function merge(target: Manifest, patch: Manifest): void {
  for (const [key, value] of Object.entries<Manifest>(patch)) {
    if (Array.isArray(value)) throw new Error(`this test cannot merge the list ${key}`);
    if (typeof value === 'object' && value !== null && typeof target[key] === 'object')
      merge(target[key], value);
    else target[key] = value;
  }
}

function rename(value: Manifest, image: { name: string; newName?: string; newTag?: string }): void {
  if (typeof value !== 'object' || value === null) return;
  if (typeof value.image === 'string') {
    const [name, tag] = value.image.split(':');
    if (name === image.name) {
      const renamed = image.newName ?? name;
      const tagged = image.newTag ?? tag;
      value.image = tagged === undefined ? renamed : `${renamed}:${tagged}`;
    }
  }
  for (const child of Object.values(value)) rename(child, image);
}

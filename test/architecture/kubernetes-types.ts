import { resolve } from 'node:path';
import ts from 'typescript';
import type { Manifest } from './kustomize.js';

const FILE = resolve('test/architecture/manifests-of-kubernetes.ts');

/**
 * What the types of the Kubernetes API and of the Prometheus Operator say against these objects: unknown fields, missing ones
 * and values of the wrong type.
 */
export function typeErrors(manifests: readonly Manifest[]): string[] {
  const text = manifests
    .map(manifest => {
      const { apiVersion, kind } = manifest;
      const from = apiVersion.startsWith('monitoring.coreos.com')
        ? '@kubernetes-models/prometheus-operator'
        : 'kubernetes-models';
      return `{ const it: import('${from}/${apiVersion}').I${kind} = ${JSON.stringify(manifest, null, 2)}; void it; }`;
    })
    .join('\n');
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = name => name === FILE || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === FILE ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : getSourceFile(name, ...rest);
  const program = ts.createProgram([FILE], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start, file }) => {
    const { line } = file?.getLineAndCharacterOfPosition(start ?? 0) ?? { line: 0 };
    return `${text.split('\n')[line]?.trim()}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

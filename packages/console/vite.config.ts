import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { precompressed } from './precompressed.js';

/**
 * Modules that are loaded together, so that a page needs some tens of files and not a hundred. Files are in the order of
 * their first match; what matches nothing is a file for each set of pages that need it.
 */
const FILES = [
  // Everything that the entry imports. The entry itself keeps its name in the manifest.
  {
    name: 'start',
    tags: ['$initial' as const],
    test: (id: string) => !/main\.tsx$|index\.html$/.test(id),
    priority: 3,
  },
  // Small modules that most pages need.
  {
    name: 'common',
    test: /lucide-react|src\/ui\/(controls|data|hooks|states)|src\/(api|values)|@tanstack\/react-query/,
    minShareCount: 3,
    priority: 2,
  },
  // The threshold is in bytes of source: a larger one would make the first pages load code of others.
  { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 2_000, priority: 1 },
];

/** Writes the names of the packages whose modules are in the result, for the test of their licences. */
function listOfPackages(): Plugin {
  return {
    name: 'list-of-packages',
    apply: 'build',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap(part => (part.type === 'chunk' ? part.moduleIds : []));
      const packages = modules.flatMap(id => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? []);
      const source = JSON.stringify([...new Set(packages)].sort());
      this.emitFile({ type: 'asset', fileName: '.vite/packages.json', source });
    },
  };
}

/** The service serves the result at /console under a policy that allows neither inline scripts nor inline styles. */
export default defineConfig({
  base: '/console/',
  plugins: [react(), listOfPackages(), precompressed()],
  // The console is built from the sources of the client, so that it needs no build of it.
  resolve: { conditions: ['typed-collections-source', 'module', 'browser', 'development|production'] },
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    // The tests of sizes and of preloaded files read the manifest.
    manifest: true,
    license: { fileName: 'licenses.txt' },
    // The policy forbids data: addresses for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    rolldownOptions: { output: { codeSplitting: { groups: FILES } } },
  },
  server: {
    proxy: {
      '/v1': 'http://localhost:3000',
      '/v2': 'http://localhost:3000',
      '/oidc': 'http://localhost:3000',
    },
  },
});

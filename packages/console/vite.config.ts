import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompressed } from './precompressed.js';

/** The service serves the result at /console under a policy that allows neither inline scripts nor inline styles. */
export default defineConfig({
  base: '/console/',
  plugins: [react(), precompressed()],
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
  },
  server: {
    proxy: {
      '/v1': 'http://localhost:3000',
      '/v2': 'http://localhost:3000',
      '/oidc': 'http://localhost:3000',
    },
  },
});

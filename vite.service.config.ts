import { relative, resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const OUTPUT = resolve('dist/service');

/** Code that reads files beside it finds them where the compiler has put them. The lines stay the same for source maps. */
const ownAddresses: Plugin = {
  name: 'own-addresses',
  transform(code, path) {
    if (!code.includes('import.meta.url')) return undefined;
    const address = `new URL(${JSON.stringify(relative(OUTPUT, path))}, import.meta.url).href`;
    return { code: code.replaceAll('import.meta.url', address), map: null };
  },
};

/** V8 keeps the source of a script in memory, with two bytes for each character if one of them is not Latin-1. */
const asciiSources: Plugin = {
  name: 'ascii-sources',
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type === 'chunk') file.code = file.code.replace(/[^\0-\x7f]/g, escaped);
    }
  },
};

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Bundles the compiled service and its packages. Node needs longer to find and read 3,000 modules than the service needs
 * for everything else at start.
 */
export default defineConfig({
  plugins: [ownAddresses, asciiSources],
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: OUTPUT,
    emptyOutDir: true,
    sourcemap: true,
    target: 'node20',
    // The names of classes are names of migrations and of schemas in the API description.
    rolldownOptions: {
      input: ['dist/src/main.js', 'dist/src/cli.js'],
      output: {
        comments: false,
        keepNames: true,
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
      },
    },
  },
});

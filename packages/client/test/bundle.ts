import { resolve } from 'node:path';
import { build, type Rolldown } from 'vite';

/** The minified bundle of a module with this text. Its imports are resolved as in `packages/client/test`. */
export async function bundleOf(text: string): Promise<string> {
  const entry = resolve('packages/client/test/entry-of-bundle.mjs');
  const [output] = (await build({
    configFile: false,
    logLevel: 'silent',
    // The published files, not the sources.
    resolve: { conditions: ['import'] },
    plugins: [
      {
        name: 'entry',
        enforce: 'pre',
        resolveId: id => (id === entry ? id : undefined),
        load: id => (id === entry ? text : undefined),
      },
    ],
    build: {
      write: false,
      minify: 'oxc',
      target: 'es2022',
      lib: { entry, formats: ['es'] },
      rolldownOptions: { output: { minify: true } },
    },
  })) as Rolldown.RolldownOutput[];
  const [chunk] = (output as Rolldown.RolldownOutput).output;
  return chunk.code;
}

// A separate process that starts the embedded server on the given directory, prints its address, and stops it on
// a message. Vite's runner reads the source directly: no build, on every supported Node version.
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const source = fileURLToPath(
  new URL('../../../src/platform/database/embedded/embedded-postgres.ts', import.meta.url),
);
const { module } = await runnerImport(source, { configFile: false });
process.on('SIGINT', () => process.send({ interrupted: true }));
try {
  const server = await module.startEmbeddedPostgres({ dataDir: process.argv[2] });
  process.once('message', () => server.stop().then(() => process.exit(0)));
  process.send({ url: server.url });
} catch (error) {
  process.send({ error: error.message });
  process.disconnect();
}

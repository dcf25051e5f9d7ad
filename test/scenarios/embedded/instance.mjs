// A process of its own that starts the embedded server in argv[2], says where it is, and stops it when told to.
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const source = fileURLToPath(new URL('../../../src/database/embedded/embedded-postgres.ts', import.meta.url));
const { module } = await runnerImport(source);
try {
  const server = await module.startEmbeddedPostgres({ dataDir: process.argv[2], fsync: false });
  process.send({ url: server.url, notes: server.notes });
  process.once('message', () => server.stop().then(() => process.disconnect()));
} catch (error) {
  process.send({ error: error.message });
  process.disconnect();
}

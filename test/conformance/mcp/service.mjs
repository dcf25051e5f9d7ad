import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const STARTS_WITHIN_MS = 60_000;

/**
 * Starts the service with a database of its own, behind a proxy that adds an API key, because the conformance
 * tool sends no credential. Returns the address of its MCP endpoint and a function that stops it.
 */
export async function startService() {
  const directory = await mkdtemp(join(tmpdir(), 'mcp-conformance-service-'));
  const BOOTSTRAP_FILE = join(directory, 'bootstrap.json');
  const [port, proxyPort] = [await freePort(), await freePort()];
  const proxyOrigins = ['127.0.0.1', 'localhost'].map(host => `http://${host}:${proxyPort}`);
  const service = spawn(process.execPath, ['dist/service/main.js'], {
    cwd: new URL('../../..', import.meta.url),
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...{ PORT: String(port), BOOTSTRAP_FILE, RATE_LIMITS: 'off' },
      ...{ PLATFORM_ORIGINS: proxyOrigins.join(), DATA_DIR: join(directory, 'data') },
    },
  });
  const ended = new Promise(resolve => service.on('close', resolve));
  const key = await keyIn(BOOTSTRAP_FILE);
  const proxy = createServer((incoming, answer) => {
    const { method, url: path, headers } = incoming;
    const forwarded = send(
      { port, method, path, headers: { ...headers, 'x-platform-api-key': key } },
      response => {
        answer.writeHead(response.statusCode, response.headers);
        response.pipe(answer);
      },
    );
    forwarded.on('error', () => answer.destroy());
    answer.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise(resolve => proxy.listen(proxyPort, '127.0.0.1', resolve));
  return {
    url: `${proxyOrigins[0]}/v1/mcp`,
    stop: async () => {
      proxy.close();
      proxy.closeAllConnections();
      service.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The API key of the first start. The service has written it when it starts to listen. */
async function keyIn(file) {
  for (const until = Date.now() + STARTS_WITHIN_MS; Date.now() < until; await pause(200)) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text !== '') return JSON.parse(text).orgApiKey;
  }
  throw new Error('the service did not start');
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createNetServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

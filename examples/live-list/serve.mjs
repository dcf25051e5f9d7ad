// Serves the page and the built client. Any static server can do it.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import process from 'node:process';

const PAGE = new URL('.', import.meta.url);
const CLIENT = new URL('.', import.meta.resolve('@typed-collections/client'));

const server = createServer(async ({ url }, response) => {
  // Parsing resolves ".." in the path, so that no file outside of the two folders is served.
  const { pathname } = new URL(url ?? '/', 'http://localhost');
  const file = pathname.startsWith('/client/')
    ? new URL(`.${pathname.slice('/client'.length)}`, CLIENT)
    : new URL(`.${pathname === '/' ? '/index.html' : pathname}`, PAGE);
  const type = /\.m?js$/.test(pathname) ? 'text/javascript' : 'text/html';
  try {
    const text = await readFile(file);
    response.setHeader('content-type', `${type}; charset=utf-8`).end(text);
  } catch {
    response.writeHead(404).end('There is no such file.');
  }
});

server.listen(Number(process.env.PORT ?? 5173), '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const service = process.env.TC_URL ?? 'http://localhost:3000';
  console.log(`http://localhost:${port}/?url=${encodeURIComponent(service)}&collection=books`);
});

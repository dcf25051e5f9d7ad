import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { testPort } from '../../../test/harness/port.js';

/** A worker that may connect to this machine. */
const CONFIG = (port: number) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["local", "private", "public"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-10-01");
`;

/** Serves a worker with this text until the test ends, and returns its address. */
export async function startWorker(program: string, text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'worker-'));
  const port = await testPort();
  await writeFile(join(directory, 'worker.js'), text);
  await writeFile(join(directory, 'config.capnp'), CONFIG(port));
  const worker = spawn(program, ['serve', join(directory, 'config.capnp')], { stdio: 'inherit' });
  const ended = new Promise<never>((_, reject) => {
    worker.once('error', reject);
    worker.once('exit', code => reject(new Error(`workerd ended with ${code}`)));
  });
  ended.catch(() => undefined);
  onTestFinished(async () => {
    worker.kill();
    await ended.catch(() => undefined);
    await rm(directory, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([ended, answering(url)]);
  return url;
}

async function answering(url: string): Promise<void> {
  for (;;) {
    try {
      await fetch(url, { method: 'HEAD' });
      return;
    } catch {
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }
}

import { rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Makes `file` from a draft beside it, so that the name stands for a complete file only. The draft is made for its owner
 * alone (mode 0600) before anything is in it, and is removed when `write` fails or a signal ends the process. What was
 * written is on disk before it gets its name, and the name is before this resolves.
 */
export async function writeByDraft(file: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${file}.part`;
  await rm(draft, { force: true });
  await (await open(draft, 'wx', 0o600)).close();
  const onSignal = () => {
    rmSync(draft, { force: true });
    process.exit(1);
  };
  for (const signal of SIGNALS) process.once(signal, onSignal);
  try {
    await write(draft);
    await sync(draft);
    await rename(draft, file);
    await sync(dirname(file));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

async function sync(path: string): Promise<void> {
  // Windows opens no directory, and syncs no file that is open for reading only.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

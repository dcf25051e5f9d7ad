import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyDirectory } from '../../../test/harness/empty-directory.js';
import { newService } from './service.js';
import { tcol } from './tcol.js';

it('writes all refused rows of an import to a file that can be corrected and imported again', async () => {
  const { env } = await newService();
  const run = (...args: string[]) => tcol(args, { env });
  await run('collections', 'create', 'books', '--column', 'title:text!', '--column', 'year:integer');
  const directory = emptyDirectory();
  const [file, refused] = [join(directory, 'books.csv'), join(directory, 'refused.csv')];
  const bad = Array.from({ length: 150 }, (_, n) => `"a ""title"",\n${n}",y${n}`);
  writeFileSync(file, ['title,year', ...bad, 'Emma,1815', `${'x'.repeat(70_000)},y`].join('\n'));
  const first = await run('import', 'books', file, '--on-error', 'skip', '--refused-to', refused);
  expect(first.stderr).toContain('1 row too long to be written to the file of --refused-to');
  expect(JSON.parse(first.stdout)).toMatchObject({ inserted: 1, skipped: 151 });
  const text = readFileSync(refused, 'utf8');
  expect(text).toBe(`${['title,year', ...bad].join('\n')}\n`);
  writeFileSync(refused, text.replaceAll('",y', '",'));
  const second = await run('import', 'books', refused);
  expect(JSON.parse(second.stdout)).toMatchObject({ inserted: 150, skipped: 0 });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serviceCommand } from '../../scripts/run-service.mjs';

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  file => file.endsWith('.ts') && !file.endsWith('.spec.ts'),
);

// docs/decisions/0075-garbage-and-memory.md. Methods of a class are indented by two spaces, those of a literal by more.
it('no object literal has a getter, which would keep what it refers to until the next full garbage collection', () => {
  const withGetter = sources.filter(file =>
    /^ {4,}[gs]et \w+\(/m.test(readFileSync(join('src', file), 'utf8')),
  );
  expect(withGetter).toEqual([]);
});

it('the service has the same flags of Node wherever it is started', () => {
  const flagsOf = (command: string) => command.match(/--[\w-]+(?:=\d+)?/g);
  const started = flagsOf(serviceCommand().join(' '));
  expect(started).toContain('--no-allocation-site-pretenuring');
  expect(flagsOf(JSON.parse(readFileSync('package.json', 'utf8')).scripts.start)).toEqual(started);
  expect(flagsOf(readFileSync('Dockerfile', 'utf8').match(/^CMD .*$/m)?.[0] ?? '')).toEqual(started);
});

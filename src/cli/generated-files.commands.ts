import { writeFile } from 'node:fs/promises';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app/app.module.js';
import { envExample } from '../platform/config/known-settings.js';
import { loadSettings } from '../platform/config/load-settings.js';
import { openApiDocument } from '../platform/http/documentation/openapi.js';
import { PlatformAdapter } from '../platform/http/server/platform-adapter.js';
import { expectNone, print, UsageError } from './command.js';

export async function writeOpenApi([file, ...rest]: string[]): Promise<void> {
  if (file === undefined || rest.length > 0) throw new UsageError('expects one file');
  await writeFile(file, await openApiText());
  print(`wrote ${file}`);
}

/** Preview mode registers the routes without creating providers, so nothing connects. */
async function openApiText(): Promise<string> {
  const options = { preview: true, logger: false, abortOnError: false } as const;
  const app = await NestFactory.create(AppModule.with(loadSettings({})), new PlatformAdapter(), options);
  const { paths, components, ...document } = openApiDocument(app);
  const sorted = {
    ...document,
    paths: sortKeys(paths),
    components: { ...components, schemas: sortKeys(components?.schemas ?? {}) },
  };
  return `${JSON.stringify(sorted, null, 2)}\n`;
}

/** Without sorting, the order of paths and schemas would follow the order of modules and imports. */
function sortKeys<T>(map: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const FILE = '.env.example';

export async function writeEnvExample(args: string[]): Promise<void> {
  expectNone(args);
  await writeFile(FILE, envExample());
  print(`wrote ${FILE}`);
}

import { writeFile } from 'node:fs/promises';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import { loadSettings } from '../config/load-settings.js';
import { openApiDocument } from '../http/openapi.js';
import { PlatformAdapter } from '../http/platform-adapter.js';
import { type Command, print, UsageError } from './command.js';

export const openApiCommand: Command = {
  name: 'openapi',
  usage: '<file>',
  summary: 'write the OpenAPI description of every route; needs no database',
  async run([file, ...rest]) {
    if (file === undefined || rest.length > 0) throw new UsageError('expects one file');
    await writeFile(file, await openApiText());
    print(`wrote ${file}`);
  },
};

/** Preview makes the routes known and no provider, so nothing connects; the settings do not show in the result. */
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

/** Paths and schemas come in the order of modules and imports, which no reader cares about. */
function sortKeys<T>(map: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

import { existsSync } from 'node:fs';

/** The process's environment, with `.env` of the working directory beneath it. The only reader of process.env. */
export function environment(): Readonly<Record<string, string | undefined>> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}

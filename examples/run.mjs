// What all examples have in common: settings from the environment, and errors in one line.
import process from 'node:process';
import { TcError } from '@typed-collections/client';

/** The person who started the program has to change something. The exit code is 2. */
class Misuse extends Error {}

/**
 * The address of the service and a credential, as `createClient` takes them.
 *
 * @returns {{ url: string, key?: string, token?: string }}
 */
export function connection() {
  const { TC_URL: url, TC_KEY: key, TC_TOKEN: token } = process.env;
  const example = 'the address of the service, such as http://localhost:3000';
  if (!url) throw new Misuse(`TC_URL is missing: set it to ${example}`);
  if (!/^https?:/.test(url) || !URL.canParse(url)) throw new Misuse(`TC_URL: expects ${example}, not ${url}`);
  const base = url.replace(/\/+$/, '');
  if (key) return { url: base, key };
  if (token) return { url: base, token };
  throw new Misuse('TC_KEY is missing: set it to an API key, or set TC_TOKEN to an access token');
}

/**
 * Runs a program with its arguments.
 *
 * @param {string[]} names of its arguments; optional ones in brackets
 * @param {(...args: string[]) => Promise<void>} main
 */
export async function run(names, main) {
  const args = process.argv.slice(2);
  const required = names.filter(name => !name.startsWith('['));
  try {
    if (args.length < required.length || args.length > names.length) {
      throw new Misuse(`expects the arguments ${names.join(' ')}`);
    }
    await main(...args);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    console.error(error instanceof TcError ? `${error.code}: ${message}` : message);
    process.exitCode = error instanceof Misuse ? 2 : 1;
  }
}

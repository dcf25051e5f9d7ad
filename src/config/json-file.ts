import { readFileSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The JSON array in a file, `${NAME}` in its texts replaced from the environment. Throws with the reason, never with contents. */
export function readArrayFile(path: string, environment: Environment): readonly unknown[] {
  const read = parse(path, load(path));
  if (!Array.isArray(read)) throw new Error(`${path} must hold a JSON array`);
  return interpolated(read, environment) as unknown[];
}

function load(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** The parser's own message would quote the file, secrets and all. */
function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${path} is not valid JSON`);
  }
}

/** Only texts are replaced, after parsing: no value of the environment can change the structure. */
function interpolated(value: unknown, environment: Environment): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const found = environment[name];
      if (found === undefined || found === '') throw new Error(`names \${${name}}, which is not set`);
      return found;
    });
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(each => interpolated(each, environment));
  const entries = Object.entries(value).map(([name, each]) => [name, interpolated(each, environment)]);
  return Object.fromEntries(entries);
}

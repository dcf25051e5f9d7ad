import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

type Class = new (...args: never[]) => object;

/** The classes that the source files of one role export, for example of all `*.entity.ts`. */
export async function classesOf(role: string): Promise<Class[]> {
  const files = await readdir('src', { recursive: true });
  const ofRole = files.filter(file => file.endsWith(`.${role}.ts`)).sort();
  const modules = await Promise.all(ofRole.map(file => import(join(process.cwd(), 'src', file))));
  const exported = modules.flatMap(module => Object.values(module as object));
  return exported.filter(
    (each): each is Class => typeof each === 'function' && /^class\b/.test(String(each)),
  );
}

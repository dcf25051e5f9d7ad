import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Everything that the source files of one role export, for example of all `*.entity.ts`. */
export async function exportsOf(role: string): Promise<unknown[]> {
  const files = await readdir('src', { recursive: true });
  const ofRole = files.filter(file => file.endsWith(`.${role}.ts`)).sort();
  const modules = await Promise.all(ofRole.map(file => import(join(process.cwd(), 'src', file))));
  return modules.flatMap(module => Object.values(module as object));
}

/** Classes among the exports of one role. */
export async function classesOf(role: string): Promise<(new (...args: never[]) => object)[]> {
  const all = await exportsOf(role);
  return all.filter(each => typeof each === 'function' && /^class\b/.test(String(each))) as never;
}

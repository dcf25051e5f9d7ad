// @ts-check
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * One installed package as a record. `path` is its folder and therefore unique; `description` is not a column but
 * a flexible field.
 * @typedef {{
 *   name: string, version: string, path: string, license: string | null, size_bytes: number,
 *   dependency_count: number, dev: boolean, entry_points: string[], engines: Record<string, string> | null,
 *   keywords: string[], repository: string | null, description?: string,
 * }} PackageRecord
 */

/**
 * Reads every package of the lockfile with its package.json. `skipped` are optional packages that npm did not
 * install on this machine, mostly binaries for other platforms.
 * @param {string} root folder of package-lock.json and node_modules
 * @returns {Promise<{ records: PackageRecord[], skipped: string[] }>}
 */
export async function readPackages(root) {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const locked = Object.entries(lock.packages).filter(([path, entry]) => path !== '' && !entry.link);
  const records = [];
  const skipped = [];
  for (const [path, entry] of locked) {
    const manifest = await readManifest(join(root, path));
    if (manifest !== undefined) {
      records.push(packageRecord(path, entry, manifest, await sizeOnDisk(join(root, path))));
    } else if (entry.optional || entry.devOptional || entry.peer) {
      skipped.push(path);
    } else {
      throw new Error(`${path} is in package-lock.json but not installed: run npm ci`);
    }
  }
  return { records, skipped };
}

/**
 * @param {string} folder
 * @returns {Promise<Record<string, any> | undefined>} undefined when the package is not installed
 */
async function readManifest(folder) {
  try {
    return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * @param {string} path
 * @param {Record<string, any>} entry its entry in the lockfile
 * @param {Record<string, any>} manifest
 * @param {number} sizeBytes
 * @returns {PackageRecord}
 */
function packageRecord(path, entry, manifest, sizeBytes) {
  return {
    name: manifest.name,
    version: manifest.version,
    path,
    license: licenseOf(manifest),
    size_bytes: sizeBytes,
    dependency_count: Object.keys(manifest.dependencies ?? {}).length,
    dev: entry.dev === true,
    entry_points: entryPoints(manifest),
    engines: isObject(manifest.engines) ? manifest.engines : null,
    keywords: keywordsOf(manifest.keywords),
    repository: textOf(manifest.repository?.url ?? manifest.repository),
    ...(typeof manifest.description === 'string' && { description: manifest.description }),
  };
}

/**
 * Old packages state `{type}` or `licenses: [{type}]` instead of an SPDX expression.
 * @param {Record<string, any>} manifest
 */
function licenseOf({ license, licenses }) {
  const all = [license ?? licenses ?? []].flat().map(each => textOf(each?.type ?? each));
  return all.filter(each => each !== null).join(' OR ') || null;
}

/**
 * What other code can import (the keys of `exports`, else the main file) and the commands (`bin:` and the name).
 * @param {Record<string, any>} manifest
 */
function entryPoints({ name, exports, main, module, bin }) {
  const subpaths = isObject(exports) ? Object.keys(exports).filter(key => key.startsWith('.')) : [];
  const imported = subpaths.length > 0 ? subpaths : [exports === undefined ? (main ?? module) : '.'];
  const commands = isObject(bin) ? Object.keys(bin) : bin ? [name.split('/').pop()] : [];
  return [...imported.filter(each => typeof each === 'string'), ...commands.map(each => `bin:${each}`)];
}

/** @param {unknown} keywords */
function keywordsOf(keywords) {
  const list = typeof keywords === 'string' ? keywords.split(',') : Array.isArray(keywords) ? keywords : [];
  return list.filter(each => typeof each === 'string').map(each => each.trim());
}

/**
 * Size in bytes of the package's own files, without the packages nested in its node_modules.
 * @param {string} folder
 * @returns {Promise<number>}
 */
async function sizeOnDisk(folder) {
  let total = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) total += (await lstat(path)).size;
    else if (entry.name !== 'node_modules') total += await sizeOnDisk(path);
  }
  return total;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, any>}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

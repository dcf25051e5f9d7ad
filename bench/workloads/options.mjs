// @ts-check
import { parseArgs } from 'node:util';
import { positive } from '../options.mjs';
import { WORKLOADS } from './list.mjs';

export const USAGE = `npm run bench -- workloads [options]
  --only <names>      comma-separated, of: ${WORKLOADS.map(({ name }) => name).join(', ')}
  --seconds <n>       length of one burst (5)
  --rounds <n>        bursts per workload and server (5)
  --connections <n>   kept open by the load generator (32)
  --rows <n>          orders loaded before the start (100000)
  --credential <kind> what the service is called with: token (access token), key (org API key), jwt (token)
  --profile <folder>  writes a CPU profile of the service there, for Chrome DevTools
The results file is written by runs of all workloads only.`;

/**
 * @typedef {{ seconds: number, rounds: number, connections: number, rows: number,
 *   credential: 'token' | 'key' | 'jwt', profile?: string | undefined, workloads: typeof WORKLOADS }} Options
 */

/**
 * @param {string[]} args
 * @returns {Options}
 */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '32' },
      rows: { type: 'string', default: '100000' },
      credential: { type: 'string', default: 'token' },
      profile: { type: 'string' },
    },
  });
  const names = values.only?.split(',') ?? WORKLOADS.map(({ name }) => name);
  const unknown = names.filter(name => !WORKLOADS.some(workload => workload.name === name));
  if (unknown.length > 0) throw new Error(`unknown workload: ${unknown.join(', ')}`);
  const { credential } = values;
  if (credential !== 'token' && credential !== 'key' && credential !== 'jwt') {
    throw new Error('--credential must be token, key or jwt');
  }
  return {
    seconds: positive('seconds', values.seconds),
    rounds: positive('rounds', values.rounds),
    connections: positive('connections', values.connections),
    rows: positive('rows', values.rows),
    credential,
    profile: values.profile,
    workloads: WORKLOADS.filter(({ name }) => names.includes(name)),
  };
}
